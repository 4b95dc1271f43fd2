import MembershipCore
import Model
import Parsing
import Web

/// Days as the API writes them, Monday first.
enum Weekday: String, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun

    /// 0 = Monday.
    var index: Int { Weekday.allCases.firstIndex(of: self) ?? 0 }
}

/// `HH:MM` as minutes since midnight.
enum MinuteOfDay {
    /// Nil for what is none; `24:00` is the end of a day.
    static func read(_ text: String, endAllowed: Bool = false) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
            [0, 1, 3, 4].allSatisfy({ (48...57).contains(bytes[$0]) })
        else { return nil }
        let hours = Int(bytes[0] - 48) * 10 + Int(bytes[1] - 48)
        let minutes = Int(bytes[3] - 48) * 10 + Int(bytes[4] - 48)
        let total = hours * 60 + minutes
        return minutes < 60 && total < (endAllowed ? 1441 : 1440) ? total : nil
    }

    static func text(_ minute: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return two(minute / 60) + ":" + two(minute % 60)
    }
}

/// Reads when a zone counts: `{"timeZone": "Asia/Kuala_Lumpur", "windows": [{"days": ["mon"],
/// "from": "08:00", "to": "15:00"}], "except": ["2026-12-25"]}`.
struct ScheduleBody {
    private let fields: Fields

    static let minutesOfDay = 1440
    static let minutesOfWeek = 7 * minutesOfDay

    init(_ json: JSON, at path: String) throws(Problem) {
        fields = try Fields(json, at: path, known: ["timeZone", "windows", "except"])
    }

    /// Field and name of its time zone, where one is given.
    func timeZone() throws(Problem) -> String? { try fields.text("timeZone") }

    func read() throws(Problem) -> ZoneSchedule {
        var marked: [MarkedWindow] = []
        let windows = try fields.array("windows", countMax: Limits.scheduleWindowsMax)
        guard let windows, !windows.isEmpty else {
            throw fields.wrong(
                "windows", "a schedule without windows never counts",
                #"give windows, or "active": false"#)
        }
        for (index, window) in windows.enumerated() { marked += try self.window(window, index) }
        guard marked.count <= Limits.scheduleWindowsMax else {
            throw fields.wrong(
                "windows",
                "these are \(marked.count) windows, counted for each day; "
                    + "at most \(Limits.scheduleWindowsMax) are allowed")
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

    private func window(_ json: JSON, _ index: Int) throws(Problem) -> [MarkedWindow] {
        let window = try Fields(
            json, at: "\(fields.path("windows"))[\(index)]", known: ["days", "from", "to"])
        guard let days = try window.choices("days", Weekday.self), !days.isEmpty else {
            throw window.missing("days", "such as [\"mon\", \"tue\"]")
        }
        let from = try minute(window, "from", endAllowed: false)
        let to = try minute(window, "to", endAllowed: true)
        guard from != to else {
            throw window.wrong(
                "to", "this window has no length", "for a whole day use from 00:00 to 24:00")
        }
        return days.map { day in
            let start = day.index * ScheduleBody.minutesOfDay + from
            let length = to > from ? to - from : to - from + ScheduleBody.minutesOfDay
            return MarkedWindow(
                window: ZoneWindow(start: start, end: start + length), given: index)
        }
    }

    private func minute(
        _ window: Fields, _ name: String, endAllowed: Bool
    ) throws(Problem) -> Int {
        guard let text = try window.text(name) else { throw window.missing(name, "such as 08:00") }
        guard let minute = MinuteOfDay.read(text, endAllowed: endAllowed) else {
            throw window.wrong(
                name, "this is not a time of day", "use HH:MM, such as 08:00 or 15:30")
        }
        return minute
    }

    /// The last window of a week may reach into the first one of the next.
    private func refuseOverlaps(_ windows: [MarkedWindow]) throws(Problem) {
        for (index, next) in windows.enumerated() {
            var before = windows[index == 0 ? windows.count - 1 : index - 1]
            if index == 0 {
                before.window.start -= ScheduleBody.minutesOfWeek
                before.window.end -= ScheduleBody.minutesOfWeek
            }
            guard before.window.end > next.window.start else { continue }
            let later = max(before.given, next.given)
            let day = Weekday.allCases[next.window.start / ScheduleBody.minutesOfDay]
            throw .invalid(
                "windows \(min(before.given, next.given)) and \(later) overlap on \(day)",
                field: "\(fields.path("windows"))[\(later)]",
                hint: "end one before the other begins, or make one of both")
        }
    }

    private func exceptions() throws(Problem) -> [Int32] {
        let values = try fields.array("except", countMax: Limits.scheduleExceptionsMax) ?? []
        var days: Set<Int32> = []
        for (index, value) in values.enumerated() {
            guard let text = value.string, text.utf8.count == 10,
                let day = Timestamp(text + "T00:00:00Z")
            else {
                throw .invalid(
                    "this is not a date", field: "\(fields.path("except"))[\(index)]",
                    hint: "such as 2026-12-25")
            }
            days.insert(Int32(day.seconds / 86_400))
        }
        return days.sorted()
    }
}

extension View {
    /// A schedule as ``ScheduleBody`` reads it: days with the same hours stand together.
    static func schedule(_ schedule: ZoneSchedule, timeZone: String) -> JSON {
        var groups: [(from: Int, length: Int, days: [Weekday])] = []
        for window in schedule.windows {
            let (day, from) = window.start.quotientAndRemainder(
                dividingBy: ScheduleBody.minutesOfDay)
            let length = window.end - window.start
            if let index = groups.firstIndex(where: { $0.from == from && $0.length == length }) {
                groups[index].days.append(Weekday.allCases[day])
            } else {
                groups.append((from, length, [Weekday.allCases[day]]))
            }
        }
        let windows = groups.map { group -> JSON in
            let end = group.from + group.length
            let to = end > ScheduleBody.minutesOfDay ? end - ScheduleBody.minutesOfDay : end
            return [
                "days": .array(group.days.map { .string($0.rawValue) }),
                "from": .string(MinuteOfDay.text(group.from)), "to": .string(MinuteOfDay.text(to)),
            ]
        }
        let except = schedule.exceptions.map { day in
            JSON.string(String(Timestamp(seconds: Int64(day) * 86_400).description.prefix(10)))
        }
        return [
            "timeZone": .string(timeZone), "windows": .array(windows), "except": .array(except),
        ]
    }
}
