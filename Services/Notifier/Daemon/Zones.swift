import Model
import NotifierCore
import Runtime

/// Reads the offsets of time zones from the system's database.
struct Zones {
    /// Such as `/usr/share/zoneinfo`.
    let folder: String

    /// The rules of a zone by its IANA name; nil when there is none of that name.
    func rules(of name: String) -> TimeZoneRules? {
        let allowed = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "_+-/".utf8.contains(byte)
        }
        guard allowed, !name.isEmpty, !name.hasPrefix("/") else { return nil }
        if name == "UTC" { return TimeZoneRules(offsetSeconds: 0) }
        let bytes = try? Files.read(
            folder + "/" + name, bytesMax: Limits.zoneFileBytesMax)
        return bytes.flatMap { TimeZoneRules(tzif: $0) }
    }
}
