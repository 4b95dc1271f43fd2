import Model
import Timing

/// When a person is asked to check in.
///
/// Times are those of the wall clock in the person's time zone.
public struct CheckInSchedule: Hashable, Sendable, Codable {
    /// A week of due times.
    public enum Rule: Hashable, Sendable, Codable {
        /// At these minutes since Monday 00:00, ascending.
        case times([Int])
        /// Every so many minutes after the start of each shift, until its end. Windows are
        /// ascending by start, without overlaps.
        case shifts([ZoneWindow], everyMinutes: Int)
    }

    public var id: CheckInScheduleID
    public var person: PersonID
    /// Empty = none.
    public var name: String
    public var rule: Rule
    /// Days without check-in, as days since 1970-01-01, ascending. A shift belongs to the day on
    /// which it starts.
    public var exceptions: [Int32]
    /// The only people to notify if a check-in is not answered, ids ascending; nil = everyone.
    public var recipients: [PersonID]?
    /// Minutes until an unanswered check-in is asked again.
    public var answerMinutes: Int
    /// Whether it asks.
    public var isActive: Bool
    public var created: Timestamp
    public var version: Int64

    public init(
        id: CheckInScheduleID, person: PersonID, name: String = "", rule: Rule,
        exceptions: [Int32] = [], recipients: [PersonID]? = nil,
        answerMinutes: Int = Limits.answerMinutesUsual, isActive: Bool = true,
        created: Timestamp, version: Int64 = 1
    ) {
        self.id = id
        self.person = person
        self.name = name
        self.rule = rule
        self.exceptions = exceptions
        self.recipients = recipients
        self.answerMinutes = answerMinutes
        self.isActive = isActive
        self.created = created
        self.version = version
    }

    /// The first due time after a time; nil = there is none.
    func next(after time: Timestamp, in rules: TimeZoneRules) -> Timestamp? {
        let clock = WallClock(rules)
        // Shifts of the day before may still run. Each exception excludes a day, and so at most
        // one time of a weekly rule.
        let first = clock.day(of: time) - 1
        let last = first + 7 * Int64(exceptions.count + 2)
        for day in first...last where !isException(day) {
            let found = dueTimes(on: day, in: clock).first { $0 > time }
            if let found { return found }
        }
        return nil
    }

    private func isException(_ day: Int64) -> Bool {
        var (low, high) = (0, exceptions.count)
        while low < high {
            let middle = (low + high) / 2
            if Int64(exceptions[middle]) < day { low = middle + 1 } else { high = middle }
        }
        return low < exceptions.count && Int64(exceptions[low]) == day
    }

    /// The due times of a day, ascending.
    private func dueTimes(on day: Int64, in clock: WallClock) -> [Timestamp] {
        // 1970-01-01 was a Thursday.
        let monday = day - (((day + 3) % 7) + 7) % 7
        let minutes = Int(day - monday) * 1440..<Int(day - monday + 1) * 1440
        switch rule {
        case .times(let times):
            return times.filter(minutes.contains).map { clock.instant(day: monday, minute: $0) }
        case .shifts(let windows, let everyMinutes):
            return windows.filter { minutes.contains($0.start) }.flatMap { window in
                let start = clock.instant(day: monday, minute: window.start)
                let end = clock.instant(day: monday, minute: window.end)
                let step = Int64(max(1, everyMinutes)) * 60
                return stride(from: start.seconds + step, through: end.seconds, by: Int(step))
                    .map { Timestamp(seconds: Int64($0)) }
            }
        }
    }
}

/// A schedule with its next due time and the check-in that is open.
public struct ScheduledCheckIn: Hashable, Sendable, Codable {
    public var schedule: CheckInSchedule
    /// IANA name of the zone in which ``next`` was computed.
    public var timeZone: String
    /// When the person is asked next; nil = never.
    public var next: Timestamp?
    /// The check-in that awaits an answer; nil = none.
    public var open: CheckIn?
    /// When it was asked.
    public var asked: Timestamp?

    init(_ schedule: CheckInSchedule, timeZone: String, next: Timestamp?) {
        self.schedule = schedule
        self.timeZone = timeZone
        self.next = next
    }

    /// When the person is reminded of the open check-in.
    var reminder: Timestamp? {
        asked.map { $0 + .seconds(Int64(schedule.answerMinutes) * 60) }
    }

    /// When the next action is due; nil = never.
    var due: Timestamp? {
        guard let open else { return schedule.isActive ? next : nil }
        return open.state == .asked ? min(reminder ?? open.expires, open.expires) : open.expires
    }
}
