import Model

/// Emergency as the notifier knows it: enough to notify people and to work without evaluators.
public struct Emergency: Hashable, Sendable, Codable {
    public var id: EmergencyID
    public var person: PersonID
    public var trigger: EmergencyTrigger
    public var state: EmergencyState
    public var raised: Timestamp
    /// When it was opened by the notifier.
    public var opened: Timestamp?
    public var fix: Fix?
    public var battery: UInt8?
    public var note: String?
    /// Whether its texts begin with its age.
    public var isLate: Bool
    /// Whether it is too old for an escalation: guardians are notified once.
    public var isRecordOnly: Bool
    /// Whether it was opened without an evaluator, or evaluators may have lost it.
    public var isFallback: Bool
    /// Further signals that joined it, each notified once; ids ascending.
    public var joined: [EmergencyID]
    /// The last call that joined it; nil = none.
    public var latest: FurtherCall?
    /// Whether a call of the person themselves joined it; nil = no.
    public var joinedOwnCall: Bool?
    /// When everyone was last notified of a further call; nil = never.
    public var repeated: Timestamp?
    /// Short code for people.
    public var reference: String
    /// Everyone for whom a message about it was created, ids ascending.
    public var recipients: [PersonID]
    /// The first active acknowledgement; nil = nobody is responding.
    public var firstAcknowledgement: Acknowledgement?
    /// Acknowledgements after the first, each for circles without a responder; nil = none.
    public var furtherAcknowledgements: [Acknowledgement]?
    /// How often it was acknowledged.
    public var acknowledgementCount: Int
    /// Whether the person was informed that nobody has been reached.
    public var nobodyReachedNotified: Bool
    /// When it was last reopened; nil = never.
    public var reopened: Timestamp?
    /// Messages from this time on count for its delivery state; nil = from ``reopened`` on.
    public var notifiedSince: Timestamp?
    /// Whether an evaluator has ended it; nil = no.
    public var isClosed: Bool?
    /// When it was resolved or cancelled.
    public var ended: Timestamp?
    public var endedBy: PersonID?
    /// How often it has ended; a further call may reopen it. Nil = never.
    public var endings: Int?
    /// Circles in which it has ended while it is active in others; nil = none.
    public var circleEnds: [CircleEnd]?
    /// How often it has ended in some of its circles; nil = never.
    public var partialEndings: Int?
    /// Whether its messages wait for the operator; false = not any more, nil = never did.
    public var isHeld: Bool?
    public var trace: String

    /// Whether the person called for help themselves, with the first or a further signal.
    var isOwnCall: Bool { trigger.isOwnCall || joinedOwnCall == true }

    /// The ids of its trigger and of all signals that joined it.
    var signals: [EmergencyID] { [id] + joined.filter { $0 != id } }

    /// Whether everyone was notified of a further call moments ago, whatever its trigger.
    ///
    /// A stuck button, or an app that calls with each report, must not bury the alarm under
    /// repetitions.
    func hasJustRepeated(at now: Timestamp) -> Bool {
        guard let repeated else { return false }
        return (.zero..<Limits.repetitionWait).contains(now - repeated)
    }

    public init(
        id: EmergencyID, person: PersonID, trigger: EmergencyTrigger, state: EmergencyState,
        raised: Timestamp, fix: Fix?, battery: UInt8?, note: String?, isLate: Bool, trace: String
    ) {
        self.id = id
        self.person = person
        self.trigger = trigger
        self.state = state
        self.raised = raised
        self.fix = fix
        self.battery = battery
        self.note = note
        self.isLate = isLate
        self.trace = trace
        isRecordOnly = false
        isFallback = false
        joined = []
        recipients = []
        acknowledgementCount = 0
        nobodyReachedNotified = false
        reference = DerivedID.reference(of: id)
    }
}

/// A further call for help during an active emergency.
public struct FurtherCall: Hashable, Sendable, Codable {
    /// Nil = not known.
    public var trigger: EmergencyTrigger?
    public var raised: Timestamp?

    init(trigger: EmergencyTrigger?, raised: Timestamp?) {
        self.trigger = trigger
        self.raised = raised
    }

    init(_ signal: EmergencySignal) {
        self.init(trigger: signal.trigger, raised: signal.raised)
    }

    /// The further signal to which an evaluator's record refers.
    init(_ change: EmergencyChange) {
        self.init(trigger: change.joinedTrigger, raised: change.joinedRaised)
    }

    /// How its messages begin. Only a known own call is described as pressed again.
    var repetition: Repetition {
        trigger?.isOwnCall == true ? .pressedAgain : .another
    }
}

/// Acknowledgement of an emergency by a responder.
public struct Acknowledgement: Hashable, Sendable, Codable {
    /// Nil = the operator.
    public var by: PersonID?
    /// When they acknowledged first.
    public var at: Timestamp
    /// When they were asked whether they are still responding.
    public var asked: Timestamp?
    /// The deadline of the acknowledgement or of the answer to its reminder.
    public var deadline: DeadlineID?
    public var due: Timestamp?
    /// Counts confirmations, so that each timeout has its own deadline id.
    public var confirmations: Int
    /// Number of this acknowledgement within its emergency, from 1; nil = the latest.
    public var number: Int?

    public init(by: PersonID?, at: Timestamp) {
        self.by = by
        self.at = at
        confirmations = 0
    }
}

/// State of a signal that waits for an evaluator's answer, or has got it.
public struct SignalWait: Hashable, Sendable, Codable {
    public enum State: String, Sendable, Codable, CaseIterable {
        /// The fallback deadline is running.
        case waiting
        /// An evaluator has opened, joined or cancelled an emergency for it.
        case answered
        /// No evaluator answered, so the escalation was opened here.
        case openedByFallback
        /// Cancelled by its person before anybody was notified.
        case cancelled
        /// Only the position is known; the signal itself has not been received yet.
        case located
    }

    public var id: EmergencyID
    public var state: State
    /// Nil if the answer came before the signal.
    public var signal: EmergencySignal?
    public var deadline: DeadlineID?
    public var due: Timestamp?
    /// Last position of the person, received from ingest before the signal.
    public var place: EmergencyPlace?
    /// When its state last changed.
    public var at: Timestamp

    public init(
        id: EmergencyID, state: State, signal: EmergencySignal? = nil, deadline: DeadlineID? = nil,
        due: Timestamp? = nil, place: EmergencyPlace? = nil, at: Timestamp
    ) {
        self.place = place
        self.id = id
        self.state = state
        self.signal = signal
        self.deadline = deadline
        self.due = due
        self.at = at
    }
}
