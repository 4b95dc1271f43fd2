import Model

/// What a message is worth: decides its lane, its age and what happens to it in doubt.
public enum Severity: String, Hashable, Sendable, Codable, CaseIterable {
    /// Emergencies, reminders of watches: own lane, sent again in doubt.
    case safety
    /// Zone news: at most once, and only while it is fresh.
    case news
    /// An operator's try.
    case test
}

/// The words of a message for every kind of channel, so that it can change channels.
public struct Words: Hashable, Sendable, Codable {
    /// For an SMS: one line, the vital part first.
    public var short: String
    /// Of a mail.
    public var subject: String
    /// For a mail.
    public var long: String

    public init(short: String, subject: String, long: String) {
        self.short = short
        self.subject = subject
        self.long = long
    }
}

/// One event for one person on one address.
///
/// Its id is the hash of exactly that, so deciding the same twice makes one message.
public struct Notification: Hashable, Sendable, Codable {
    public var id: NotificationID
    public var reason: NotifyReason
    public var severity: Severity
    /// What happened, for all who are told of it together: contact points are exchanged within it.
    public var scope: EventID
    public var emergency: EmergencyID?
    public var circle: CircleID?
    /// Whom it is about; nil where that is nobody.
    public var person: PersonID?
    /// Who is told; nil where they are only an address.
    public var recipient: PersonID?
    /// Other recipients who have the same address and for whom this message counts, too; nil =
    /// none.
    public var alsoFor: [PersonID]?
    /// It says where the person is; nil = it does not.
    public var showsPlace: Bool?
    public var channel: Channel
    public var address: String
    /// All addresses of the recipient that are told just this, this one too; nil in old rows.
    public var addresses: [String]?
    /// Only this gateway will do; nil = any of the channel.
    public var gatewayWanted: String?
    public var words: Words
    /// What comes with a mail; nil = nothing.
    public var file: RequestedMessage.File?
    /// The code that people can say to each other.
    public var reference: String
    /// Unguessable; names this message in a gateway's callback.
    public var token: String
    public var created: Timestamp
    /// Its place among all news, in the order in which that was made; nil where it waits for no
    /// other, and in old rows.
    public var order: UInt64?
    /// Not worth sending from then on.
    public var expires: Timestamp
    public var state: NotificationState = .queued
    /// Attempts begun.
    public var attempts: Int = 0
    /// Attempts of which nobody knows whether they reached the gateway.
    public var doubts: Int = 0
    /// An attempt is on its way.
    public var isInFlight = false
    public var attemptStarted: Timestamp?
    /// When it is tried again; nil once nothing more will be tried.
    public var due: Timestamp?
    /// The timer's clock for `due`, where the wait is long.
    public var clock: ClockID?
    /// Gateways that will not take it.
    public var gatewaysRefusing: [String] = []
    /// Gateways that asked to be left alone by it until then; nil = none did.
    public var gatewaysResting: [String: Timestamp]?
    /// The gateway of the last attempt.
    public var gateway = ""
    /// That gateway's last answer in short.
    public var answer = ""
    /// The gateway's own id of the message, where it told one.
    public var gatewayMessage: String?
    /// When what it tells happened, where that was while the notifier was away and it does not say
    /// so yet.
    public var wasDue: Timestamp?
    /// It waits for the operator; false = no longer, nil = it never did.
    public var isHeld: Bool?
    public var trace: String

    var lane: Lane { Lane(isSafety: severity == .safety, channel: channel) }

    /// Whether a gateway asked to be left alone by it.
    func rests(_ gateway: String, at now: Timestamp) -> Bool {
        gatewaysResting?[gateway].map { now < $0 } ?? false
    }

    /// Waiting for a first or a further attempt, or in the middle of one.
    public var isPending: Bool { isInFlight || due != nil }
}

extension NotificationState {
    /// States move to a higher rank only. A delivery outranks a refusal: of two attempts one may
    /// have been refused and the other arrived.
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
    /// Moves forward; false, and nothing changes, if that would be back or on the spot.
    mutating func move(to next: NotificationState) -> Bool {
        guard next.rank > state.rank else { return false }
        state = next
        return true
    }
}

/// One try to hand a message to a gateway; its row is written before the network hears of it.
public struct Attempt: Hashable, Sendable, Codable {
    public var notification: NotificationID
    /// From 1.
    public var number: Int
    public var gateway: String
    public var started: Timestamp
    public var finished: Timestamp?
    /// Nil while it is on its way.
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

/// A change of a message, kept for good.
public struct NotificationChange: Hashable, Sendable, Codable {
    public var notification: NotificationID
    public var at: Timestamp
    public var state: NotificationState
    public var gateway: String
    public var answer: String
}
