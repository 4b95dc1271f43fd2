/// Everything in the timer that has an end.
public enum Limits {
    /// Clocks fired in one turn; the rest follow in the next, so that a turn stays short.
    public static let firedPerTurnMax = 500
    /// More pending clocks than this are an operator's trouble; none is ever refused.
    public static let clocksPendingMax = 2_000_000
    /// Active watches in all; a further one is refused until others end.
    public static let watchesActiveMax = 200_000
    /// Shortest time from now to a watch's deadline, seconds.
    public static let watchSecondsMin: Int64 = 5
    /// Longest time from now to a watch's deadline, seconds: a week.
    public static let watchSecondsMax: Int64 = 7 * 86_400
    /// Longest note of a watch, in bytes of UTF-8.
    public static let noteBytesMax = 500
    /// How long it is remembered that an emergency was told or ended, seconds: later news about it
    /// begin nothing anew.
    public static let vigilKeptSeconds: Int64 = 7 * 86_400
    /// How long it is remembered that a clock fired, seconds; asked again, it does not fire again.
    public static let firedClockKeptSeconds: Int64 = 30 * 86_400
    /// How long a watch that is over can be read, seconds.
    public static let watchKeptSeconds: Int64 = 30 * 86_400
    /// Messages that a vigil remembers as accepted.
    public static let vigilMessagesMax = 64
    /// First and longest wait before the operator's alarm is called again, seconds.
    public static let alarmCallSecondsFirst: Int64 = 5
    public static let alarmCallSecondsLongest: Int64 = 300
    /// An alarm that the store cannot keep is called and logged at most this often, seconds.
    public static let owedAlarmSeconds: Int64 = 60
    /// The alarm's address must answer within this, milliseconds.
    public static let alarmCallMillisecondsMax = 10_000
    /// A snapshot of `fired` reaches back so far, seconds …
    public static let snapshotSeconds: Int64 = 2 * 86_400
    /// … and holds at most so many clocks that fired, the latest.
    public static let snapshotClocksMax = 100_000
    /// Rows in a list, and where the request does not say.
    public static let listMax = 200
    public static let listUsual = 50
    /// Rows of old things removed in one turn.
    public static let removedPerTurnMax = 500
    /// Old things are looked for this often, seconds.
    public static let removalSeconds: Int64 = 60
}
