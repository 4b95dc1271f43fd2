import Model

/// An emergency as the notifier knows it: enough to tell people, and to go on without evaluators.
public struct Emergency: Hashable, Sendable, Codable {
    public var id: EmergencyID
    public var person: PersonID
    public var trigger: EmergencyTrigger
    public var state: EmergencyState
    public var raised: Timestamp
    /// When it was opened here.
    public var opened: Timestamp?
    public var fix: Fix?
    public var battery: UInt8?
    public var note: String?
    /// Its texts begin with its age.
    public var isLate: Bool
    /// Too old for a ladder: guardians are told once.
    public var isRecordOnly: Bool
    /// Opened here without an evaluator, or one that evaluators may have lost.
    public var isAdopted: Bool
    /// Further triggers that joined it, each told once; ids ascending.
    public var joined: [EmergencyID]
    /// What joined it last; nil = nothing has.
    public var latest: FurtherCall?
    /// An own call of the person joined it; nil = none did.
    public var joinedOwnCall: Bool?
    /// When everyone was last told that help was called for again; nil = never.
    public var repeated: Timestamp?
    /// The code of it that people can say.
    public var reference: String
    /// Everybody for whom a message about it was made, ids ascending.
    public var told: [PersonID]
    /// The first acknowledgement that holds; nil = nobody is responding.
    public var taken: Taking?
    /// Acknowledgements after the first, each for circles that had no responder. Nil = none.
    public var furtherTaken: [Taking]?
    /// How often it was taken.
    public var takings: Int
    /// The person was told that nobody has been reached.
    public var nobodyTold: Bool
    /// When it was last opened again; nil = never.
    public var reopened: Timestamp?
    /// Messages from this time on count for its delivery state; nil = from ``reopened`` on.
    public var notifiedSince: Timestamp?
    /// An evaluator has told that it is over; nil = none has.
    public var isClosed: Bool?
    /// When it was resolved or cancelled.
    public var ended: Timestamp?
    public var endedBy: PersonID?
    /// How often it has ended: a further press may begin it again. Nil = never.
    public var endings: Int?
    /// Circles in which somebody ended it while it goes on in others; nil = in none.
    public var circleEnds: [CircleEnd]?
    /// How often it has ended in some of its circles; nil = never.
    public var partialEndings: Int?
    /// What is to be told of it waits for the operator; false = no longer, nil = it never did.
    public var isHeld: Bool?
    public var trace: String

    /// Whether the person called for help themselves, first or later.
    var isOwnCall: Bool { trigger.isOwnCall || joinedOwnCall == true }

    /// Its trigger and all that joined it.
    var signals: [EmergencyID] { [id] + joined.filter { $0 != id } }

    /// Whether everyone was notified of a further call a moment ago, whatever its trigger: a button
    /// that sticks, an app that calls with each report, or one that alternates its triggers must
    /// not bury the alarm under its repetitions.
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
        isAdopted = false
        joined = []
        told = []
        takings = 0
        nobodyTold = false
        reference = Meaning.reference(of: id)
    }
}

/// What called for help anew while an emergency went on.
public struct FurtherCall: Hashable, Sendable, Codable {
    /// Nil where nobody said.
    public var trigger: EmergencyTrigger?
    public var raised: Timestamp?

    init(trigger: EmergencyTrigger?, raised: Timestamp?) {
        self.trigger = trigger
        self.raised = raised
    }

    init(_ signal: EmergencySignal) {
        self.init(trigger: signal.trigger, raised: signal.raised)
    }

    /// What an evaluator tells of the further signal that its news answers.
    init(_ news: EmergencyNews) {
        self.init(trigger: news.joinedTrigger, raised: news.joinedRaised)
    }

    /// How its messages begin. Whoever does not know that somebody pressed must not say so.
    var repetition: Repetition {
        trigger?.isOwnCall == true ? .pressedAgain : .another
    }
}

/// Somebody has taken an emergency.
public struct Taking: Hashable, Sendable, Codable {
    /// Nil = the operator.
    public var by: PersonID?
    /// When they first did.
    public var at: Timestamp
    /// When they were asked whether they are still on it.
    public var asked: Timestamp?
    /// The clock of the hold, or of the answer.
    public var clock: ClockID?
    public var due: Timestamp?
    /// Counts their confirmations, so that each hold has a clock of its own.
    public var confirmations: Int
    /// Number of this acknowledgement within its emergency, from 1; nil = the latest.
    public var number: Int?

    public init(by: PersonID?, at: Timestamp) {
        self.by = by
        self.at = at
        confirmations = 0
    }
}

/// A signal for which an evaluator's answer is awaited, or has come.
public struct SignalWait: Hashable, Sendable, Codable {
    public enum State: String, Sendable, Codable, CaseIterable {
        /// The fallback clock runs.
        case waiting
        /// An evaluator has opened, joined or cancelled for it.
        case answered
        /// Nobody answered: a ladder was opened here.
        case adopted
        /// Taken back by its person before anybody was told.
        case cancelled
        /// Only the place is known: the signal itself was not received yet.
        case located
    }

    public var id: EmergencyID
    public var state: State
    /// Nil where the answer came before the signal.
    public var signal: EmergencySignal?
    public var clock: ClockID?
    public var due: Timestamp?
    /// Where its person was last, as ingest told before the signal was received.
    public var place: EmergencyPlace?
    /// When its state last changed.
    public var at: Timestamp

    public init(
        id: EmergencyID, state: State, signal: EmergencySignal? = nil, clock: ClockID? = nil,
        due: Timestamp? = nil, place: EmergencyPlace? = nil, at: Timestamp
    ) {
        self.place = place
        self.id = id
        self.state = state
        self.signal = signal
        self.clock = clock
        self.due = due
        self.at = at
    }
}
