import Model
import Timing

/// The system's time zone database: a folder with a TZif file per zone.
public struct TimeZoneFolder: Sendable {
    /// Path such as `/usr/share/zoneinfo`.
    public let path: String

    public static let systemPath = "/usr/share/zoneinfo"
    static let fileBytesMax = 64 << 10

    public init(_ path: String = TimeZoneFolder.systemPath) { self.path = path }

    /// The rules of a zone by its IANA name; nil if it is unknown.
    public func rules(of name: String) -> TimeZoneRules? {
        guard isName(name) else { return nil }
        if name == "UTC" { return TimeZoneRules(offsetSeconds: 0) }
        let bytes = try? Files.read(path + "/" + name, bytesMax: TimeZoneFolder.fileBytesMax)
        return bytes.flatMap { TimeZoneRules(tzif: $0) }
    }

    /// The machine's time zone: TZ, else the target of `/etc/localtime`, else UTC.
    public func machineZoneName(_ environment: [String: String]) -> String {
        let link = (try? Files.real("/etc/localtime")) ?? ""
        let linked = link.hasPrefix(path + "/") ? String(link.dropFirst(path.utf8.count + 1)) : ""
        let names = [environment["TZ"] ?? "", linked]
        return names.first { rules(of: $0) != nil } ?? "UTC"
    }

    /// Whether a text is a valid name: parts between slashes that stay within the folder.
    public func isName(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts[0].elementsEqual("posix".utf8) == false
            && parts[0].elementsEqual("right".utf8) == false
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        (48...57).contains(byte) || (65...90).contains(byte)
                            || (97...122).contains(byte) || "_+-".utf8.contains(byte)
                    }
            }
    }

    /// Suggests a name for a misspelled one, ignoring case and spaces; nil if none is similar or
    /// the list is missing.
    public func nearest(to text: String) -> String? {
        let given = folded(text)
        let place = given.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
        guard !place.isEmpty else { return nil }
        var best: (name: String, distance: Int)?
        for name in names() {
            let whole = folded(name)
            let last = whole.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
            let distance = min(editDistance(given, whole), editDistance(place, last) + 1)
            if distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best.flatMap { $0.distance <= max(2, place.count / 3) ? $0.name : nil }
    }

    /// The names in `zone.tab`, one per location.
    private func names() -> [String] {
        guard let bytes = try? Files.read(path + "/zone.tab") else { return [] }
        return bytes.split(separator: 10).compactMap { line in
            let cells = line.split(separator: 9)
            guard line.first != UInt8(ascii: "#"), cells.count >= 3 else { return nil }
            return String(decoding: cells[2], as: UTF8.self)
        }
    }

    private func folded(_ text: String) -> [UInt8] {
        Array(text.lowercased().replacing(" ", with: "_").utf8.prefix(64))
    }
}
