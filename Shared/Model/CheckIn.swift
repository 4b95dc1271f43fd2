// Check-ins and timers of people, kept by the timer (domain.md §5).

/// `asked → reminded → answered | cancelled | expired`.
public enum CheckInState: String, Sendable, Codable, CaseIterable {
    case asked, reminded, answered
    /// Its schedule was removed or changed.
    case cancelled
    /// It was not answered and became an emergency.
    case expired

    /// Whether an answer is awaited.
    public var isOpen: Bool { self == .asked || self == .reminded }
}

/// One due time of a check-in schedule: its person is asked whether they are OK.
public struct CheckIn: PersonPayload {
    /// BLAKE2b-128 of (schedule, due time).
    public var id: CheckInID
    public var person: PersonID
    public var schedule: CheckInScheduleID
    /// Name of the schedule; empty = none.
    public var name: String
    public var due: Timestamp
    /// When it becomes an emergency unless it is answered.
    public var expires: Timestamp
    /// Whether it became due while the timer was down.
    public var late: Bool
    public var state: CheckInState
    public var trace: String

    public init(
        id: CheckInID, person: PersonID, schedule: CheckInScheduleID, name: String = "",
        due: Timestamp, expires: Timestamp, late: Bool = false, state: CheckInState = .asked,
        trace: String = ""
    ) {
        self.id = id
        self.person = person
        self.schedule = schedule
        self.name = name
        self.due = due
        self.expires = expires
        self.late = late
        self.state = state
        self.trace = trace
    }
}

/// A timer of a person. It notifies its owner once and never becomes an emergency.
public struct PersonTimer: PersonPayload {
    public var person: PersonID
    /// Text for its owner; empty = none.
    public var text: String
    public var started: Timestamp
    public var due: Timestamp
    /// Whether it became due while the timer service was down.
    public var late: Bool
    public var trace: String

    public init(
        person: PersonID, text: String = "", started: Timestamp, due: Timestamp,
        late: Bool = false, trace: String = ""
    ) {
        self.person = person
        self.text = text
        self.started = started
        self.due = due
        self.late = late
        self.trace = trace
    }
}

/// A person's statement that they are safe, checked by the service that received it: by SMS, on
/// the page of a question, or by the API.
public struct SafetyAnswer: PersonPayload {
    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// They are safe.
        case safe
        /// They entered the duress PIN: for them it has to look like ``safe``.
        case underDuress = "under-duress"
        /// Too many wrong PINs were entered.
        case wrongPINs = "wrong-pins"
    }

    public var person: PersonID
    public var outcome: Outcome
    /// Whether it is also about their running watch; otherwise about check-ins only.
    public var coversWatch: Bool
    public var at: Timestamp
    public var trace: String

    public init(
        person: PersonID, outcome: Outcome, coversWatch: Bool = false, at: Timestamp,
        trace: String = ""
    ) {
        self.person = person
        self.outcome = outcome
        self.coversWatch = coversWatch
        self.at = at
        self.trace = trace
    }
}
