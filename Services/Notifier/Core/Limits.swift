import Model
import Timing

/// Every number of the notifier that bounds something, in one place.
///
/// Waits of people come from the domain; the rest keeps memory and gateways from being flooded.
public enum Limits {
    // People.

    /// Zone news older than this tells nobody anything.
    public static let newsAgeMax = Duration.seconds(15 * 60)
    /// No evaluator holds back for longer what one fix has told.
    public static let holdBackMax = Duration.seconds(2000)
    /// Who is asked whether they are all right has so long to answer, as evaluators count it.
    public static let silenceAnswerWait = Duration.seconds(5 * 60)
    /// A ring of one's own phone that is older than this is left to the next.
    public static let ringAgeMax = Duration.seconds(2 * 60)
    /// Texts to one number outside of the circle within ``numberWindow``, whoever sends them.
    public static let textsPerNumberMax = 10
    public static let numberWindow = Duration.seconds(24 * 3600)
    /// A number's texts are answered at most this often.
    public static let replyAnswerPause = Duration.seconds(60)
    /// How long a proposed text may be sent.
    public static let proposalAgeMax = Duration.seconds(24 * 3600)
    /// Zones and supplementary lines that one text names at most.
    public static let zonesPerTextMax = 5
    public static let linesPerTextMax = 5
    /// A zone smaller than this is not named to others while its person shares zones only.
    public static let namedZoneInradiusCentimetresMin: Int32 = 10_000
    /// Of a fix whose phone did not say how accurate it is.
    static let unknownAccuracyCentimetres: Int32 = 5000
    /// A further wait after the last tier, again and again.
    public static let exhaustedRoundWait = Duration.seconds(5 * 60)
    /// An acknowledgement counts for this long before whoever gave it is asked.
    public static let acknowledgementHold = Duration.seconds(15 * 60)
    /// Further calls of one kind within this time are told as one, the first at once: class safety
    /// knows no cooldown, but thirty messages a second tell less than one.
    public static let repetitionWait = Duration.seconds(30)
    /// So many emergencies of a person that they ended themselves within ``recallWindow`` delay the
    /// messages about no further one. After that these wait for ``recallWait`` times the number
    /// of those beyond, ``recallWaitMax`` at most, since the last message about one before.
    static let recallsFree = 3
    static let recallWindow = Duration.seconds(10 * 60)
    static let recallWait = Duration.seconds(30)
    static let recallWaitMax = Duration.seconds(120)
    /// So many further calls by SMS are always stored; more within ``repetitionWait`` after
    /// everyone was notified of one are not.
    static let callsAlwaysStored = 2
    /// Further calls that an emergency knows by name, the newest: a button may stick for hours.
    static let joinedMax = 1000
    /// How long the one who was asked may take to answer.
    public static let holderAnswerWait = Duration.seconds(2 * 60)
    /// After the end of a countdown, how long an evaluator may take to open the emergency; also
    /// for what was missed to be read, where the signal is heard late or the process begins.
    public static let fallbackWait = Duration.seconds(3)
    /// A signal this much older than its arrival is told with its age first.
    public static let lateSignalAge = Duration.seconds(5 * 60)
    /// A signal older than this is told once to guardians and climbs no ladder.
    public static let ladderSignalAgeMax = Duration.seconds(24 * 3600)
    /// An emergency that began and ended while the notifier was away, longer than this before it
    /// was back, is over without a word.
    public static let endTold = Duration.seconds(3600)
    /// A due clock that the timer has not reported by then is taken as fired.
    public static let clockGrace = Duration.seconds(5)

    /// An emergency that nobody has acknowledged for this long is named by `/healthz`; the alert
    /// `JagaEmergencyUnacknowledged` waits as long.
    public static let unacknowledgedAlarm = Duration.seconds(5 * 60)
    /// Messages that the operator's view of one emergency shows, the newest: an exhausted
    /// escalation sends some to everybody every five minutes.
    public static let escalationMessagesMax = 1000

    // Messages.

    /// After this a message about an emergency is no longer worth sending.
    public static let safetyAgeMax = Duration.seconds(24 * 3600)
    /// A test message that did not leave by then is given up.
    public static let testAgeMax = Duration.seconds(120)
    /// How often a message about an emergency is sent again without knowing whether it left.
    public static let unknownResendsMax = 3
    /// Characters of a person's, zone's or circle's name that a text shows.
    public static let nameCharactersMax = 40
    /// Characters of a note that a text shows.
    public static let noteCharactersMax = 140
    /// Characters of a gateway's answer that are kept.
    public static let answerCharactersMax = 200

    // Gateways.

    /// First and longest wait before a message about an emergency is tried again.
    public static let safetyBackoff = Backoff(first: .seconds(1), longest: .seconds(30))
    /// The same for all other messages.
    public static let newsBackoff = Backoff(first: .seconds(5), longest: .seconds(120))
    /// How long a gateway that is down is left alone by everything but emergencies.
    public static let gatewayBackoff = Backoff(first: .seconds(2), longest: .seconds(60))
    /// Waits up to this are kept by the notifier itself; longer ones are the timer's.
    public static let ownWaitMax = Duration.seconds(60)
    /// A gateway that asks a message to wait is left alone by it for so long at least.
    public static let restMin = Duration.seconds(1)
    /// The longest wait a gateway may ask for.
    public static let retryAfterMax = Duration.seconds(3600)
    /// The same where a message about an emergency has no other gateway.
    public static let safetyRetryAfterMax = Duration.seconds(60)
    /// An attempt whose end nobody heard of by then is in doubt; longer than any driver waits.
    public static let flightMax = Duration.seconds(120)
    /// Attempts at once in a lane of safety, for each channel.
    public static let safetyInFlightMax = 32
    /// First attempts in a row of a lane while further ones wait.
    static let freshInRowMax = 3
    /// Attempts at once in a lane of everything else, for each channel.
    public static let newsInFlightMax = 8
    /// Zone news waiting in all lanes; more is refused with its reason.
    public static let newsQueuedMax = 50_000

    /// Messages to one address that failed by receipt, one after the other, before it counts as
    /// dead: a phone that is switched off fails once, too.
    public static let failuresUntilDead = 2
    /// A gateway that goes on failing is published again after this.
    public static let gatewayFailureRepeated = Duration.seconds(60)
    /// Contact points in one event about their reachability.
    public static let contactStatesPerEvent = 500

    // Memory.

    /// How long an ended emergency is still known without a look into the store.
    public static let endedEmergencyKept = Duration.seconds(24 * 3600)
    /// How long a signal that was answered is remembered.
    public static let answeredSignalKept = Duration.seconds(30 * 24 * 3600)
    /// How long a message that waits for its receipt only stays in memory: two events that are told
    /// by one message may be turns, and a restart, apart.
    public static let settledNotificationKept = Duration.seconds(3600)
    /// Memory is looked through this often.
    public static let sweepInterval = Duration.seconds(60)

    // Requests and the store.

    /// Entries of a list, unless fewer are asked for.
    public static let pageMax = 100
    /// Messages looked through for one page of what was told of a person.
    public static let toldLookedThrough = 1000
    /// Characters of a text that came in.
    public static let replyCharactersMax = 500
    /// Where a gateway gives texts no id, the same words within this are one.
    public static let replyRepeatedWithin = Duration.seconds(600)
    /// Characters of a note with an acknowledgement.
    public static let commandNoteCharactersMax = 500
    /// Events that were applied are recognised for so long.
    public static let appliedKept = Duration.seconds(30 * 24 * 3600)
    /// Messages with their attempts and changes.
    public static let notificationsKept = Duration.seconds(30 * 24 * 3600)
    /// Proposed, sent and withheld texts to numbers outside.
    public static let textsKept = Duration.seconds(30 * 24 * 3600)
    public static let timelineKept = Duration.seconds(365 * 24 * 3600)
    /// Messages in the built-in sink.
    public static let sinkRowsMax: Int64 = 10_000
    /// Where the timer's clock is farther ahead than this, nothing is thrown away.
    public static let clocksApart = Duration.seconds(24 * 3600)
    /// What is erased is looked for again for so long.
    public static let erasedAgain = Duration.seconds(48 * 3600)
    /// Circles whose timeline is looked at for old lines at a time.
    public static let circlesPrunedAtATime = 64
    /// Old rows are thrown away this often, at most so many of each table at a time.
    public static let pruneInterval = Duration.seconds(60)
    public static let pruneRowsMax: Int64 = 500
    /// Where more is left, the next portion comes after this.
    public static let pruneAgain = Duration.seconds(1)
}
