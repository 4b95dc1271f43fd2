import Model
import Parsing

/// Reads a zone's schedule.
///
///     {"timeZone": "Asia/Kuala_Lumpur",
///      "windows": [{"days": ["mon"], "from": "08:00", "to": "15:00"}],
///      "except": ["2026-12-25"]}
struct ScheduleReader {
    private let fields: ScheduleFields

    static let minutesOfWeek = 7 * MinuteOfDay.perDay

    init(_ json: JSON, at path: String) throws(FileError) {
        fields = try ScheduleFields(json, at: path, known: ["timeZone", "windows", "except"])
    }

    func timeZone() throws(FileError) -> String? { try fields.text("timeZone") }

    func read() throws(FileError) -> ZoneSchedule {
        var indexed: [IndexedWindow] = []
        let windows = try fields.list("windows", countMax: FileLimits.scheduleWindowsMax)
        guard let windows, !windows.isEmpty else {
            throw fields.wrong(
                "windows", "a schedule without windows is never active",
                #"Add a window, or set "active" to false."#)
        }
        for (index, window) in windows.enumerated() { indexed += try self.window(window, index) }
        guard indexed.count <= FileLimits.scheduleWindowsMax else {
            throw fields.wrong(
                "windows",
                "the schedule has \(indexed.count) windows, counted per day; "
                    + "at most \(FileLimits.scheduleWindowsMax) are allowed",
                "Remove some.")
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

    private func window(_ json: JSON, _ index: Int) throws(FileError) -> [IndexedWindow] {
        let window = try ScheduleFields(
            json, at: "\(fields.path("windows"))[\(index)]", known: ["days", "from", "to"])
        guard let days = try window.days("days"), !days.isEmpty else {
            throw window.missing("days", "Add it, such as [\"mon\", \"tue\"].")
        }
        let from = try minute(window, "from", endAllowed: false)
        let to = try minute(window, "to", endAllowed: true)
        guard from != to else {
            throw window.wrong(
                "to", "this window has no length", "Use 00:00 to 24:00 for a whole day.")
        }
        return days.map { day in
            let start = day.index * MinuteOfDay.perDay + from
            let length = to > from ? to - from : to - from + MinuteOfDay.perDay
            return IndexedWindow(
                window: ZoneWindow(start: start, end: start + length), givenIndex: index)
        }
    }

    private func minute(
        _ window: ScheduleFields, _ name: String, endAllowed: Bool
    ) throws(FileError) -> Int {
        guard let text = try window.text(name) else {
            throw window.missing(name, "Add it, such as 08:00.")
        }
        guard let minute = MinuteOfDay.read(text, endAllowed: endAllowed) else {
            throw window.wrong(
                name, "this is not a time of day", "Use HH:MM, such as 08:00 or 15:30.")
        }
        return minute
    }

    /// The last window of a week may overlap the first window of the next week.
    private func rejectOverlaps(_ windows: [IndexedWindow]) throws(FileError) {
        for (index, next) in windows.enumerated() {
            var before = windows[index == 0 ? windows.count - 1 : index - 1]
            if index == 0 {
                before.window.start -= ScheduleReader.minutesOfWeek
                before.window.end -= ScheduleReader.minutesOfWeek
            }
            guard before.window.end > next.window.start else { continue }
            let later = max(before.givenIndex, next.givenIndex)
            let day = Weekday.allCases[next.window.start / MinuteOfDay.perDay]
            throw fields.wrong(
                "windows[\(later)]",
                "windows \(min(before.givenIndex, next.givenIndex)) and \(later) overlap on \(day)",
                "Separate or merge them.")
        }
    }

    private func exceptions() throws(FileError) -> [Int32] {
        let values = try fields.list("except", countMax: FileLimits.scheduleExceptionsMax) ?? []
        var days: Set<Int32> = []
        for (index, value) in values.enumerated() {
            guard let text = value.string, text.utf8.count == 10,
                let day = Timestamp(text + "T00:00:00Z")
            else {
                throw fields.wrong(
                    "except[\(index)]", "this is not a date", "Use YYYY-MM-DD, such as 2026-12-25.")
            }
            days.insert(Int32(day.seconds / 86_400))
        }
        return days.sorted()
    }
}

/// Members of a schedule object, by name.
struct ScheduleFields {
    private let path: String
    private let members: [JSON.Member]

    init(_ json: JSON, at path: String, known: [String]) throws(FileError) {
        let names = known.joined(separator: ", ")
        self.path = path
        guard let members = json.object else {
            throw FileError(
                .value, "read a schedule", at: .path(path), "this is not a JSON object",
                hint: "Give an object with \(names).")
        }
        self.members = members
        for (index, member) in members.enumerated() {
            guard known.contains(member.key) else {
                throw wrong(
                    member.key, "unknown field", "Use one of \(names).")
            }
            guard !members[..<index].contains(where: { $0.key == member.key }) else {
                throw wrong(member.key, "this field occurs twice", "Remove one of them.")
            }
        }
    }

    func path(_ name: String) -> String { path + "." + name }

    func wrong(_ name: String, _ message: String, _ hint: String) -> FileError {
        FileError(.value, "read a schedule", at: .path(path(name)), message, hint: hint)
    }

    func missing(_ name: String, _ hint: String) -> FileError {
        FileError(
            .missing, "read a schedule", at: .path(path(name)), "this field is required", hint: hint
        )
    }

    private func value(_ name: String) -> JSON? {
        members.first { $0.key == name && !$0.value.isNull }?.value
    }

    func text(_ name: String) throws(FileError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else {
            throw wrong(name, "this is not a text", "Give a text.")
        }
        return text
    }

    func list(_ name: String, countMax: Int) throws(FileError) -> [JSON]? {
        guard let value = value(name) else { return nil }
        guard let list = value.array else {
            throw wrong(name, "this is not a list", "Give a list.")
        }
        guard list.count <= countMax else {
            throw wrong(name, "this list has more than \(countMax) elements", "Remove some.")
        }
        return list
    }

    /// Reads weekdays and drops duplicates.
    func days(_ name: String) throws(FileError) -> [Weekday]? {
        var days: [Weekday] = []
        guard let values = try list(name, countMax: 100) else { return nil }
        for (index, value) in values.enumerated() {
            guard let day = value.string.flatMap(Weekday.init) else {
                let names = Weekday.allCases.map(\.rawValue).joined(separator: ", ")
                throw wrong(
                    "\(name)[\(index)]", "this value is not allowed",
                    "Use one of \(names).")
            }
            if !days.contains(day) { days.append(day) }
        }
        return days
    }
}
