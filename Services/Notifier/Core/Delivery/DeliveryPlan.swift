import Model

/// What the messages of one notice have in common.
struct DeliveryPlan {
    var reason: NotifyReason
    var severity: Severity
    var scope: EventID
    var emergency: Emergency?
    /// The drill whose code and link the message contains; nil = none.
    var drill: Drill?
    var circle: Circle?
    var person: PersonID?
    /// Preferred contact points of these channels; nil = all contact points.
    var channels: [Channel]? = Channel.allCases
    /// Addresses that get no message.
    var except: Set<String> = []
    /// Exactly these contact points; nil = by the channels.
    var contacts: [ContactPoint]?
    var expires = Timestamp.distantFuture
    /// The watch or check-in to whose page the text links; nil = none.
    var question: ID128?
    /// Whether the text shows the person's position.
    var showsPlace = false
    /// Time of the call that the text describes, if it is not the first signal.
    var raised: Timestamp?
    /// What the person reads of it instead; nil = the same as the recipient.
    var disguise: Disguise?

    init(reason: NotifyReason, severity: Severity, scope: EventID) {
        self.reason = reason
        self.severity = severity
        self.scope = scope
    }
}

/// What a person reads of a message to others while an emergency of theirs goes on after a duress
/// PIN.
struct Disguise {
    /// Nil = the message is not sent, and reads as if it were.
    var shown: NoticeContent?
    /// Addresses that get what the person reads.
    var ownAddresses: Set<String>
}

/// Result of notifying one person.
struct DeliveryOutcome {
    var reason: NotifyReason
    /// The messages that carry the notice, new or existing.
    var notifications: [NotificationID] = []
    /// Whether nothing was sent because of the person's never-notify list. ``reason`` is that of a
    /// notified recipient, so that nobody can infer the list.
    var isWithheld = false
    /// Whether a withheld message would have had an address that is not known to be unreachable.
    var isWaitedFor = false

    init(reason: NotifyReason) { self.reason = reason }
}

/// What delivery knows of an emergency.
struct EmergencyFacts: Hashable, Sendable {
    let isActive: Bool
    /// Whether it does not exist for its person.
    let isCovert: Bool
    /// Whether its messages wait for the operator; false = not any more, nil = never did.
    let isHeld: Bool?
    let raised: Timestamp
    /// When the last further call was raised; nil = none, or not known.
    let lastCall: Timestamp?
    /// Circles of the person when it opened under duress; nil = a usual emergency.
    let keptCircles: [CircleID]?

    init(_ emergency: Emergency) {
        isActive = emergency.state.isActive
        isCovert = !emergency.isVisible(to: emergency.person)
        isHeld = emergency.isHeld
        raised = emergency.raised
        lastCall = emergency.latest?.raised
        keptCircles = emergency.keptMemberships?.map(\.circle)
    }
}

/// What delivery leaves to the machines that asked for a message.
enum DeliveryEvent {
    /// Every gateway rejects the message's address; others of the recipients were tried.
    case rejected(Notification, replacements: [NotificationID])
    /// A message is held, so its emergency is.
    case held(EmergencyID)
}
