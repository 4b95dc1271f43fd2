import Directory
import Model

/// What to do about an input, in this order.
public enum Effect: Sendable {
    case save(NotifierRow)
    case remove(NotifierKey)
    /// Append to stream `deliveries`.
    case publish(Event)
    /// Hand a message to its gateway after the commit.
    case send(Delivery)
    case answer(request: UInt64, Answer)
    case warn(Warning)
}

/// A row of the notifier's store; it replaces the row with the same key.
public enum NotifierRow: Sendable {
    case emergency(Emergency)
    case escalation(Escalation)
    case signal(SignalWait)
    case notification(Notification)
    case attempt(Attempt)
    case gateway(GatewayHealth)
    case text(ZoneText)
    case number(NumberState)
    /// Append-only.
    case change(NotificationChange)
    /// Append-only.
    case timeline(TimelineRecord)
}

/// Key of a row to delete.
public enum NotifierKey: Hashable, Sendable {
    case signal(EmergencyID)
    case number(String)
}

/// One attempt to hand a message to a gateway.
public struct Delivery: Hashable, Sendable {
    public var notification: NotificationID
    public var attempt: Int
    public var gateway: String
    public var channel: Channel
    public var address: String
    /// Mail only.
    public var subject: String
    public var text: String
    /// Attachment of a mail; nil = none.
    public var file: RequestedMessage.File?
    /// `Message-ID` of a mail. The same for every attempt, so receivers can drop duplicates.
    public var messageID: String
    /// Thread of a mail; nil = none.
    public var thread: String?
    /// Names the message in the gateway's callback.
    public var token: String
    public var isSafety: Bool
    /// Whether an operator tests the gateway.
    public var isTest: Bool
    /// Do not deliver after this time.
    public var expires: Timestamp
    public var trace: String
}

/// Answer to a command.
public enum Answer: Hashable, Sendable {
    case status(EmergencyStatus)
    case denied(Denial)
    /// No such emergency, or the principal may not know of it.
    case unknown
    /// The countdown is still running.
    case notYet
    /// Nobody has ended the emergency, so there is nothing to confirm.
    case notEnded
    case tested(TestResult)
    /// Result of a dry run.
    case wouldSend(Delivery)
    case text(ZoneText)
    case number(NumberState)
    /// The draft has expired.
    case expired
    case unknownGateway
    /// The gateway does not serve this kind of address.
    case wrongAddress
}

/// State of an emergency as the answer to a command.
public struct EmergencyStatus: Hashable, Sendable {
    public var emergency: EmergencyID
    public var state: EmergencyState
    /// Who acknowledged or ended it; nil = the operator.
    public var by: PersonID?
    public var at: Timestamp
    /// Whether the caller acknowledged or ended it.
    public var isYours: Bool
}

/// Outcome of a test message.
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

/// Something that the operator should know.
public enum Warning: Hashable, Sendable {
    case gatewayDown(String, AttemptOutcome, answer: String)
    case gatewayUp(String)
    /// A callback with a valid token names another recipient.
    case receiptForAnother(NotificationID)
    /// No recipient of an emergency is reachable.
    case nobodyReachable(EmergencyID)
    /// A message requested by membership was suppressed.
    case requestSuppressed(NotifyReason)
    /// No evaluator answered this signal, so its escalation was opened here.
    case openedByFallback(EmergencyID)
}
