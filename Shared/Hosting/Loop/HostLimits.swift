import Web

/// Limits of the loop that all services share.
enum HostLimits {
    /// Maximum number of records applied in one transaction: about 10 ms of work.
    static let recordsPerTurn = 1024
    /// After a rollback, the number of turns in which every input gets its own transaction.
    static let isolatedTurns = 64
    /// Maximum time that the loop waits for input.
    static let sleepMillisecondsMax = 250
    /// Pause after a rollback, since errors such as a full disk persist.
    static let failureSleepMilliseconds = 100

    /// A turn that takes longer is considered hung; the watchdog ends the process.
    static let turn = Duration.seconds(60)

    /// How long a service may drain before the process exits.
    static let drainTimeout = Duration.seconds(3)
    /// How long the bus may send its last messages.
    static let flushTime = Duration.milliseconds(50)
    /// Maximum wait of the loop during the drain.
    static let drainSleepMilliseconds = 10
    /// How long the process waits at its end for log lines to be written.
    static let logFlushTimeout = Duration.milliseconds(200)

    /// A failure that persists is logged again after this time.
    static let failureLogInterval = Duration.seconds(10)

    /// Minimum age of stream records before they are pruned, unless set otherwise …
    static let recordsKept = Duration.seconds(24 * 3600)
    /// … and of evaluators' inputs, after the older of two checkpoints.
    static let inputsKept = Duration.seconds(15 * 60)

    /// Milestones of older events are logged at level debug.
    static let milestoneAge = Duration.seconds(300)

    /// Rejected proposals are dead-lettered only while there are fewer dead letters.
    static let rejectedProposalsKept = 100
    /// Maximum number of dead letters (the oldest) and divergences (the newest) in one response.
    static let deadLetterShown = 100
    static let divergencesShown = 20

    /// Maximum number of readers that follow events over HTTP …
    static let tailsMax = 8
    /// … of which these are reserved for the operator, …
    static let tailsReservedForOperator = 2
    /// … bytes of records sent to a reader between two turns, …
    static let tailPortionBytes = 64 << 10
    /// … unsent bytes above which a reader gets no more, …
    static let tailUnsentBytes = 256 << 10
    /// … and the interval of keep-alives, shorter than the idle timeout of common proxies.
    static let tailKeepAlive = Duration.seconds(15)
    /// How much later an event's time may be than the time at which it was appended.
    static let tailSkew = Duration.seconds(60)

    /// How often a new store is checked for held items.
    static let holdCheckInterval = Duration.seconds(1)
    /// How long items that became due in an outage are held, unless set otherwise.
    static let hold = Duration.seconds(600)

    /// How long after its start a service reports that the previous run did not shut down.
    static let crashNoticeAge = Duration.seconds(3600)

    /// Each of these bytes in a body counts as one more request for the rate limits.
    static let bytesPerRequest = 64 << 10

    /// How long uses of credentials wait to be passed on together, and how many are passed on at
    /// once.
    static let usageInterval = Duration.seconds(60)
    static let usageBatchMax = 2000

    /// Timeout of the health check.
    static let healthMillisecondsMax = 5000

    /// The response to requests whose turn could not be committed.
    static let unavailable = Problem(
        status: 503, title: "Temporarily unavailable",
        detail: "the request could not be stored and had no effect",
        hint: "send the request again", retryAfterSeconds: 1)

    /// The response to requests that fail on every attempt.
    static let internalError = Problem(
        status: 500, title: "Internal error",
        detail: "the request failed on every attempt and had no effect",
        hint: "ask the operator to check the log of the service")
}
