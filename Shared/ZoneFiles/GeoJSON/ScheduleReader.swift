import Model
import Parsing

/// Reads when a zone counts: `{"timeZone": "Asia/Kuala_Lumpur", "windows": [{"days": ["mon"],
/// "from": "08:00", "to": "15:00"}], "except": ["2026-12-25"]}`.
struct ScheduleReader {
    private let fields: ScheduleFields

    static let minutesOfWeek = 7 * MinuteOfDay.perDay

    init(_ json: JSON, at path: String) throws(FileError) {
        fields = try ScheduleFields(json, at: path, known: ["timeZone", "windows", "except"])
    }

    func timeZone() throws(FileError) -> String? { try fields.text("timeZone") }

    func read() throws(FileError) -> ZoneSchedule {
        var marked: [MarkedWindow] = []
        let windows = try fields.list("windows", countMax: FileLimits.scheduleWindowsMax)
        guard let windows, !windows.isEmpty else {
            throw fields.wrong(
                "windows", "a schedule without windows never counts",
                #"give windows, or "active": false"#)
        }
        for (index, window) in windows.enumerated() { marked += try self.window(window, index) }
        guard marked.count <= FileLimits.scheduleWindowsMax else {
            throw fields.wrong(
                "windows",
                "these are \(marked.count) windows, counted for each day; "
                    + "at most \(FileLimits.scheduleWindowsMax) are allowed",
                "leave some out")
        }
        marked.sort { ($0.window.start, $0.window.end) < ($1.window.start, $1.window.end) }
        try refuseOverlaps(marked)
        return ZoneSchedule(windows: marked.map(\.window), exceptions: try exceptions())
    }

    /// A window of a day, and which of the given ones it is of.
    private struct MarkedWindow {
        var window: ZoneWindow
        var given: Int
    }

    private func window(_ json: JSON, _ index: Int) throws(FileError) -> [MarkedWindow] {
        let window = try ScheduleFields(
            json, at: "\(fields.path("windows"))[\(index)]", known: ["days", "from", "to"])
        guard let days = try window.days("days"), !days.isEmpty else {
            throw window.missing("days", "such as [\"mon\", \"tue\"]")
        }
        let from = try minute(window, "from", endAllowed: false)
        let to = try minute(window, "to", endAllowed: true)
        guard from != to else {
            throw window.wrong(
                "to", "this window has no length", "for a whole day use from 00:00 to 24:00")
        }
        return days.map { day in
            let start = day.index * MinuteOfDay.perDay + from
            let length = to > from ? to - from : to - from + MinuteOfDay.perDay
            return MarkedWindow(
                window: ZoneWindow(start: start, end: start + length), given: index)
        }
    }

    private func minute(
        _ window: ScheduleFields, _ name: String, endAllowed: Bool
    ) throws(FileError) -> Int {
        guard let text = try window.text(name) else { throw window.missing(name, "such as 08:00") }
        guard let minute = MinuteOfDay.read(text, endAllowed: endAllowed) else {
            throw window.wrong(
                name, "this is not a time of day", "use HH:MM, such as 08:00 or 15:30")
        }
        return minute
    }

    /// The last window of a week may reach into the first one of the next.
    private func refuseOverlaps(_ windows: [MarkedWindow]) throws(FileError) {
        for (index, next) in windows.enumerated() {
            var before = windows[index == 0 ? windows.count - 1 : index - 1]
            if index == 0 {
                before.window.start -= ScheduleReader.minutesOfWeek
                before.window.end -= ScheduleReader.minutesOfWeek
            }
            guard before.window.end > next.window.start else { continue }
            let later = max(before.given, next.given)
            let day = Weekday.allCases[next.window.start / MinuteOfDay.perDay]
            throw fields.wrong(
                "windows[\(later)]",
                "windows \(min(before.given, next.given)) and \(later) overlap on \(day)",
                "end one before the other begins, or make one of both")
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
                    "except[\(index)]", "this is not a date", "such as 2026-12-25")
            }
            days.insert(Int32(day.seconds / 86_400))
        }
        return days.sorted()
    }
}

/// The members of an object of a schedule, by name.
struct ScheduleFields {
    private let path: String
    private let members: [JSON.Member]

    init(_ json: JSON, at path: String, known: [String]) throws(FileError) {
        let names = known.joined(separator: ", ")
        self.path = path
        guard let members = json.object else {
            throw FileError(
                .value, "read a schedule", at: .path(path), "this is not a JSON object",
                hint: "give an object with \(names)")
        }
        self.members = members
        for (index, member) in members.enumerated() {
            guard known.contains(member.key) else {
                throw wrong(
                    member.key, "there is no field of this name", "the fields are \(names)")
            }
            guard !members[..<index].contains(where: { $0.key == member.key }) else {
                throw wrong(member.key, "this field is there twice", "leave one out")
            }
        }
    }

    func path(_ name: String) -> String { path + "." + name }

    func wrong(_ name: String, _ message: String, _ hint: String) -> FileError {
        FileError(.value, "read a schedule", at: .path(path(name)), message, hint: hint)
    }

    func missing(_ name: String, _ hint: String) -> FileError {
        FileError(
            .missing, "read a schedule", at: .path(path(name)), "this field is needed", hint: hint)
    }

    private func value(_ name: String) -> JSON? {
        members.first { $0.key == name && !$0.value.isNull }?.value
    }

    func text(_ name: String) throws(FileError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw wrong(name, "this is not a text", "give one") }
        return text
    }

    func list(_ name: String, countMax: Int) throws(FileError) -> [JSON]? {
        guard let value = value(name) else { return nil }
        guard let list = value.array else { throw wrong(name, "this is not a list", "give one") }
        guard list.count <= countMax else {
            throw wrong(name, "this list has more than \(countMax) elements", "leave some out")
        }
        return list
    }

    /// Each once.
    func days(_ name: String) throws(FileError) -> [Weekday]? {
        var days: [Weekday] = []
        guard let values = try list(name, countMax: 100) else { return nil }
        for (index, value) in values.enumerated() {
            guard let day = value.string.flatMap(Weekday.init) else {
                let names = Weekday.allCases.map(\.rawValue).joined(separator: ", ")
                throw wrong(
                    "\(name)[\(index)]", "this is none of the words that are allowed here",
                    "use one of \(names)")
            }
            if !days.contains(day) { days.append(day) }
        }
        return days
    }
}
