import Hashing
import Model

/// An input of the notifier's core.
package enum Input: Sendable {
    /// The process has started; the outcome of in-flight attempts is unknown.
    case started
    /// A new event of `events/p`, `sos` or `deadlines`.
    case event(Event)
    /// The directory has changed; the replica already has the change.
    case directory(EventBody)
    case acknowledge(Command)
    /// A responder hands back.
    case withdraw(Command)
    case acknowledgeByReference(ReferenceCommand)
    case resolve(Command)
    /// The person in danger confirms the end of their emergency.
    case confirmEnd(Command)
    /// A person answers a question about their watch or check-in on its page.
    case answerQuestion(QuestionCommand)
    /// Somebody was shown the page of a personal link.
    case look(LinkHash)
    case makeLiveLink(LiveLinkRequest)
    case revokeLiveLink(LiveLinkRevocation)
    /// Somebody was shown the page of a live link.
    case liveLook(LinkHash)
    /// The person in danger reopens an emergency that somebody else ended.
    case reopen(Command)
    /// Starts, stops, schedules or answers a drill.
    case drill(DrillCommand)
    /// An operator tests a gateway.
    case test(GatewayTest)
    /// A person sends a draft.
    case send(SendCommand)
    /// The operator sets or clears the opt-out of a number from zone texts.
    case setOptOut(request: UInt64, number: String, isOptedOut: Bool)
    /// Membership requests a message, sent at most once.
    case requested(RequestedMessage, by: EventID, expires: Timestamp, trace: String)
    case attempted(AttemptResult)
    case receipt(Receipt)
    /// A new incoming SMS.
    case reply(Reply)
    /// Ingest's store was replaced: ingest and evaluators may have lost emergencies of one
    /// partition, or of all (nil).
    case ingestReplaced(Partition?)
    /// The operator releases held items.
    case release([HeldItem])
    /// The operator drops held items.
    case drop([HeldItem])
    /// Publish reachability again, for services that have lost it.
    case publishReachability
    /// Time has passed.
    case tick
}

/// A command to acknowledge or end an emergency.
package struct Command: Hashable, Sendable {
    /// Id of the HTTP request, for the answer.
    package var request: UInt64
    package var emergency: EmergencyID
    package var principal: Principal
    package var note: String?
    /// As entered by the person in danger; nil = none.
    package var pin: String?
    package var trace: String

    package init(
        request: UInt64, emergency: EmergencyID, principal: Principal, note: String? = nil,
        pin: String? = nil, trace: String = ""
    ) {
        self.pin = pin
        self.request = request
        self.emergency = emergency
        self.principal = principal
        self.note = note
        self.trace = trace
    }
}

/// Result of an attempt.
package struct AttemptResult: Hashable, Sendable {
    package var notification: NotificationID
    package var number: Int
    package var outcome: AttemptOutcome
    /// The gateway's answer, shortened, without address or text.
    package var answer: String
    /// The gateway's message id.
    package var gatewayMessage: String?
    /// Wait requested by the gateway.
    package var retryAfter: Duration?
    /// The recipient has opted out at the gateway; with ``AttemptOutcome/rejected``.
    package var isOptOut: Bool

    package init(
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

/// Delivery receipt of a gateway.
package struct Receipt: Sendable {
    package var notification: NotificationID
    /// The stored row, for a message that is not in memory.
    package var stored: Notification?
    package var kind: ReceiptKind
    /// Address named by the gateway; nil = none.
    package var address: String?
    package var answer: String
    /// The recipient has opted out at the gateway; with ``ReceiptKind/failed``.
    package var isOptOut: Bool

    package init(
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

/// Test message of an operator through one gateway.
package struct GatewayTest: Hashable, Sendable {
    package var request: UInt64
    package var gateway: String
    /// Number in E.164, or mail address.
    package var to: String
    /// Id of the notification.
    package var id: ID128
    /// Dry run: the message is shown, not sent.
    package var isDry: Bool
    package var trace: String

    package init(
        request: UInt64, gateway: String, to: String, id: ID128, isDry: Bool = false, trace: String
    ) {
        self.request = request
        self.gateway = gateway
        self.to = to
        self.id = id
        self.isDry = isDry
        self.trace = trace
    }
}
