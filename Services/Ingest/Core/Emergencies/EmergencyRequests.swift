import Dialects
import Directory
import Model

/// `POST /v1/emergencies`.
public struct EmergencyRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var call: EmergencyCall
    /// The report sent with the call, if the caller uses a device.
    public var arrival: Arrival?
    /// Random; the id of a call without a message id.
    public var chance: ID128
    /// Whether the credential is good for calls on behalf of others, if its person is.
    public var mayCallForOthers: Bool
    public var trace: String

    public init(
        request: UInt64, principal: Principal, call: EmergencyCall, arrival: Arrival? = nil,
        chance: ID128, mayCallForOthers: Bool = false, trace: String = ""
    ) {
        self.mayCallForOthers = mayCallForOthers
        self.request = request
        self.principal = principal
        self.call = call
        self.arrival = arrival
        self.chance = chance
        self.trace = trace
    }
}

/// `POST /v1/emergencies/{emergency}/cancellation`.
public struct CancelRequest: Hashable, Sendable {
    public var request: UInt64
    public var principal: Principal
    public var emergency: EmergencyID
    /// Equal for a repeated request.
    public var cause: ID128
    /// As entered; nil = none.
    public var pin: String?
    public var trace: String

    public init(
        request: UInt64, principal: Principal, emergency: EmergencyID, cause: ID128,
        pin: String? = nil, trace: String = ""
    ) {
        self.pin = pin
        self.request = request
        self.principal = principal
        self.emergency = emergency
        self.cause = cause
        self.trace = trace
    }
}

/// An emergency as shown to its person and to the people who may read it.
public struct EmergencyView: Hashable, Sendable {
    /// The signal that was requested.
    public var id: EmergencyID
    /// The emergency that the signal opened or joined.
    public var emergency: EmergencyID
    public var person: PersonID
    public var trigger: EmergencyTrigger
    public var state: EmergencyState
    public var deliveryState: DeliveryState
    public var raised: Timestamp
    public var received: Timestamp
    public var countdownEnds: Timestamp
    /// Circles in which it was ended while it continues in others, limited to circles of the
    /// reader.
    public var endedCircles: [CircleID]
    /// Number of further calls that joined it without being stored.
    public var joinedCalls: Int
    /// Who called on the person's behalf; nil = nobody.
    public var raisedBy: PersonID?

    /// Whether the person is being asked "Are you OK?".
    public var asksPerson: Bool { state == .countdown && trigger.rules.asksPerson }

    public init(
        id: EmergencyID, emergency: EmergencyID, person: PersonID, trigger: EmergencyTrigger,
        state: EmergencyState, deliveryState: DeliveryState, raised: Timestamp, received: Timestamp,
        countdownEnds: Timestamp, endedCircles: [CircleID] = [], joinedCalls: Int = 0,
        raisedBy: PersonID? = nil
    ) {
        self.raisedBy = raisedBy
        self.endedCircles = endedCircles
        self.joinedCalls = joinedCalls
        self.id = id
        self.emergency = emergency
        self.person = person
        self.trigger = trigger
        self.state = state
        self.deliveryState = deliveryState
        self.raised = raised
        self.received = received
        self.countdownEnds = countdownEnds
    }
}
