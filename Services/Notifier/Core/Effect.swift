import Directory
import Model

/// What is to be done about an input, in this order.
public enum Effect: Sendable {
    case save(NotifierRow)
    case remove(NotifierKey)
    /// On `deliveries`.
    case publish(Event)
    /// Hand a message to its gateway, after the commit.
    case send(Delivery)
    case answer(request: UInt64, Answer)
    case warn(Warning)
}

/// A row of the notifier's store; the same key is written over.
public enum NotifierRow: Sendable {
    case emergency(Emergency)
    case ladder(Ladder)
    case signal(SignalWait)
    case notification(Notification)
    case attempt(Attempt)
    case gateway(GatewayHealth)
    case text(ZoneText)
    case number(NumberState)
    /// Only ever added.
    case change(NotificationChange)
    /// Only ever added.
    case timeline(TimelineRecord)
}

/// A row that is not needed any more.
public enum NotifierKey: Hashable, Sendable {
    case signal(EmergencyID)
    case number(String)
}

/// One attempt to hand one message to one gateway.
public struct Delivery: Hashable, Sendable {
    public var notification: NotificationID
    public var attempt: Int
    public var gateway: String
    public var channel: Channel
    public var address: String
    /// Of a mail.
    public var subject: String
    public var text: String
    /// What comes with a mail; nil = nothing.
    public var file: RequestedMessage.File?
    /// The same for every attempt: a receiver may fold duplicates by it. Of a mail.
    public var messageID: String
    /// The thread of a mail; nil where it stands alone.
    public var thread: String?
    /// For the gateway's callback.
    public var token: String
    public var isSafety: Bool
    /// An operator tries the gateway.
    public var isTest: Bool
    /// Not worth delivering from then on.
    public var expires: Timestamp
    public var trace: String
}

/// The answer to a command.
public enum Answer: Hashable, Sendable {
    case standing(Standing)
    case denied(Denial)
    /// No such emergency, or none of theirs.
    case unknown
    /// It is still counting down.
    case notYet
    /// Nobody has ended it: there is nothing to confirm.
    case notEnded
    case tested(TestResult)
    /// A test that is only shown.
    case wouldSend(Delivery)
    case text(ZoneText)
    case number(NumberState)
    /// The text was proposed too long ago.
    case expired
    case unknownGateway
    /// The gateway does not serve addresses of this kind.
    case wrongAddress
}

/// Where an emergency stands, and whose it is.
public struct Standing: Hashable, Sendable {
    public var emergency: EmergencyID
    public var state: EmergencyState
    /// Who took it, or ended it; nil = the operator.
    public var by: PersonID?
    public var at: Timestamp
    /// The one who asks did.
    public var isYours: Bool
}

/// What became of a test message.
public struct TestResult: Hashable, Sendable {
    public var notification: NotificationID
    public var outcome: AttemptOutcome
    public var answer: String

    public init(notification: NotificationID, outcome: AttemptOutcome, answer: String) {
        self.notification = notification
        self.outcome = outcome
        self.answer = answer
    }
}

/// What an operator should know.
public enum Warning: Hashable, Sendable {
    case gatewayDown(String, AttemptOutcome, answer: String)
    case gatewayUp(String)
    /// A callback with the right token names another recipient.
    case receiptForAnother(NotificationID)
    /// An emergency cannot be told to anybody now.
    case nobodyReachable(EmergencyID)
    /// What membership wanted sent is not.
    case requestWithheld(NotifyReason)
    /// No evaluator answered this signal: the ladder was opened here.
    case adopted(EmergencyID)
}
