import Model

/// The timer's eye on one emergency: whether anybody is told of it in time.
public struct Vigil: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        /// Nobody has been told yet.
        case waiting
        /// A delivery was accepted, or a human answered.
        case told
        /// Nobody was told in time; the operator knows.
        case alarmed
        /// Cancelled or resolved.
        case ended
    }

    /// The emergency, or the signal that raises or joins one.
    public var emergency: EmergencyID
    public var person: PersonID
    public var countdownEnds: Timestamp
    public var state: State
    /// When something has to be done next: the alarm, its next call, or forgetting it.
    public var due: Timestamp
    /// How often the operator's address was called.
    public var calls: Int
    /// The operator's address took the alarm.
    public var isCallAccepted: Bool

    public init(
        emergency: EmergencyID, person: PersonID, countdownEnds: Timestamp, state: State,
        due: Timestamp, calls: Int = 0, isCallAccepted: Bool = false
    ) {
        self.emergency = emergency
        self.person = person
        self.countdownEnds = countdownEnds
        self.state = state
        self.due = due
        self.calls = calls
        self.isCallAccepted = isCallAccepted
    }

    /// Whether nobody is known to have been told while it may still go on.
    var isOpen: Bool { state == .waiting || state == .alarmed }
}
