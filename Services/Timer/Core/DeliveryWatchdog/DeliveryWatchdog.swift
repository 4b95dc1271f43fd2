import Model

/// Watches whether anybody is notified of an emergency in time.
public struct DeliveryWatchdog: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        /// Nobody has been notified yet.
        case waiting
        /// A message was accepted, or a person responded.
        case notified
        /// Nobody was notified in time; the operator was alarmed.
        case alarmed
        /// Cancelled during its countdown. An evaluator that opens it nevertheless overrules this.
        case cancelled
        /// Cancelled or resolved.
        case ended
    }

    /// The emergency, or the signal that raises or joins one.
    public var emergency: EmergencyID
    /// Zero for a person who was erased.
    public var person: PersonID
    public var countdownEnds: Timestamp
    public var state: State
    /// When the next action is due: the alarm, a further call, or the removal.
    public var due: Timestamp
    /// Number of calls to the operator's alarm URL.
    public var calls: Int
    /// Whether the operator's alarm URL accepted the alarm.
    public var isCallAccepted: Bool
    /// When the timer first received it.
    public var received: Timestamp
    /// When a message about it to somebody else was last accepted.
    public var lastAccepted: Timestamp?
    /// The emergency that this signal joined, according to an evaluator.
    public var joined: EmergencyID?
    /// Whether an evaluator opened it. Then a cancellation past the evaluators no longer counts.
    public var isOpened: Bool
    /// Messages about it that a gateway accepted and that have not failed since; at most
    /// ``Limits/deliveryWatchdogMessagesMax``.
    public var messages: [NotificationID]
    /// Whether a person responded and the escalation has not resumed since.
    public var isAnswered: Bool

    public init(
        emergency: EmergencyID, person: PersonID, countdownEnds: Timestamp, state: State,
        due: Timestamp, calls: Int = 0, isCallAccepted: Bool = false, received: Timestamp,
        lastAccepted: Timestamp? = nil, joined: EmergencyID? = nil, isOpened: Bool = false,
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
        self.received = received
        self.lastAccepted = lastAccepted
        self.joined = joined
        self.isOpened = isOpened
    }

    /// Whether nobody is known to have been notified while the emergency may still be open.
    public var isOpen: Bool { state == .waiting || state == .alarmed }
}
