import Directory
import Hashing
import Model

/// What to do about an input, in this order.
package enum Effect: Sendable {
    case save(NotifierRow)
    case remove(NotifierKey)
    /// Append to stream `deliveries`.
    case publish(Event)
    /// Hand a message to its gateway after the commit.
    case send(OutgoingMessage)
    case answer(request: UInt64, Answer)
    /// Answer a command on the page of a question.
    case answerPage(request: UInt64, QuestionOutcome)
    case warn(Warning)
}

typealias Turn = Directory.Turn<Effect>

extension Directory.Turn where Effect == NotifierCore.Effect {
    mutating func save(_ row: NotifierRow) { emit(.save(row)) }

    /// Publishes an event on stream `deliveries`.
    mutating func publish(_ id: EventID, _ body: EventBody) {
        emit(.publish(Event(id: id, time: now, trace: trace, body: body)))
    }
}

/// A row of the notifier's store; it replaces the row with the same key.
package enum NotifierRow: Sendable {
    case emergency(Emergency)
    case escalation(CircleEscalation)
    case signal(SignalWait)
    case notification(Notification)
    case attempt(Attempt)
    case gateway(GatewayHealth)
    case text(ZoneText)
    case number(NumberState)
    case link(PersonalLink)
    case watch(OwnWatch)
    case question(OwnQuestion)
    case followedPosition(FollowedPositionRow)
    case liveLink(LiveLink)
    case reporting(DeviceReporting)
    case positionQuery(PositionQueryRow)
    case drill(Drill)
    case drillSchedule(DrillSchedule)
    /// Append-only.
    case change(NotificationChange)
    /// Append-only.
    case timeline(TimelineRecord)
}

/// Key of a row to delete.
package enum NotifierKey: Hashable, Sendable {
    case signal(EmergencyID)
    case number(String)
    case watch(PersonID)
    case question(LinkHash)
    case reporting(DeviceID)
    /// By number.
    case positionQuery(String)
    case drill(DrillID)
    case drillSchedule(CircleID)
}

/// One attempt to hand a message to a gateway.
package struct OutgoingMessage: Hashable, Sendable {
    package var notification: NotificationID
    package var attempt: Int
    package var gateway: String
    package var channel: Channel
    package var address: String
    /// Mail only.
    package var subject: String
    package var text: String
    /// Attachment of a mail; nil = none.
    package var file: RequestedMessage.File?
    /// `Message-ID` of a mail. The same for every attempt, so receivers can drop duplicates.
    package var messageID: String
    /// Thread of a mail; nil = none.
    package var thread: String?
    /// Names the message in the gateway's callback.
    package var token: String
    package var isSafety: Bool
    /// Whether an operator tests the gateway.
    package var isTest: Bool
    /// Do not deliver after this time.
    package var expires: Timestamp
    package var trace: String
}

/// Answer to a command.
package enum Answer: Hashable, Sendable {
    case status(EmergencyStatus)
    case denied(Denial)
    /// No such emergency, or the principal may not know of it.
    case unknown
    /// The countdown is still running.
    case notYet
    /// Nobody has ended the emergency, so there is nothing to confirm.
    case notEnded
    /// Ending one's own emergency needs the PIN.
    case pinNeeded
    case wrongPIN
    /// After five wrong PINs one is compared at a time.
    case tooManyPINs(seconds: Int)
    /// Too many wrong codes; another one may be sent after this time.
    case tooMany(after: Duration)
    /// It was not ended by somebody else, or too long ago, so it cannot be reopened.
    case notReopenable
    case tested(TestResult)
    case liveLink(LiveLinkAnswer)
    /// Result of a dry run.
    case wouldSend(OutgoingMessage)
    case text(ZoneText)
    case number(NumberState)
    case drill(DrillAnswer)
    /// The draft has expired.
    case expired
    case unknownGateway
    /// The gateway does not serve this kind of address.
    case wrongAddress
}

/// State of an emergency as the answer to a command.
package struct EmergencyStatus: Hashable, Sendable {
    package var emergency: EmergencyID
    package var state: EmergencyState
    /// Who acknowledged or ended it; nil = the operator.
    package var by: PersonID?
    package var at: Timestamp
    /// Whether the caller acknowledged or ended it.
    package var isYours: Bool
}

/// Outcome of a test message.
package struct TestResult: Hashable, Sendable {
    package var notification: NotificationID
    package var outcome: AttemptOutcome
    package var answer: String

    package init(notification: NotificationID, outcome: AttemptOutcome, answer: String) {
        self.notification = notification
        self.outcome = outcome
        self.answer = answer
    }
}

/// Something that the operator should know.
package enum Warning: Hashable, Sendable {
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
