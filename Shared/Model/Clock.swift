/// What a clock is for; decides who listens when it fires.
public enum ClockRule: String, Sendable, Codable, CaseIterable {
    /// Evaluator: an emergency's countdown ends.
    case countdown
    /// Evaluator: something about a person and zones may change by time alone.
    case presence
    /// Evaluator: somebody on a watch who was asked has not answered.
    case contact
    /// Notifier: the wait of a tier ends.
    case tier
    /// Notifier: no evaluator answered a signal 3 s after its countdown.
    case fallback
    /// Notifier: a notification may be tried again.
    case retry
    /// Notifier: an acknowledgement has held 15 min.
    case acknowledgementHold = "acknowledgement-hold"
    /// Notifier: nobody waits; it shows that records get through all services.
    case canary
    /// Timer: the reminder before a watch's deadline.
    case watchReminder = "watch-reminder"
    /// Timer: deadline and grace of a watch are over.
    case watchExpiry = "watch-expiry"
    /// Timer: an emergency must have an accepted delivery by now.
    case undelivered
}

/// A wait that somebody asked for. Asking twice for the same id is one clock.
public struct WantedClock: Hashable, Sendable, Codable {
    /// BLAKE2b-128 of (person or emergency, rule, cause).
    public var id: ClockID
    public var rule: ClockRule
    public var person: PersonID
    public var emergency: EmergencyID?
    /// What the clock is about, where neither person nor emergency says it (a notification's id …).
    public var subject: String?
    public var due: Timestamp

    public init(
        id: ClockID, rule: ClockRule, person: PersonID, emergency: EmergencyID? = nil,
        subject: String? = nil, due: Timestamp
    ) {
        self.id = id
        self.rule = rule
        self.person = person
        self.emergency = emergency
        self.subject = subject
        self.due = due
    }
}

/// A clock that has run out.
public struct FiredClock: Hashable, Sendable, Codable {
    public var clock: WantedClock
    public var fired: Timestamp
    /// Due while the timer was down.
    public var late: Bool

    public init(clock: WantedClock, fired: Timestamp, late: Bool = false) {
        self.clock = clock
        self.fired = fired
        self.late = late
    }
}

/// `active → reminded → ended | cancelled | expired`.
public enum WatchState: String, Sendable, Codable, CaseIterable {
    case active, reminded, ended, cancelled, expired
}

/// "Watch over me": an emergency unless its owner says otherwise in time.
public struct Watch: Hashable, Sendable, Codable {
    public var id: WatchID
    public var person: PersonID
    public var started: Timestamp
    public var deadline: Timestamp
    /// Seconds after the deadline before it becomes an emergency.
    public var graceSeconds: Int
    public var note: String?
    public var state: WatchState
    public var trace: String
    public var version: Int64

    public init(
        id: WatchID, person: PersonID, started: Timestamp, deadline: Timestamp,
        graceSeconds: Int = 120, note: String? = nil, state: WatchState = .active,
        trace: String = "", version: Int64 = 1
    ) {
        self.id = id
        self.person = person
        self.started = started
        self.deadline = deadline
        self.graceSeconds = graceSeconds
        self.note = note
        self.state = state
        self.trace = trace
        self.version = version
    }
}
