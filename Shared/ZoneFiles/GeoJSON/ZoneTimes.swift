import Model
import Parsing

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
