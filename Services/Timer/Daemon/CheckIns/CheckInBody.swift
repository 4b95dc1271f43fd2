import Model
import Parsing
import TimerCore
import Web

/// The body of a check-in schedule: weekly times, or shifts.
///
///     {"name": "Evenings", "times": [{"days": ["mon", "tue"], "at": "18:00"}],
///      "except": ["2026-12-25"]}
///     {"shifts": [{"days": ["fri"], "from": "22:00", "to": "06:00"}], "everyMinutes": 30}
struct CheckInBody {
    var name: String
    var rule: CheckInSchedule.Rule
    var exceptions: [Int32]
    var recipients: [PersonID]?
    var answerMinutes: Int
    var isActive: Bool

    static let fields = [
        "name", "times", "shifts", "everyMinutes", "except", "recipients", "answerMinutes",
        "active",
    ]
    /// What the API adds when it shows a schedule.
    static let shown = [
        "id", "person", "timeZone", "next", "open", "created", "version", "pin",
    ]

    private static let minutesOfWeek = 7 * MinuteOfDay.perDay

    /// - Throws: a ``Problem`` that names the field
    init(_ json: JSON) throws(Problem) {
        do throws(FieldError) {
            let fields = try Fields(json, known: CheckInBody.fields, readOnly: CheckInBody.shown)
            name =
                try fields.plainText(
                    "name", charactersMax: Limits.nameCharactersMax, emptyAllowed: true) ?? ""
            rule = try CheckInBody.rule(fields)
            exceptions = try CheckInBody.exceptions(fields)
            let people = try fields.ids(
                "recipients", PersonID.self, countMax: Limits.recipientsMax)
            if people?.isEmpty == true {
                throw .must(
                    "name at least one person", at: "recipients", not: .array([]),
                    hint: "leave it out to notify everyone in your circles")
            }
            recipients = people?.sorted()
            answerMinutes =
                try fields.integer("answerMinutes", in: Limits.answerMinutes)
                ?? Limits.answerMinutesUsual
            isActive = try fields.flag("active") ?? true
        } catch { throw Problem(error) }
    }

    private static func rule(_ fields: Fields) throws(FieldError) -> CheckInSchedule.Rule {
        let times = try fields.array("times", countMax: Limits.weeklyTimesMax)
        let shifts = try fields.array("shifts", countMax: Limits.shiftsMax)
        let every = try fields.integer("everyMinutes", in: Limits.everyMinutes)
        switch (times, shifts) {
        case (let times?, nil) where !times.isEmpty:
            guard every == nil else {
                throw .must(
                    "come with shifts", at: "everyMinutes", not: fields.value("everyMinutes"),
                    hint: "leave it out, or replace times by shifts")
            }
            return .times(try minutes(times, fields))
        case (nil, let shifts?) where !shifts.isEmpty:
            guard let every else {
                throw .missing("everyMinutes", hint: "add it, such as 30")
            }
            return .shifts(try windows(shifts, fields), everyMinutes: every)
        default:
            throw FieldError(
                .missing, at: "times", "either times or shifts are required",
                hint: #"send "times": [{"days": ["mon"], "at": "18:00"}]"#)
        }
    }

    private static func minutes(
        _ times: [JSON], _ fields: Fields
    ) throws(FieldError) -> [Int] {
        var minutes: Set<Int> = []
        for (index, json) in times.enumerated() {
            let time = try Fields(
                json, at: "\(fields.path("times"))[\(index)]", known: ["days", "at"])
            let minute = try minute(time, "at", endAllowed: false)
            for day in try days(time) { minutes.insert(day.index * MinuteOfDay.perDay + minute) }
        }
        guard minutes.count <= Limits.weeklyTimesMax else {
            throw FieldError(
                .range, at: "times", "more than \(Limits.weeklyTimesMax) times a week",
                hint: "use shifts with everyMinutes")
        }
        return minutes.sorted()
    }

    private static func windows(
        _ shifts: [JSON], _ fields: Fields
    ) throws(FieldError) -> [ZoneWindow] {
        var windows: [ZoneWindow] = []
        for (index, json) in shifts.enumerated() {
            let shift = try Fields(
                json, at: "\(fields.path("shifts"))[\(index)]", known: ["days", "from", "to"])
            let from = try minute(shift, "from", endAllowed: false)
            let to = try minute(shift, "to", endAllowed: true)
            guard from != to else {
                throw FieldError(
                    .value, at: shift.path("to"), "this shift has no length",
                    hint: "use 00:00 to 24:00 for a whole day")
            }
            for day in try days(shift) {
                let start = day.index * MinuteOfDay.perDay + from
                let length = to > from ? to - from : to - from + MinuteOfDay.perDay
                windows.append(ZoneWindow(start: start, end: start + length))
            }
        }
        windows.sort { ($0.start, $0.end) < ($1.start, $1.end) }
        guard windows.count <= Limits.shiftsMax else {
            throw FieldError(
                .range, at: "shifts", "more than \(Limits.shiftsMax) shifts, counted per day",
                hint: "remove some")
        }
        for (index, next) in windows.enumerated() {
            // The last shift of a week may run into the next one.
            let before = windows[index == 0 ? windows.count - 1 : index - 1]
            let end = index == 0 ? before.end - minutesOfWeek : before.end
            guard end <= next.start else {
                throw FieldError(
                    .value, at: "shifts", "two shifts overlap", hint: "separate or merge them")
            }
        }
        return windows
    }

    private static func days(_ fields: Fields) throws(FieldError) -> [Weekday] {
        guard let days = try fields.choices("days", Weekday.self), !days.isEmpty else {
            throw .missing(fields.path("days"), hint: #"add it, such as ["mon", "tue"]"#)
        }
        return days
    }

    private static func minute(
        _ fields: Fields, _ name: String, endAllowed: Bool
    ) throws(FieldError) -> Int {
        guard let text = try fields.text(name) else {
            throw .missing(fields.path(name), hint: "add it, such as 18:00")
        }
        guard let minute = MinuteOfDay.read(text, endAllowed: endAllowed) else {
            throw .must(
                "be a time of day", at: fields.path(name), not: .string(text),
                hint: "use HH:MM, such as 08:00 or 18:30")
        }
        return minute
    }

    private static func exceptions(_ fields: Fields) throws(FieldError) -> [Int32] {
        let values = try fields.array("except", countMax: Limits.exceptionsMax) ?? []
        var days: Set<Int32> = []
        for (index, value) in values.enumerated() {
            guard let text = value.string, text.utf8.count == 10,
                let day = Timestamp(text + "T00:00:00Z")
            else {
                throw .must(
                    "be a date", at: fields.path("except[\(index)]"), not: value,
                    hint: "use YYYY-MM-DD, such as 2026-12-25")
            }
            days.insert(Int32(day.seconds / 86_400))
        }
        return days.sorted()
    }
}
