import Model
import Parsing

/// Reads a zone's schedule.
///
///     {"timeZone": "Asia/Kuala_Lumpur",
///      "windows": [{"days": ["mon"], "from": "08:00", "to": "15:00"}],
///      "except": ["2026-12-25"]}
struct ScheduleReader {
    private let fields: Fields

    static let minutesOfWeek = 7 * MinuteOfDay.perDay

    init(_ json: JSON, at path: String) throws(FieldError) {
        fields = try Fields(json, at: path, known: ["timeZone", "windows", "except"])
    }

    func timeZone() throws(FieldError) -> String? { try fields.text("timeZone") }

    func read() throws(FieldError) -> ZoneSchedule {
        var indexed: [IndexedWindow] = []
        let windows = try fields.array("windows", countMax: ZoneLimits.scheduleWindowsMax)
        guard let windows, !windows.isEmpty else {
            throw FieldError(
                .missing, at: fields.path("windows"), "a schedule without windows is never active",
                hint: #"add a window, or set "active" to false"#)
        }
        for (index, window) in windows.enumerated() { indexed += try self.window(window, index) }
        guard indexed.count <= ZoneLimits.scheduleWindowsMax else {
            throw FieldError(
                .range, at: fields.path("windows"),
                "the schedule has \(indexed.count) windows, counted per day; "
                    + "at most \(ZoneLimits.scheduleWindowsMax) are allowed",
                hint: "remove some")
        }
        indexed.sort { ($0.window.start, $0.window.end) < ($1.window.start, $1.window.end) }
        try rejectOverlaps(indexed)
        return ZoneSchedule(windows: indexed.map(\.window), exceptions: try exceptions())
    }

    /// A window of one day with the index of the window in the file that it belongs to.
    private struct IndexedWindow {
        var window: ZoneWindow
        var givenIndex: Int
    }

    private func window(_ json: JSON, _ index: Int) throws(FieldError) -> [IndexedWindow] {
        let window = try Fields(
            json, at: "\(fields.path("windows"))[\(index)]", known: ["days", "from", "to"])
        guard let days = try window.choices("days", Weekday.self), !days.isEmpty else {
            throw .missing(window.path("days"), hint: #"add it, such as ["mon", "tue"]"#)
        }
        let from = try minute(window, "from", endAllowed: false)
        let to = try minute(window, "to", endAllowed: true)
        guard from != to else {
            throw FieldError(
                .value, at: window.path("to"), "this window has no length",
                hint: "use 00:00 to 24:00 for a whole day")
        }
        return days.map { day in
            let start = day.index * MinuteOfDay.perDay + from
            let length = to > from ? to - from : to - from + MinuteOfDay.perDay
            return IndexedWindow(
                window: ZoneWindow(start: start, end: start + length), givenIndex: index)
        }
    }

    private func minute(
        _ window: Fields, _ name: String, endAllowed: Bool
    ) throws(FieldError) -> Int {
        guard let text = try window.text(name) else {
            throw .missing(window.path(name), hint: "add it, such as 08:00")
        }
        guard let minute = MinuteOfDay.read(text, endAllowed: endAllowed) else {
            throw .must(
                "be a time of day", at: window.path(name), not: .string(text),
                hint: "use HH:MM, such as 08:00 or 15:30")
        }
        return minute
    }

    /// The last window of a week may overlap the first window of the next week.
    private func rejectOverlaps(_ windows: [IndexedWindow]) throws(FieldError) {
        for (index, next) in windows.enumerated() {
            var before = windows[index == 0 ? windows.count - 1 : index - 1]
            if index == 0 {
                before.window.start -= ScheduleReader.minutesOfWeek
                before.window.end -= ScheduleReader.minutesOfWeek
            }
            guard before.window.end > next.window.start else { continue }
            let later = max(before.givenIndex, next.givenIndex)
            let day = Weekday.allCases[next.window.start / MinuteOfDay.perDay]
            throw FieldError(
                .value, at: fields.path("windows[\(later)]"),
                "windows \(min(before.givenIndex, next.givenIndex)) and \(later) overlap on \(day)",
                hint: "separate or merge them")
        }
    }

    private func exceptions() throws(FieldError) -> [Int32] {
        let values = try fields.array("except", countMax: ZoneLimits.scheduleExceptionsMax) ?? []
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
