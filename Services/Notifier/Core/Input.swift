import Model

/// Everything that can happen to the notifier.
public enum Input: Sendable {
    /// The process has begun: what was on its way may have arrived or not.
    case started
    /// An event of `events/p`, `sos` or `fired`, for the first time.
    case event(Event)
    /// The directory has changed by this step; the replica already knows.
    case directory(EventBody)
    case acknowledge(Command)
    case resolve(Command)
    /// The person in danger confirms what somebody else ended.
    case confirmEnd(Command)
    /// An operator tries a gateway.
    case test(GatewayTest)
    /// A person wants a proposed text sent.
    case send(SendCommand)
    /// A number wants no texts of zones any more, or wants them again.
    case stop(request: UInt64, number: String, stopped: Bool)
    /// Membership asks to have something sent once.
    case requested(RequestedMessage, by: EventID, expires: Timestamp, trace: String)
    case attempted(AttemptResult)
    case receipt(Receipt)
    /// A text came in, for the first time.
    case reply(Reply)
    /// Ingest's store is not the one that it was: it and the evaluators may not know of what goes
    /// on here. Of people of one partition, or of everybody.
    case ingestReplaced(Partition?)
    /// The operator has what is held sent now.
    case release([Held])
    /// The operator wants nothing to come of what is held.
    case drop([Held])
    /// Publish again who can be reached, for services that have lost it.
    case publishReachability
    /// Time has passed.
    case tick
}

/// A human wants to take or to end an emergency.
public struct Command: Hashable, Sendable {
    /// Names the request until it is answered.
    public var request: UInt64
    public var emergency: EmergencyID
    public var principal: Principal
    public var note: String?
    public var trace: String

    public init(
        request: UInt64, emergency: EmergencyID, principal: Principal, note: String? = nil,
        trace: String = ""
    ) {
        self.request = request
        self.emergency = emergency
        self.principal = principal
        self.note = note
        self.trace = trace
    }
}

/// How an attempt ended.
public struct AttemptResult: Hashable, Sendable {
    public var notification: NotificationID
    public var number: Int
    public var outcome: AttemptOutcome
    /// The gateway's answer in short, without address or text.
    public var answer: String
    /// The gateway's own id of the message.
    public var gatewayMessage: String?
    /// What the gateway wants to be waited.
    public var retryAfter: Duration?
    /// The recipient has told the gateway to stop; with ``AttemptOutcome/refused``.
    public var isOptOut: Bool

    public init(
        notification: NotificationID, number: Int, outcome: AttemptOutcome, answer: String = "",
        gatewayMessage: String? = nil, retryAfter: Duration? = nil, isOptOut: Bool = false
    ) {
        self.isOptOut = isOptOut
        self.notification = notification
        self.number = number
        self.outcome = outcome
        self.answer = answer
        self.gatewayMessage = gatewayMessage
        self.retryAfter = retryAfter
    }
}

/// A gateway's callback about a message.
public struct Receipt: Sendable {
    public var notification: NotificationID
    /// The row as stored, for a message that is not in memory any more.
    public var stored: Notification?
    public var kind: ReceiptKind
    /// The address as the gateway tells it; nil where it does not.
    public var address: String?
    public var answer: String
    /// The recipient has told the gateway to stop; with ``ReceiptKind/failed``.
    public var isOptOut: Bool

    public init(
        notification: NotificationID, stored: Notification? = nil, kind: ReceiptKind,
        address: String? = nil, answer: String = "", isOptOut: Bool = false
    ) {
        self.isOptOut = isOptOut
        self.notification = notification
        self.stored = stored
        self.kind = kind
        self.address = address
        self.answer = answer
    }
}

/// An operator's message through one gateway.
public struct GatewayTest: Hashable, Sendable {
    public var request: UInt64
    public var gateway: String
    /// A number with plus, or a mail address.
    public var to: String
    /// The notification's.
    public var id: ID128
    /// It is shown what would be sent, and nothing is.
    public var isDry: Bool
    public var trace: String

    public init(
        request: UInt64, gateway: String, to: String, id: ID128, isDry: Bool = false,
        trace: String
    ) {
        self.request = request
        self.gateway = gateway
        self.to = to
        self.id = id
        self.isDry = isDry
        self.trace = trace
    }
}
