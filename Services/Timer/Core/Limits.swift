/// Limits of the timer.
public enum Limits {
    /// Deadlines that expire in one turn; the rest follow in the next, so that a turn stays short.
    public static let expiredPerTurnMax = 500
    /// More pending deadlines than this are a health problem; none is ever rejected.
    public static let deadlinesPendingMax = 2_000_000
    /// Maximum number of active watches; a further one is rejected until others end.
    public static let watchesActiveMax = 200_000
    /// Shortest time from now to a watch's deadline, seconds.
    public static let watchSecondsMin: Int64 = 5
    /// Longest time from now to a watch's deadline, seconds: a week.
    public static let watchSecondsMax: Int64 = 7 * 86_400
    /// Maximum number of people in the list of recipients of a watch.
    public static let recipientsMax = 50
    /// Longest note of a watch, in bytes of UTF-8.
    public static let noteBytesMax = 500
    /// Maximum number of check-in schedules of a person.
    public static let schedulesPerPersonMax = 20
    /// Maximum number of check-in schedules of all people.
    public static let schedulesMax = 1_000_000
    /// Maximum number of running timers of all people.
    public static let timersMax = 1_000_000
    /// Maximum number of weekly times of a check-in schedule, counted per day.
    public static let weeklyTimesMax = 200
    /// Maximum number of shifts of a check-in schedule, counted per day.
    public static let shiftsMax = 50
    /// Maximum number of exception dates of a check-in schedule.
    public static let exceptionsMax = 400
    /// Minutes between the check-ins of a shift.
    public static let everyMinutes = 10...720
    /// Minutes until an unanswered check-in is asked again.
    public static let answerMinutes = 1...60
    public static let answerMinutesUsual = 5
    /// Longest name of a check-in schedule, characters.
    public static let nameCharactersMax = 60
    /// Length of a timer, seconds: up to a week.
    public static let timerSeconds: ClosedRange<Int64> = 1...7 * 86_400
    /// Longest text of a timer, characters.
    public static let timerTextCharactersMax = 200
    /// By how much clocks of services may differ, seconds.
    public static let clockSkewSeconds: Int64 = 5
    /// How long a check-in is kept after its end, seconds.
    public static let checkInKeptSeconds: Int64 = 30 * 86_400
    /// How long a settled or ended emergency is remembered, seconds, so that late events about it
    /// start nothing.
    public static let deliveryWatchdogKeptSeconds: Int64 = 7 * 86_400
    /// How long an expired deadline is remembered, seconds; scheduled again, it does not expire
    /// again.
    public static let expiredDeadlineKeptSeconds: Int64 = 30 * 86_400
    /// How long a watch can be read after its end, seconds.
    public static let watchKeptSeconds: Int64 = 30 * 86_400
    /// Accepted messages that a watchdog remembers.
    public static let deliveryWatchdogMessagesMax = 64
    /// First and longest wait before the operator's alarm is called again, seconds.
    public static let alarmCallSecondsFirst: Int64 = 5
    public static let alarmCallSecondsLongest: Int64 = 300
    /// An alarm that the store cannot save is called and logged at most once in this time, seconds.
    public static let owedAlarmSeconds: Int64 = 60
    /// Timeout of a call to the alarm URL, milliseconds.
    public static let alarmCallMillisecondsMax = 10_000
    /// How far back a snapshot of `deadlines` reaches, seconds.
    public static let snapshotSeconds: Int64 = 2 * 86_400
    /// Maximum number of expired deadlines in a snapshot, the latest ones.
    public static let snapshotDeadlinesMax = 100_000
    /// Maximum and default number of rows in a list.
    public static let listMax = 200
    public static let listUsual = 50
    /// Expired rows removed in one turn.
    public static let removedPerTurnMax = 500
    /// Time between removals of expired rows, seconds.
    public static let removalSeconds: Int64 = 60
}
