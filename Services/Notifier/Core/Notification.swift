import Model

/// Class of a message: decides its lane, its maximum age and what an unknown outcome leads to.
public enum Severity: String, Hashable, Sendable, Codable, CaseIterable {
    /// Emergencies and reminders of watches: own lane, resent after an unknown outcome.
    case safety
    /// Zone notifications and others: at most once, and only while they are fresh.
    case routine = "news"
    /// A gateway test.
    case test
}

/// A message rendered for every kind of channel, so that it can change channels.
public struct RenderedMessage: Hashable, Sendable, Codable {
    /// SMS: one line, the vital part first.
    public var short: String
    /// Mail only.
    public var subject: String
    /// Mail only.
    public var long: String

    public init(short: String, subject: String, long: String) {
        self.short = short
        self.subject = subject
        self.long = long
    }
}

/// One event for one recipient at one address.
///
/// Its id is a hash of these, so deciding twice creates one message.
public struct Notification: Hashable, Sendable, Codable {
    public var id: NotificationID
    public var reason: NotifyReason
    public var severity: Severity
    /// What happened, the same for all recipients. Contact points fail over within it.
    public var scope: EventID
    public var emergency: EmergencyID?
    public var circle: CircleID?
    /// Whom it is about; nil = nobody.
    public var person: PersonID?
    /// Who is notified; nil = only an address.
    public var recipient: PersonID?
    /// Other recipients with the same address for whom this message counts; nil = none.
    public var alsoFor: [PersonID]?
    /// Whether it shows the person's position; nil = no.
    public var showsPlace: Bool?
    public var channel: Channel
    public var address: String
    /// All addresses of the recipient that get this message, including this one; nil in old rows.
    public var addresses: [String]?
    /// The only gateway to use; nil = any of the channel.
    public var requiredGateway: String?
    public var rendered: RenderedMessage
    /// Attachment of a mail; nil = none.
    public var file: RequestedMessage.File?
    /// Code of the emergency for people.
    public var reference: String
    /// Unguessable; names this message in a gateway's callback.
    public var token: String
    public var created: Timestamp
    /// Position among all routine messages, by creation; nil = not ordered, or an old row.
    public var order: UInt64?
    /// Do not send after this time.
    public var expires: Timestamp
    public var state: NotificationState = .queued
    /// Attempts started.
    public var attempts: Int = 0
    /// Attempts with unknown outcome.
    public var unknownOutcomes: Int = 0
    /// Whether an attempt is in flight.
    public var isInFlight = false
    public var attemptStarted: Timestamp?
    /// Time of the next attempt; nil = none.
    public var due: Timestamp?
    /// The timer's deadline for `due`, for long waits.
    public var deadline: DeadlineID?
    /// Gateways that reject this address.
    public var rejectingGateways: [String] = []
    /// End of the back-off of each gateway that asked this message to wait; nil = none did.
    public var gatewayBackoffs: [String: Timestamp]?
    /// The gateway of the last attempt.
    public var gateway = ""
    /// That gateway's last answer, shortened.
    public var answer = ""
    /// The gateway's message id, if it gave one.
    public var gatewayMessage: String?
    /// When its event happened, if that was during an outage and the text does not say so yet.
    public var wasDue: Timestamp?
    /// Whether it waits for the operator; false = not any more, nil = never did.
    public var isHeld: Bool?
    public var trace: String

    var lane: Lane { Lane(isSafety: severity == .safety, channel: channel) }

    /// Whether a gateway asked this message to wait.
    func isBackingOff(_ gateway: String, at now: Timestamp) -> Bool {
        gatewayBackoffs?[gateway].map { now < $0 } ?? false
    }

    /// Whether an attempt is waiting or in flight.
    public var isPending: Bool { isInFlight || due != nil }
}

extension NotificationState {
    /// States move to a higher rank only. Delivered outranks rejected: of two attempts, one may
    /// have been rejected while the other arrived.
    var rank: Int {
        switch self {
        case .queued: 0
        case .sending: 1
        case .unknown: 2
        case .accepted, .sink: 3
        case .refused, .expired: 4
        case .delivered: 5
        }
    }
}

extension Notification {
    /// Moves to a state of higher rank.
    ///
    /// - Returns: false, without a change, if the rank is not higher
    mutating func move(to next: NotificationState) -> Bool {
        guard next.rank > state.rank else { return false }
        state = next
        return true
    }
}

/// One attempt to hand a message to a gateway. Its row is committed before the network call.
public struct Attempt: Hashable, Sendable, Codable {
    public var notification: NotificationID
    /// From 1.
    public var number: Int
    public var gateway: String
    public var started: Timestamp
    public var finished: Timestamp?
    /// Nil while in flight.
    public var outcome: AttemptOutcome?
    public var answer: String

    public init(
        notification: NotificationID, number: Int, gateway: String, started: Timestamp,
        finished: Timestamp? = nil, outcome: AttemptOutcome? = nil, answer: String = ""
    ) {
        self.notification = notification
        self.number = number
        self.gateway = gateway
        self.started = started
        self.finished = finished
        self.outcome = outcome
        self.answer = answer
    }
}

/// A state change of a message; append-only.
public struct NotificationChange: Hashable, Sendable, Codable {
    public var notification: NotificationID
    public var at: Timestamp
    public var state: NotificationState
    public var gateway: String
    public var answer: String
}
