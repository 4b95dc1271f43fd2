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
        /// Taken back in its countdown; an evaluator that opens it all the same counts.
        case takenBack = "taken-back"
        /// Cancelled or resolved.
        case ended
    }

    /// The emergency, or the signal that raises or joins one.
    public var emergency: EmergencyID
    /// Zero of somebody who was erased.
    public var person: PersonID
    public var countdownEnds: Timestamp
    public var state: State
    /// When something has to be done next: the alarm, its next call, or forgetting it.
    public var due: Timestamp
    /// How often the operator's address was called.
    public var calls: Int
    /// The operator's address took the alarm.
    public var isCallAccepted: Bool
    /// When it was first heard of.
    public var heard: Timestamp
    /// When it was last heard that somebody else was sent a message about it.
    public var told: Timestamp?
    /// The emergency that this signal joined, as an evaluator said.
    public var joined: EmergencyID?
    /// An evaluator opened it: the call can no longer be taken back past the evaluators.
    public var isOpened: Bool
    /// Messages about it that a gateway accepted and that are not known to have failed since, at
    /// most ``Limits/vigilMessagesMax``.
    public var messages: [NotificationID]
    /// A human answered, and the escalation has not resumed since.
    public var isAnswered: Bool

    public init(
        emergency: EmergencyID, person: PersonID, countdownEnds: Timestamp, state: State,
        due: Timestamp, calls: Int = 0, isCallAccepted: Bool = false, heard: Timestamp,
        told: Timestamp? = nil, joined: EmergencyID? = nil, isOpened: Bool = false,
        messages: [NotificationID] = [], isAnswered: Bool = false
    ) {
        self.messages = messages
        self.isAnswered = isAnswered
        self.emergency = emergency
        self.person = person
        self.countdownEnds = countdownEnds
        self.state = state
        self.due = due
        self.calls = calls
        self.isCallAccepted = isCallAccepted
        self.heard = heard
        self.told = told
        self.joined = joined
        self.isOpened = isOpened
    }

    /// Whether nobody is known to have been told while it may still go on.
    public var isOpen: Bool { state == .waiting || state == .alarmed }
}
