import Model
import Timing

/// Limits of the notifier.
///
/// Waits for people come from the domain. The other limits protect memory and gateways.
package enum Limits {
    /// Longest extension of a watch by SMS, minutes: a day.
    package static let extensionMinutesMax: Int64 = 1440
    // People.

    /// Zone notifications older than this are not sent.
    package static let routineAgeMax = Duration.seconds(15 * 60)
    /// Longest time for which evaluators hold back a crossing seen in a single fix.
    package static let holdBackMax = Duration.seconds(2000)
    /// Time to answer a check-in request; evaluators use the same value.
    package static let checkInAnswerWait = Duration.seconds(5 * 60)
    /// An own alarm older than this is left to the next repetition.
    package static let ringAgeMax = Duration.seconds(2 * 60)
    /// Texts to one number outside all circles within ``numberWindow``, from all senders together.
    package static let textsPerNumberMax = 10
    package static let numberWindow = Duration.seconds(24 * 3600)
    /// Minimum interval between answers to texts from one number.
    package static let replyAnswerPause = Duration.seconds(60)
    /// How long a draft can be sent.
    package static let draftAgeMax = Duration.seconds(24 * 3600)
    /// Zones, and supplementary lines, in one text.
    package static let zonesPerTextMax = 5
    package static let linesPerTextMax = 5
    /// Interval between repetitions after the last tier.
    package static let exhaustedRoundWait = Duration.seconds(5 * 60)
    /// How long an acknowledgement lasts before its responder is asked to confirm.
    package static let acknowledgementTimeout = Duration.seconds(15 * 60)
    /// Further calls of one kind within this time are notified once, at the first. Class safety has
    /// no cooldown, but thirty messages a second inform less than one.
    package static let repetitionWait = Duration.seconds(30)
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
    package static let reminderAnswerWait = Duration.seconds(2 * 60)
    /// How long an evaluator may take to open an emergency after its countdown. Also the time to
    /// read missed records when a signal is received late or the process starts.
    package static let fallbackWait = Duration.seconds(3)
    /// A signal that arrives later than this is notified with its age first.
    package static let lateSignalAge = Duration.seconds(5 * 60)
    /// An older signal is notified once to guardians and starts no escalation.
    package static let escalationSignalAgeMax = Duration.seconds(24 * 3600)
    /// An emergency that began and ended while the notifier was down, longer than this before its
    /// return, ends silently.
    package static let endNotificationAgeMax = Duration.seconds(3600)
    /// A due deadline that the timer does not report within this time expires here.
    package static let deadlineGrace = Duration.seconds(5)

    /// An open emergency older than this is listed in `/healthz`; the alert
    /// `JagaEmergencyUnacknowledged` uses the same time.
    package static let unacknowledgedAlarmAge = Duration.seconds(5 * 60)
    /// Messages in the operator's view of one emergency, the newest. An exhausted escalation adds
    /// some every five minutes.
    package static let escalationMessagesMax = 1000

    /// Notes of one emergency that are kept, the newest.
    static let emergencyNotesMax = 50

    /// How long the person in danger can reopen an emergency that somebody else ended.
    package static let reopenWindow = Duration.seconds(600)

    // Readiness.

    /// How long a proven delivery is known.
    package static let proofKept = Duration.seconds(400 * 86_400)
    /// A channel without a proven delivery for longer counts as unproven.
    package static let proofAgeMax = Duration.seconds(35 * 86_400)
    /// A person whose phone has not reported for longer is shown as not reporting.
    package static let reportAgeMax = Duration.seconds(3 * 86_400)
    /// Interval between counts of the circles in which nobody else is reachable, and between their
    /// portions.
    package static let readinessInterval = Duration.seconds(300)
    package static let readinessPortionInterval = Duration.milliseconds(200)
    /// Circles counted in one portion.
    package static let readinessPortion = 64

    // Drills.

    /// Minimum time between the starts of two drills of a circle.
    package static let drillPause = Duration.seconds(1800)
    /// A message of a drill that could not be sent within this time is not sent.
    package static let drillMessageAgeMax = Duration.seconds(600)
    /// How long a drill can be answered after its end.
    package static let endedDrillKept = Duration.seconds(24 * 3600)
    /// A scheduled drill that could not start within this time waits for the next month: it must
    /// wake nobody at another time of day.
    package static let drillLateMax = Duration.seconds(900)
    /// Last day of a month on which drills can be scheduled.
    package static let drillDayMax = 28
    /// How long reports of drills are kept, and the most in a list.
    package static let drillsKept = Duration.seconds(400 * 86_400)
    package static let drillsListedMax = 50

    // Positions by SMS.

    /// Questions of one number that are answered within ``positionQueryWindow``.
    package static let positionQueriesMax = 10
    package static let positionQueryWindow = Duration.seconds(3600)
    /// A later answer is not sent.
    package static let positionAnswerAgeMax = Duration.seconds(300)
    /// How often a number gets the list of words.
    package static let explanationPause = Duration.seconds(24 * 3600)

    // Messages.

    /// Messages about an emergency expire after this.
    package static let safetyAgeMax = Duration.seconds(24 * 3600)
    /// A test message expires after this.
    package static let testAgeMax = Duration.seconds(120)
    /// Retries of a message about an emergency after attempts with unknown outcome.
    package static let unknownResendsMax = 3
    /// Characters of a person's, zone's or circle's name in a text.
    package static let nameCharactersMax = 40
    /// Characters of a note in a text.
    package static let noteCharactersMax = 140
    /// Characters of a gateway's answer that are kept.
    package static let answerCharactersMax = 200

    // Gateways.

    /// Back-off between attempts of a message about an emergency.
    package static let safetyBackoff = Backoff(first: .seconds(1), longest: .seconds(30))
    /// Back-off between attempts of all other messages.
    package static let routineBackoff = Backoff(first: .seconds(5), longest: .seconds(120))
    /// How long a gateway that is down is used by emergencies only.
    package static let gatewayBackoff = Backoff(first: .seconds(2), longest: .seconds(60))
    /// Longer waits are scheduled with the timer.
    package static let inMemoryWaitMax = Duration.seconds(60)
    /// Minimum back-off for a gateway that asks a message to wait.
    package static let gatewayBackoffMin = Duration.seconds(1)
    /// Longest wait that a gateway may request.
    package static let retryAfterMax = Duration.seconds(3600)
    /// Longest such wait for a message about an emergency that has no other gateway.
    package static let safetyRetryAfterMax = Duration.seconds(60)
    /// After this, an attempt without result has an unknown outcome. Longer than any driver's
    /// timeout.
    package static let attemptTimeout = Duration.seconds(120)
    /// In-flight attempts of a safety lane.
    package static let safetyInFlightMax = 32
    /// Consecutive first attempts of a lane while retries wait.
    static let freshInRowMax = 3
    /// In-flight attempts of a lane of class account.
    package static let accountInFlightMax = 8
    /// In-flight attempts of any other lane.
    package static let routineInFlightMax = 8
    /// Messages about accounts in all queues together; more are suppressed. A person requests
    /// another code sooner than a longer queue is sent.
    package static let accountQueuedMax = 2000
    /// Routine messages in all queues together; more are suppressed with a reason.
    package static let routineQueuedMax = 50_000

    /// Consecutive failed deliveries after which an address counts as dead. A phone that is
    /// switched off fails once, too.
    package static let failuresUntilDead = 2
    /// A gateway that keeps failing is published again after this.
    package static let gatewayFailureRepeated = Duration.seconds(60)
    /// Contact points per reachability event.
    package static let contactStatesPerEvent = 500

    // Links and codes.
    /// How long a link to a question says that it was answered.
    package static let closedQuestionsKept = Duration.seconds(24 * 3600)
    /// How long SAFE by SMS is about the question whether the owner of a silent phone is OK.
    package static let contactQuestionAgeMax = Duration.seconds(30 * 60)
    /// How long a message that a timer ran out may be sent.
    package static let timerAgeMax = Duration.seconds(6 * 3600)

    /// Looks at the page of one link that are counted.
    package static let linkLooksMax = 1_000_000
    /// Wrong codes of one number, or of one member, within ``wrongCodeWindow``. Further codes of it
    /// count for nothing. There are 9,000 codes.
    package static let wrongCodesMax = 5
    package static let wrongCodeWindow = Duration.seconds(3600)
    /// Characters of a link's form.
    package static let linkFormBytesMax = 8 << 10
    /// Positions in the trail of a page.
    package static let pageTrailMax = 30
    /// Stored positions that are read for a page or a document, the newest.
    package static let trailRowsMax = 2000
    /// The trail of an emergency begins this long before it.
    package static let trailBefore = Duration.seconds(1800)
    /// Positions, zones, rings of a zone and corners of a ring in a sketch.
    static let sketchFixesMax = 300
    static let sketchZonesMax = 12
    static let sketchRingsMax = 8
    static let sketchCornersMax = 100
    /// Faster than this nobody moves, metres per second, unless the phone says so.
    static let believedSpeedMax = 70.0
    static let believedReportedSpeedMax = 350.0
    /// Assumed accuracy of a fix without one.
    static let unknownAccuracyCentimetres: Int32 = 5000

    // Live links.

    /// Open links to one person.
    package static let liveLinksPerPerson = 20
    /// Longest time for which a link is open; the default for a watch, journey or emergency.
    package static let liveLinkTimeMax = Duration.seconds(24 * 3600)
    package static let liveLinkTimeMin = Duration.seconds(60)
    package static let liveLinkTimeDefault = Duration.seconds(3600)
    /// Characters of the name of a link's recipient.
    package static let liveLinkNameMax = 60
    /// Zones that one link shows.
    package static let liveLinkZonesMax = 10
    /// Times of looks that are kept for each link, the newest.
    package static let liveLinkLooksKept = 20
    /// How long an ended link is listed.
    package static let endedLiveLinksKept = Duration.seconds(30 * 24 * 3600)
    /// Ended links in a list, the newest.
    package static let endedLiveLinksListed = 100

    // Reports.

    /// Reports that wait to be printed.
    package static let reportsWaitingMax = 20
    /// Printing takes at most this long.
    package static let reportTimeMax = Duration.seconds(20)
    /// Emergencies that are read for one page of a list.
    package static let emergenciesScannedMax = 2000
    /// Timeline entries and positions of one incident, the newest.
    package static let incidentEntriesMax = 2000

    // Memory.

    /// How long an ended emergency stays in memory.
    package static let endedEmergencyKept = Duration.seconds(24 * 3600)
    /// How long an answered signal is remembered.
    package static let answeredSignalKept = Duration.seconds(30 * 24 * 3600)
    /// How long a settled message stays in memory: two events with one message may be a restart
    /// apart.
    package static let settledNotificationsKept = Duration.seconds(3600)
    /// Interval between sweeps of memory.
    package static let sweepInterval = Duration.seconds(60)

    // Requests and the store.

    /// Maximum, and default, entries of a page.
    package static let pageMax = 100
    /// Messages scanned for one page of a person's notifications.
    package static let notificationsScannedMax = 1000
    /// Characters of an incoming SMS.
    package static let replyCharactersMax = 500
    /// For gateways without message ids, equal texts within this time are one.
    package static let replyRepeatedWithin = Duration.seconds(600)
    /// Characters of the note of a command.
    package static let commandNoteCharactersMax = 500
    /// How long applied event ids are kept, for deduplication.
    package static let appliedKept = Duration.seconds(30 * 24 * 3600)
    /// How long messages are kept with their attempts and changes.
    package static let notificationsKept = Duration.seconds(30 * 24 * 3600)
    /// How long drafts, and sent or suppressed texts to numbers outside, are kept.
    package static let textsKept = Duration.seconds(30 * 24 * 3600)
    package static let timelineKept = Duration.seconds(365 * 24 * 3600)
    /// Messages in the built-in sink.
    package static let sinkRowsMax: Int64 = 10_000
    /// If the timer's clock is farther ahead than this, nothing is pruned.
    package static let clockSkewMax = Duration.seconds(24 * 3600)
    /// How long the erasure of a person is repeated.
    package static let erasureRepeatedFor = Duration.seconds(48 * 3600)
    /// Circles whose timelines are pruned in one step.
    package static let circlesPrunedAtATime = 64
    /// Interval between pruning steps, and rows of each table per step.
    package static let pruneInterval = Duration.seconds(60)
    package static let pruneRowsMax: Int64 = 500
    /// Interval between pruning steps while old rows are left.
    package static let pruneRepeatInterval = Duration.seconds(1)

    // Live streams.

    /// Maximum number of live streams, if as many connections may be open …
    package static let liveStreamsMax = 12_000
    /// … of those of one person, …
    package static let liveStreamsPerPersonMax = 8
    /// … of one process with fewer connections, as a share of them: the rest is for requests.
    package static func liveStreamsMax(connections: Int) -> Int {
        min(liveStreamsMax, connections / 4 * 3)
    }
    /// Bytes of events in one turn, so that no emergency waits for them; at least one event.
    package static let liveBytesPerTurn = 256 << 10
    /// Bytes of events that one stream gets at once.
    package static let livePortionBytes = 64 << 10
    /// Unsent bytes above which a stream gets no more events. Those that it lacks are replaced by
    /// newer ones meanwhile.
    package static let liveUnsentBytes = 128 << 10
    /// Interval of comments, and of checks of the credential's expiry.
    package static let liveKeepAlive = Duration.seconds(10)
    /// Interval between turns that send comments: each costs a pass over all connections.
    package static let liveSweepInterval = Duration.milliseconds(250)
    /// Interval of positions without an event, so that an idle stream can be resumed, too.
    package static let livePositionInterval = Duration.seconds(3600)
    /// How long a stream waits for a record that membership has published before.
    package static let livePositionWait = Duration.seconds(5)
    /// How long a stream can be resumed, and the maximum number of records.
    package static let liveChangesKept = Duration.seconds(24 * 3600)
    package static let liveRecordsKept: UInt64 = 200_000
}
