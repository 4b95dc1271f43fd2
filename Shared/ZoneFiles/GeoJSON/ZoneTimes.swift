import Model
import Parsing

/// Days as they are written, Monday first.
enum Weekday: String, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun

    /// 0 = Monday.
    var index: Int { Weekday.allCases.firstIndex(of: self) ?? 0 }
}

/// `HH:MM` as minutes since midnight.
public enum MinuteOfDay {
    static let perDay = 1440

    /// Nil for what is none; `24:00` is the end of a day.
    public static func read(_ text: String, endAllowed: Bool = false) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
            [0, 1, 3, 4].allSatisfy({ (48...57).contains(bytes[$0]) })
        else { return nil }
        let hours = Int(bytes[0] - 48) * 10 + Int(bytes[1] - 48)
        let minutes = Int(bytes[3] - 48) * 10 + Int(bytes[4] - 48)
        let total = hours * 60 + minutes
        return minutes < 60 && total < (endAllowed ? 1441 : 1440) ? total : nil
    }

    public static func text(_ minute: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return two(minute / 60) + ":" + two(minute % 60)
    }
}

/// When a zone counts and whom it misses, as GeoJSON and the HTTP API write it: `timeZone`,
/// `schedule` and `absentBy`. Their clock is named here, not known.
public struct ZoneTimes: Hashable, Sendable {
    /// Its IANA name; nil = none is named.
    public private(set) var timeZone: String?
    /// Where it stands.
    public private(set) var timeZonePath = ""
    public private(set) var schedule: ZoneSchedule?
    /// 0 to 1,439.
    public private(set) var absentByMinute: Int?

    /// The names of these fields.
    public static let names = ["timeZone", "schedule", "absentBy"]

    /// Reads them of the members of an object, among others.
    ///
    /// - Parameter path: of the object
    public init(_ members: [JSON.Member], at path: String) throws(FileError) {
        func given(_ name: String) -> JSON? {
            members.first { $0.key == name && !$0.value.isNull }?.value
        }
        let inSchedule = path + ".schedule.timeZone"
        if let json = given("timeZone") {
            timeZone = try ZoneTimes.text(json, at: path + ".timeZone")
            timeZonePath = path + ".timeZone"
        }
        if let json = given("schedule") {
            let reader = try ScheduleReader(json, at: path + ".schedule")
            schedule = try reader.read()
            if let name = try reader.timeZone() {
                guard timeZone == nil || timeZone == name else {
                    throw ZoneTimes.fault(
                        inSchedule, "a zone has one clock, and timeZone names another",
                        "give the same time zone twice, or leave one out")
                }
                if timeZone == nil { timeZonePath = inSchedule }
                timeZone = name
            }
        }
        if let json = given("absentBy") {
            let text = try ZoneTimes.text(json, at: path + ".absentBy")
            absentByMinute = MinuteOfDay.read(text)
            guard absentByMinute != nil else {
                throw ZoneTimes.fault(
                    path + ".absentBy", "this is not a time of day", "use HH:MM, such as 08:00")
            }
        }
    }

    /// The zone's clock; nil where nothing needs one. UTC where none is named.
    ///
    /// - Parameters:
    ///   - find: a clock by the name of its time zone
    ///   - nearest: what somebody may have meant who wrote a name that nothing has
    public func clock(
        _ find: (String) -> ZoneClock?, nearest: (String) -> String?
    ) throws(FileError) -> ZoneClock? {
        guard let timeZone else { return nil }
        if let clock = find(timeZone) { return clock }
        throw ZoneTimes.fault(
            timeZonePath, "there is no time zone of this name",
            nearest(timeZone).map { "did you mean \($0)?" }
                ?? "use an IANA name such as Asia/Kuala_Lumpur")
    }

    fileprivate static func text(_ json: JSON, at path: String) throws(FileError) -> String {
        guard let text = json.string else { throw fault(path, "this is not a text", "give one") }
        return text
    }

    fileprivate static func fault(_ path: String, _ message: String, _ hint: String) -> FileError {
        FileError(.value, "read times", at: .path(path), message, hint: hint)
    }
}
