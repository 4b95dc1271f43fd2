import Model
import Parsing

extension ZoneTimes {
    /// Writes a schedule. Days with the same hours become one window.
    public static func json(of schedule: ZoneSchedule, timeZone: String) -> JSON {
        var groups: [(from: Int, length: Int, days: [Weekday])] = []
        for window in schedule.windows {
            let (day, from) = window.start.quotientAndRemainder(
                dividingBy: MinuteOfDay.perDay)
            let length = window.end - window.start
            if let index = groups.firstIndex(where: { $0.from == from && $0.length == length }) {
                groups[index].days.append(Weekday.allCases[day])
            } else {
                groups.append((from, length, [Weekday.allCases[day]]))
            }
        }
        let windows = groups.map { group -> JSON in
            let end = group.from + group.length
            let to = end > MinuteOfDay.perDay ? end - MinuteOfDay.perDay : end
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
