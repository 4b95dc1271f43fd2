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
    public init(_ members: [JSON.Member], at path: String) throws(FieldError) {
        func member(_ name: String) -> JSON? {
            members.first { $0.key == name && !$0.value.isNull }?.value
        }
        let fields = try Fields(.object(members), at: path, known: ZoneTimes.names, from: .file)
        if let name = try fields.text("timeZone") {
            timeZone = name
            timeZonePath = fields.path("timeZone")
        }
        if let json = fields.value("schedule") {
            let reader = try ScheduleReader(json, at: fields.path("schedule"))
            schedule = try reader.read()
            if let name = try reader.timeZone() {
                let inSchedule = fields.path("schedule.timeZone")
                guard timeZone == nil || timeZone == name else {
                    throw FieldError(
                        .value, at: inSchedule,
                        "the schedule and the zone have different time zones",
                        hint: "give the same time zone twice, or remove one")
                }
                if timeZone == nil { timeZonePath = inSchedule }
                timeZone = name
            }
        }
        if let text = try fields.text("absentBy") {
            absentByMinute = MinuteOfDay.read(text)
            guard absentByMinute != nil else {
                throw .must(
                    "be a time of day", at: fields.path("absentBy"), not: .string(text),
                    hint: "use HH:MM, such as 08:00")
            }
        }
    }

    /// Resolves the time zone; nil if none is specified.
    ///
    /// - Parameters:
    ///   - find: returns the clock of a time zone
    ///   - nearest: returns a similar name for an unknown one
    /// - Throws: ``FieldError`` if the time zone is unknown
    public func clock(
        _ find: (String) -> ZoneClock?, nearest: (String) -> String?
    ) throws(FieldError) -> ZoneClock? {
        guard let timeZone else { return nil }
        if let clock = find(timeZone) { return clock }
        throw FieldError(
            .value, at: timeZonePath, "unknown time zone", given: "\"\(timeZone)\"",
            hint: nearest(timeZone).map { "Did you mean \($0)?" }
                ?? "use an IANA name such as Asia/Kuala_Lumpur")
    }
}
