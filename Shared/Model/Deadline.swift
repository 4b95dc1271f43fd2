/// Kind of a deadline: one row of ``rules`` each.
public enum DeadlineKind: String, Sendable, Codable, CaseIterable {
    /// Evaluator: an emergency's countdown ends.
    case countdown
    /// Evaluator: the presence of a person in zones may change by time alone.
    case presence
    /// Evaluator: a person on a watch was asked and has not answered.
    case contact
    /// Notifier: the wait of an escalation tier ends.
    case tier
    /// Notifier: no evaluator handled a signal within 3 s after its countdown.
    case fallback
    /// Notifier: a notification may be retried.
    case retry
    /// Notifier: an acknowledgement times out after 15 min.
    case acknowledgementHold = "acknowledgement-hold"
    /// Notifier: a heartbeat that shows that records pass through all services.
    case canary
    /// Notifier: the next step of a drill, or the next scheduled drill.
    case drill
    /// Timer: the reminder before a watch's deadline.
    case watchReminder = "watch-reminder"
    /// Timer: deadline and grace of a watch end.
    case watchExpiry = "watch-expiry"
    /// Timer: a notification of an emergency must have been accepted.
    case undelivered
    /// Timer, for membership: a person's trial ends.
    case trialEnd = "trial-end"
    /// Timer, for membership: a ward and the guardians are notified when the ward takes over.
    case takeOverNotice = "take-over-notice"
    /// Timer, for membership: a ward takes over the account.
    case takeOver = "take-over"

    /// Who handles deadlines of this kind. Only the machines that schedule it depend on the kind.
    public var rules: DeadlineRules {
        switch self {
        case .countdown, .contact: DeadlineRules(handler: .evaluator, carriesEmergency: true)
        case .presence: DeadlineRules(handler: .evaluator)
        case .tier, .fallback, .acknowledgementHold:
            DeadlineRules(handler: .notifier, carriesEmergency: true)
        case .retry, .drill: DeadlineRules(handler: .notifier)
        case .canary: DeadlineRules(handler: .evaluator, scheduler: .notifier)
        case .watchReminder: DeadlineRules(handler: .timer)
        case .watchExpiry, .undelivered: DeadlineRules(handler: .timer, carriesEmergency: true)
        case .trialEnd, .takeOverNotice, .takeOver:
            DeadlineRules(handler: .membership, scheduler: .timer)
        }
    }
}

/// Rules that one ``DeadlineKind`` has.
public struct DeadlineRules: Hashable, Sendable {
    /// The service that handles its expiry, and cancels it.
    public let handler: ServiceName
    /// The service that schedules it.
    public let scheduler: ServiceName
    /// Whether an emergency depends on it or may result from it; otherwise only if it names one.
    let carriesEmergency: Bool

    /// - Parameter scheduler: nil = the handler
    init(handler: ServiceName, scheduler: ServiceName? = nil, carriesEmergency: Bool = false) {
        self.handler = handler
        self.scheduler = scheduler ?? handler
        self.carriesEmergency = carriesEmergency
    }
}

/// Deadline that the timer keeps for a service. Scheduling an id again does not add a second one.
public struct Deadline: PersonPayload {
    /// BLAKE2b-128 of (person or emergency, kind, cause).
    public var id: DeadlineID
    public var kind: DeadlineKind
    public var person: PersonID
    public var emergency: EmergencyID?
    /// What the deadline is about besides person and emergency, such as a notification's id.
    public var subject: String?
    public var due: Timestamp

    public init(
        id: DeadlineID, kind: DeadlineKind, person: PersonID, emergency: EmergencyID? = nil,
        subject: String? = nil, due: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.person = person
        self.emergency = emergency
        self.subject = subject
        self.due = due
    }
}

extension Deadline {
    /// Whether an emergency depends on it or may result from it.
    var carriesEmergency: Bool { kind.rules.carriesEmergency || emergency != nil }
}

/// Deadline that has expired.
public struct ExpiredDeadline: EventPayload {
    public var deadline: Deadline
    public var expired: Timestamp
    /// Whether it became due while the timer was down.
    public var late: Bool

    public init(deadline: Deadline, expired: Timestamp, late: Bool = false) {
        self.deadline = deadline
        self.expired = expired
        self.late = late
    }

    public var concernedPerson: PersonID? { deadline.person }
}

/// `active → reminded → ended | arrived | cancelled | expired`.
public enum WatchState: String, Sendable, Codable, CaseIterable {
    case active, reminded, ended
    /// The person arrived at the destination in time.
    case arrived
    case cancelled, expired

    /// Whether it is running.
    public var isRunning: Bool { self == .active || self == .reminded }
}

/// "Watch over me": becomes an emergency unless its owner ends it in time.
public struct Watch: PersonPayload {
    public var id: WatchID
    public var person: PersonID
    public var started: Timestamp
    public var deadline: Timestamp
    /// Seconds after the deadline before it becomes an emergency.
    public var graceSeconds: Int
    public var note: String?
    /// The zone whose entry ends it; nil = none.
    public var destination: ZoneID?
    /// The only people to notify if it expires, ids ascending; nil = everyone.
    public var recipients: [PersonID]?
    public var state: WatchState
    public var trace: String
    public var version: Int64

    public init(
        id: WatchID, person: PersonID, started: Timestamp, deadline: Timestamp,
        graceSeconds: Int = 120, note: String? = nil, destination: ZoneID? = nil,
        recipients: [PersonID]? = nil, state: WatchState = .active, trace: String = "",
        version: Int64 = 1
    ) {
        self.id = id
        self.person = person
        self.started = started
        self.deadline = deadline
        self.graceSeconds = graceSeconds
        self.note = note
        self.destination = destination
        self.recipients = recipients
        self.state = state
        self.trace = trace
        self.version = version
    }
}
