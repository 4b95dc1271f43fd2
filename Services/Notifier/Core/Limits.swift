import Model
import Timing

/// Limits of the notifier.
///
/// Waits for people come from the domain. The other limits protect memory and gateways.
public enum Limits {
    // People.

    /// Zone notifications older than this are not sent.
    public static let routineAgeMax = Duration.seconds(15 * 60)
    /// Longest time for which evaluators hold back a crossing seen in a single fix.
    public static let holdBackMax = Duration.seconds(2000)
    /// Time to answer a check-in request; evaluators use the same value.
    public static let checkInAnswerWait = Duration.seconds(5 * 60)
    /// An own alarm older than this is left to the next repetition.
    public static let ringAgeMax = Duration.seconds(2 * 60)
    /// Texts to one number outside all circles within ``numberWindow``, from all senders together.
    public static let textsPerNumberMax = 10
    public static let numberWindow = Duration.seconds(24 * 3600)
    /// Minimum interval between answers to texts from one number.
    public static let replyAnswerPause = Duration.seconds(60)
    /// How long a draft can be sent.
    public static let draftAgeMax = Duration.seconds(24 * 3600)
    /// Zones, and supplementary lines, in one text.
    public static let zonesPerTextMax = 5
    public static let linesPerTextMax = 5
    /// A smaller zone is not named to others while its person shares zones only.
    public static let namedZoneInradiusCentimetresMin: Int32 = 10_000
    /// Assumed for a fix without accuracy.
    static let unknownAccuracyCentimetres: Int32 = 5000
    /// Interval between repetitions after the last tier.
    public static let exhaustedRoundWait = Duration.seconds(5 * 60)
    /// How long an acknowledgement lasts before its responder is asked to confirm.
    public static let acknowledgementTimeout = Duration.seconds(15 * 60)
    /// Further calls of one kind within this time are notified once, at the first. Class safety has
    /// no cooldown, but thirty messages a second inform less than one.
    public static let repetitionWait = Duration.seconds(30)
    /// Emergencies that a person ended themselves within ``recallWindow`` without a delay for the
    /// next. Beyond that, messages wait ``recallWait`` times the excess, at most ``recallWaitMax``,
    /// since the last message about an earlier one.
    static let recallsFree = 3
    static let recallWindow = Duration.seconds(10 * 60)
    static let recallWait = Duration.seconds(30)
    static let recallWaitMax = Duration.seconds(120)
    /// Further calls by SMS that are always stored. More within ``repetitionWait`` after a
    /// notification are not.
    static let furtherCallsStoredMin = 2
    /// Ids of further calls kept per emergency, the newest; a button may be stuck for hours.
    static let joinedMax = 1000
    /// Time to answer the reminder of an acknowledgement.
    public static let reminderAnswerWait = Duration.seconds(2 * 60)
    /// How long an evaluator may take to open an emergency after its countdown. Also the time to
    /// read missed records when a signal is received late or the process starts.
    public static let fallbackWait = Duration.seconds(3)
    /// A signal that arrives later than this is notified with its age first.
    public static let lateSignalAge = Duration.seconds(5 * 60)
    /// An older signal is notified once to guardians and starts no escalation.
    public static let escalationSignalAgeMax = Duration.seconds(24 * 3600)
    /// An emergency that began and ended while the notifier was down, longer than this before its
    /// return, ends silently.
    public static let endNotificationAgeMax = Duration.seconds(3600)
    /// A due deadline that the timer does not report within this time expires here.
    public static let deadlineGrace = Duration.seconds(5)

    /// An open emergency older than this is listed in `/healthz`; the alert
    /// `JagaEmergencyUnacknowledged` uses the same time.
    public static let unacknowledgedAlarmAge = Duration.seconds(5 * 60)
    /// Messages in the operator's view of one emergency, the newest. An exhausted escalation adds
    /// some every five minutes.
    public static let escalationMessagesMax = 1000

    // Messages.

    /// Messages about an emergency expire after this.
    public static let safetyAgeMax = Duration.seconds(24 * 3600)
    /// A test message expires after this.
    public static let testAgeMax = Duration.seconds(120)
    /// Retries of a message about an emergency after attempts with unknown outcome.
    public static let unknownResendsMax = 3
    /// Characters of a person's, zone's or circle's name in a text.
    public static let nameCharactersMax = 40
    /// Characters of a note in a text.
    public static let noteCharactersMax = 140
    /// Characters of a gateway's answer that are kept.
    public static let answerCharactersMax = 200

    // Gateways.

    /// Back-off between attempts of a message about an emergency.
    public static let safetyBackoff = Backoff(first: .seconds(1), longest: .seconds(30))
    /// Back-off between attempts of all other messages.
    public static let routineBackoff = Backoff(first: .seconds(5), longest: .seconds(120))
    /// How long a gateway that is down is used by emergencies only.
    public static let gatewayBackoff = Backoff(first: .seconds(2), longest: .seconds(60))
    /// Longer waits are scheduled with the timer.
    public static let inMemoryWaitMax = Duration.seconds(60)
    /// Minimum back-off for a gateway that asks a message to wait.
    public static let gatewayBackoffMin = Duration.seconds(1)
    /// Longest wait that a gateway may request.
    public static let retryAfterMax = Duration.seconds(3600)
    /// Longest such wait for a message about an emergency that has no other gateway.
    public static let safetyRetryAfterMax = Duration.seconds(60)
    /// After this, an attempt without result has an unknown outcome. Longer than any driver's
    /// timeout.
    public static let attemptTimeout = Duration.seconds(120)
    /// In-flight attempts of a safety lane.
    public static let safetyInFlightMax = 32
    /// Consecutive first attempts of a lane while retries wait.
    static let freshInRowMax = 3
    /// In-flight attempts of any other lane.
    public static let routineInFlightMax = 8
    /// Routine messages in all queues together; more are suppressed with a reason.
    public static let routineQueuedMax = 50_000

    /// Consecutive failed deliveries after which an address counts as dead. A phone that is
    /// switched off fails once, too.
    public static let failuresUntilDead = 2
    /// A gateway that keeps failing is published again after this.
    public static let gatewayFailureRepeated = Duration.seconds(60)
    /// Contact points per reachability event.
    public static let contactStatesPerEvent = 500

    // Memory.

    /// How long an ended emergency stays in memory.
    public static let endedEmergencyKept = Duration.seconds(24 * 3600)
    /// How long an answered signal is remembered.
    public static let answeredSignalKept = Duration.seconds(30 * 24 * 3600)
    /// How long a settled message stays in memory: two events with one message may be a restart
    /// apart.
    public static let settledNotificationsKept = Duration.seconds(3600)
    /// Interval between sweeps of memory.
    public static let sweepInterval = Duration.seconds(60)

    // Requests and the store.

    /// Maximum, and default, entries of a page.
    public static let pageMax = 100
    /// Messages scanned for one page of a person's notifications.
    public static let notificationsScannedMax = 1000
    /// Characters of an incoming SMS.
    public static let replyCharactersMax = 500
    /// For gateways without message ids, equal texts within this time are one.
    public static let replyRepeatedWithin = Duration.seconds(600)
    /// Characters of the note of a command.
    public static let commandNoteCharactersMax = 500
    /// How long applied event ids are kept, for deduplication.
    public static let appliedKept = Duration.seconds(30 * 24 * 3600)
    /// How long messages are kept with their attempts and changes.
    public static let notificationsKept = Duration.seconds(30 * 24 * 3600)
    /// How long drafts, and sent or suppressed texts to numbers outside, are kept.
    public static let textsKept = Duration.seconds(30 * 24 * 3600)
    public static let timelineKept = Duration.seconds(365 * 24 * 3600)
    /// Messages in the built-in sink.
    public static let sinkRowsMax: Int64 = 10_000
    /// If the timer's clock is farther ahead than this, nothing is pruned.
    public static let clockSkewMax = Duration.seconds(24 * 3600)
    /// How long the erasure of a person is repeated.
    public static let erasureRepeatedFor = Duration.seconds(48 * 3600)
    /// Circles whose timelines are pruned in one step.
    public static let circlesPrunedAtATime = 64
    /// Interval between pruning steps, and rows of each table per step.
    public static let pruneInterval = Duration.seconds(60)
    public static let pruneRowsMax: Int64 = 500
    /// Interval between pruning steps while old rows are left.
    public static let pruneRepeatInterval = Duration.seconds(1)
}
