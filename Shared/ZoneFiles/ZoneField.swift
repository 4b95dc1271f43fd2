import Model
import Parsing

/// The table of a zone's fields in GeoJSON. Bodies, patches, views and files derive from it.
public enum ZoneField {
    /// All fields, in the order of a zone's view. Times are read by ``ZoneTimes``, sizes with the
    /// geometry.
    public static let all: [Field<Zone>] = [
        .text("name", \.name, charactersMax: ZoneLimits.nameCharactersMax),
        .choice("kind", \.kind),
        .text(
            "category", \.category, charactersMax: ZoneLimits.categoryCharactersMax,
            emptyAllowed: true),
        .flag("active", \.active),
        .integer(
            "priority", \.priority, in: 0...ZoneLimits.priorityMax,
            inFiles: -1_000_000...1_000_000),
        Field(
            "radius", \.shape, read: nil,
            write: { if case .circle(_, let size) = $0.shape { metres(size) } else { nil } }),
        Field(
            "halfWidth", \.shape, read: nil,
            write: { if case .corridor(_, let size) = $0.shape { metres(size) } else { nil } }),
        .centimetres(
            "inset", \.insetCentimetres, metresMax: ZoneLimits.insetMetresMax,
            hint: "use metres, such as 10; negative ones grow the zone"),
        .integer("hysteresis", \.hysteresisMetres, in: 0...ZoneLimits.hysteresisMetresMax),
        .integer(
            "alertDistance", \.alertDistanceMetres, in: 0...ZoneLimits.alertDistanceMetresMax),
        .integer("dwell", \.dwellSeconds, in: 0...ZoneLimits.dwellSecondsMax),
        Field(
            "timeZone", \.clock, read: nil,
            write: { $0.clock.map { .string($0.timeZone) } ?? .null }),
        Field(
            "schedule", \.schedule, read: nil,
            write: { zone in
                guard let schedule = zone.schedule, let clock = zone.clock else { return .null }
                return ZoneTimes.json(of: schedule, timeZone: clock.timeZone)
            }),
        Field(
            "absentBy", \.absentByMinute, read: nil,
            write: { $0.absentByMinute.map { .string(MinuteOfDay.text($0)) } ?? .null }),
        .choices("transitions", \.transitions),
        .object("alarm", \.alarm, ofAlarms),
        Field("audience", \.audience, read: readAudience, write: writeAudience),
        Field(
            "messages", \.messages,
            read: { fields, patch throws(FieldError) in
                patch.messages = try fields.ids(
                    "messages", MessageID.self, countMax: ZoneLimits.messagesMax)?.sorted()
            }, write: { .array($0.messages.map { .string($0.description) }) }),
        Field(
            "extra", \.extra,
            read: { fields, patch throws(FieldError) in patch.extra = try readExtra(fields) },
            write: { .array($0.extra.map { .string($0) }) }),
    ]

    /// Fields that a file passes on unchanged: they need time zones or the directory.
    static let unresolved = ZoneTimes.names + ["audience"]

    /// Fields of a zone in a file. Messages belong to the suite that they were written in.
    static let inFiles = all.filter { !unresolved.contains($0.name) && $0.name != "messages" }

    private static let ofAlarms: [Field<ZoneAlarm>] = [
        .flag("vibrate", \.vibrates),
        .text(
            "sound", \.sound, charactersMax: ZoneLimits.soundCharactersMax, emptyAllowed: true),
        .integer("cycle", \.cycleSeconds, in: ZoneLimits.alarmCycleSeconds),
        .integer("sleep", \.sleepSeconds, in: ZoneLimits.alarmSleepSeconds),
        .flag("emergency", \.raisesEmergency),
    ]

    private static func metres(_ centimetres: Int32) -> JSON { .number(Double(centimetres) / 100) }

    /// Rows of a zone file that have no meaning here.
    private static func readExtra(_ fields: Fields) throws(FieldError) -> [String]? {
        let isFile = fields.source == .file
        let values = try fields.array(
            "extra", countMax: isFile ? 10_000 : ZoneLimits.extraRowsMax)
        guard let values else { return nil }
        var rows: [String] = []
        for (index, value) in values.enumerated() {
            let isRow =
                value.string.map { row in
                    isFile
                        || row.unicodeScalars.count <= ZoneLimits.extraCharactersMax
                            && row.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
                } ?? false
            guard isRow, let row = value.string else {
                throw .must(
                    "be a row of a zone file", at: "\(fields.path("extra"))[\(index)]",
                    not: value,
                    hint: "use one line of at most \(ZoneLimits.extraCharactersMax) characters")
            }
            rows.append(row)
        }
        return rows
    }

    @Sendable private static func readAudience(
        _ fields: Fields, _ patch: inout Patch<Zone>
    ) throws(FieldError) {
        guard fields.contains("audience") else { return }
        guard let audience = try fields.object("audience", known: ["roles", "people"]) else {
            patch.audience = .some(nil)
            return
        }
        patch.audience = ZoneAudience(
            roles: try audience.choices("roles", Role.self) ?? [],
            people: try audience.ids(
                "people", PersonID.self, countMax: ZoneLimits.audiencePeopleMax) ?? [])
    }

    @Sendable private static func writeAudience(_ zone: Zone) -> JSON {
        guard let audience = zone.audience else { return .null }
        return [
            "roles": .array(audience.roles.map { .string($0.rawValue) }),
            "people": .array(audience.people.map { .string($0.description) }),
        ]
    }
}

/// Limits of a zone's fields.
public enum ZoneLimits {
    public static let nameCharactersMax = 100
    public static let categoryCharactersMax = 50
    public static let priorityMax = 1000
    public static let hysteresisMetresMax = 1000
    public static let alertDistanceMetresMax = 100_000
    public static let insetMetresMax = 100_000
    public static let dwellSecondsMax = 7 * 86_400
    public static let soundCharactersMax = 50
    public static let alarmCycleSeconds = 10...3600
    public static let alarmSleepSeconds = 0...86_400
    public static let audiencePeopleMax = 50
    public static let messagesMax = 10
    /// Maximum rows with unknown keys per zone.
    public static let extraRowsMax = 50
    /// Maximum characters of such a row.
    public static let extraCharactersMax = 200
    /// Maximum windows of a schedule, counted per day.
    public static let scheduleWindowsMax = 50
    public static let scheduleExceptionsMax = 100
}
