import Model

/// How far the notifications of an emergency got.
public enum DeliveryState: String, Sendable, Codable, CaseIterable, Comparable {
    /// No gateway has accepted a message yet.
    case none
    /// Only the built-in sink stored messages: no outside recipient was reached.
    case sink
    /// A gateway accepted a message.
    case accepted
    /// A message was delivered to a phone or mailbox.
    case delivered
    /// A person acknowledged.
    case acknowledged

    public static func < (left: DeliveryState, right: DeliveryState) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .none: 0
        case .sink: 1
        case .accepted: 2
        case .delivered: 3
        case .acknowledged: 4
        }
    }
}

/// A signal and the state of its emergency. A signal that joined an emergency refers to it.
public struct EmergencyRow: Hashable, Sendable {
    /// The signal's id.
    public var id: EmergencyID
    public var person: PersonID
    /// The emergency that the signal opened (its own id) or joined.
    public var emergency: EmergencyID
    public var trigger: EmergencyTrigger
    public var raised: Timestamp
    public var received: Timestamp
    public var countdownEnds: Timestamp
    /// As the evaluator decided; until then `countdown` or `open`.
    public var state: EmergencyState
    public var deliveryState: DeliveryState
    /// People whom a message reached or may have reached, in that order.
    public var recipients: [PersonID]
    /// When it ended; nil while it is active.
    public var ended: Timestamp?
    /// Circles in which it was ended while it continues in others.
    public var endedCircles: [CircleID]
    /// Number of further calls that joined it without being stored.
    public var joinedCalls: Int
    /// The last of them, until someone responds.
    public var lastJoined: EmergencySignal?
    /// The emergency that the person ended with a duress PIN, while this one goes on without their
    /// knowledge; nil = this is a usual one.
    public var underDuress: EmergencyID?
    /// Who called on the person's behalf; nil = nobody.
    public var raisedBy: PersonID?

    public init(
        id: EmergencyID, person: PersonID, emergency: EmergencyID, trigger: EmergencyTrigger,
        raised: Timestamp, received: Timestamp, countdownEnds: Timestamp, state: EmergencyState,
        deliveryState: DeliveryState = .none, recipients: [PersonID] = [], ended: Timestamp? = nil,
        endedCircles: [CircleID] = [], joinedCalls: Int = 0,
        lastJoined: EmergencySignal? = nil, underDuress: EmergencyID? = nil,
        raisedBy: PersonID? = nil
    ) {
        self.underDuress = underDuress
        self.raisedBy = raisedBy
        self.joinedCalls = joinedCalls
        self.lastJoined = lastJoined
        self.id = id
        self.person = person
        self.emergency = emergency
        self.trigger = trigger
        self.raised = raised
        self.received = received
        self.countdownEnds = countdownEnds
        self.state = state
        self.deliveryState = deliveryState
        self.recipients = recipients
        self.ended = ended
        self.endedCircles = endedCircles
    }
}

/// A change of the stored emergencies.
public enum EmergencyEffect: Hashable, Sendable {
    case save(EmergencyRow)
    case remove(EmergencyID)
}
