import Model
import Parsing

/// Weekdays as written in files, Monday first.
enum Weekday: String, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun

    /// 0 = Monday.
    var index: Int { Weekday.allCases.firstIndex(of: self) ?? 0 }
}

/// Time of day `HH:MM` as minutes since midnight.
public enum MinuteOfDay {
    static let perDay = 1440

    /// Parses a time of day; nil if it is malformed. `24:00` is the end of a day.
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

/// A zone's schedule and absence check as written in GeoJSON and the HTTP API.
///
/// Holds `timeZone`, `schedule` and `absentBy`. The time zone is a name that is not yet resolved.
public struct ZoneTimes: Hashable, Sendable {
    /// IANA name of the time zone; nil = not specified.
    public private(set) var timeZone: String?
    /// Path of the time zone's name in the file.
    public private(set) var timeZonePath = ""
    public private(set) var schedule: ZoneSchedule?
    /// Minute of the day, 0 to 1,439.
    public private(set) var absentByMinute: Int?

    /// Names of the fields that this type reads.
    public static let names = ["timeZone", "schedule", "absentBy"]

    /// Reads the fields from an object's members and ignores all other members.
    ///
    /// - Parameter path: path of the object
    public init(_ members: [JSON.Member], at path: String) throws(FileError) {
        func member(_ name: String) -> JSON? {
            members.first { $0.key == name && !$0.value.isNull }?.value
        }
        let inSchedule = path + ".schedule.timeZone"
        if let json = member("timeZone") {
            timeZone = try ZoneTimes.text(json, at: path + ".timeZone")
            timeZonePath = path + ".timeZone"
        }
        if let json = member("schedule") {
            let reader = try ScheduleReader(json, at: path + ".schedule")
            schedule = try reader.read()
            if let name = try reader.timeZone() {
                guard timeZone == nil || timeZone == name else {
                    throw ZoneTimes.fault(
                        inSchedule, "the schedule and the zone have different time zones",
                        "Give the same time zone twice, or remove one.")
                }
                if timeZone == nil { timeZonePath = inSchedule }
                timeZone = name
            }
        }
        if let json = member("absentBy") {
            let text = try ZoneTimes.text(json, at: path + ".absentBy")
            absentByMinute = MinuteOfDay.read(text)
            guard absentByMinute != nil else {
                throw ZoneTimes.fault(
                    path + ".absentBy", "this is not a time of day", "Use HH:MM, such as 08:00.")
            }
        }
    }

    /// Resolves the time zone; nil if none is specified.
    ///
    /// - Parameters:
    ///   - find: returns the clock of a time zone
    ///   - nearest: returns a similar name for an unknown one
    /// - Throws: ``FileError`` if the time zone is unknown
    public func clock(
        _ find: (String) -> ZoneClock?, nearest: (String) -> String?
    ) throws(FileError) -> ZoneClock? {
        guard let timeZone else { return nil }
        if let clock = find(timeZone) { return clock }
        throw ZoneTimes.fault(
            timeZonePath, "unknown time zone",
            nearest(timeZone).map { "Did you mean \($0)?" }
                ?? "Use an IANA name such as Asia/Kuala_Lumpur.")
    }

    fileprivate static func text(_ json: JSON, at path: String) throws(FileError) -> String {
        guard let text = json.string else {
            throw fault(path, "this is not a text", "Give a text.")
        }
        return text
    }

    fileprivate static func fault(_ path: String, _ message: String, _ hint: String) -> FileError {
        FileError(.value, "read times", at: .path(path), message, hint: hint)
    }
}
