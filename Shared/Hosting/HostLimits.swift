import Web

/// Limits of the loop that all services share.
enum HostLimits {
    /// Records of streams applied in one transaction: about 10 ms of work.
    static let recordsPerTurn = 1024
    /// Turns with one input a transaction after one was taken back.
    static let carefulTurns = 64
    /// Longest sleep of the loop.
    static let sleepMillisecondsMax = 250
    /// Sleep after a turn was taken back: a full disk does not mend faster by asking.
    static let troubledSleepMilliseconds = 100

    /// A turn that takes longer never ends: the process does, and is started again.
    static let turn = Duration.seconds(60)

    /// How long a service may take to leave.
    static let leaving = Duration.seconds(3)
    /// How long the word that it left has to get out.
    static let farewell = Duration.milliseconds(50)
    /// Sleep meanwhile.
    static let leavingSleepMilliseconds = 10
    /// What was logged last waits so long for whoever takes it.
    static let lastWords = Duration.milliseconds(200)

    /// A failure that lasts is logged again after this.
    static let failureLogInterval = Duration.seconds(10)

    /// Records of streams stay so long at least, where nothing else is set …
    static let recordsKept = Duration.seconds(24 * 3600)
    /// … and inputs of evaluators, after the older of two checkpoints.
    static let inputsKept = Duration.seconds(15 * 60)

    /// What happened longer ago is in logs at the level for that alone.
    static let milestoneAge = Duration.seconds(300)

    /// Proposals of evaluators that cannot be read are put aside while fewer records are there.
    static let rejectedProposalsKept = 100
    /// Records put aside, and divergences, that one page shows: the oldest, and the newest.
    static let poisonShown = 100
    static let divergencesShown = 20

    /// Readers of events over HTTP at one time …
    static let tailsMax = 8
    /// … of which so many are left to the operator, however many have the monitoring token, …
    static let tailsOfOperator = 2
    /// … records that one of them is given between two turns, in bytes, …
    static let tailPortionBytes = 64 << 10
    /// … what may wait for its connection before it is given more, …
    static let tailUnsentBytes = 256 << 10
    /// … and how long it is told nothing: shorter than proxies wait, which take it for gone then.
    static let tailSign = Duration.seconds(15)
    /// An event's time may be so much later than the time at which it came into its stream.
    static let tailSkew = Duration.seconds(60)

    /// So often a new store is looked at for something that is held.
    static let holdLookInterval = Duration.seconds(1)
    /// What became due in an outage is held so long, where nothing else is set.
    static let hold = Duration.seconds(600)

    /// For how long after its start a service says that the run before was killed.
    static let killedShown = Duration.seconds(3600)

    /// So many bytes of a body count as one request more.
    static let bytesPerCall = 64 << 10

    /// A service that answers no sooner than that is not well.
    static let healthMillisecondsMax = 5000

    /// What waits when a turn cannot be committed hears this.
    static let unavailable = Problem(
        status: 503, title: "Not now", detail: "the request could not be stored",
        hint: "send it again; nothing of it was kept", retryAfterSeconds: 1)

    /// What fails each time hears this.
    static let indigestible = Problem(
        status: 500, title: "A fault of this program",
        detail: "the request failed each time it was tried; nothing of it was kept",
        hint: "the log of the service says why; tell the operator")
}
