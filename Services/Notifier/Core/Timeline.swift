import Model

/// What a line of a circle's timeline tells.
public enum TimelineKind: String, Hashable, Sendable, Codable, CaseIterable {
    case entered, left, approached, dwelled
    /// In and out between two fixes.
    case passedThrough = "passed-through"
    /// Not inside by a time of day.
    case absent
    /// Nobody knows whether they are inside by a time of day.
    case noContact = "no-contact"
    case alarmStarted = "alarm-started"
    case alarmEnded = "alarm-ended"
    /// A phone is not heard, and its person has not answered.
    case contactLost = "contact-lost"
    case contactRestored = "contact-restored"
    case batteryLow = "battery-low"
    /// Something keeps a phone from reporting: it may fall silent.
    case phoneBlind = "phone-blind"
    /// A text to a number outside of the circle was sent, proposed or withheld.
    case message
    case emergencyOpened = "emergency-opened"
    /// Opened without an evaluator.
    case emergencyAdopted = "emergency-adopted"
    /// Heard of too late for a ladder.
    case emergencyRecorded = "emergency-recorded"
    case pressedAgain = "pressed-again"
    /// Somebody answered by SMS.
    case reply
    case tier
    case exhausted
    case taken
    case confirmed
    case holderAsked = "holder-asked"
    case resumed
    case resolved
    /// Somebody ended it in another circle; it goes on in this one.
    case resolvedElsewhere = "resolved-elsewhere"
    case cancelled
}

/// One thing that happened in a circle, and who was told of it and why; written once.
public struct TimelineRecord: Hashable, Sendable, Codable {
    public var circle: CircleID
    public var at: Timestamp
    public var kind: TimelineKind
    /// Whom it is about.
    public var person: PersonID
    public var zone: ZoneID?
    public var zoneName: String?
    public var emergency: EmergencyID?
    /// Who did it; nil = nobody, or the operator.
    public var by: PersonID?
    /// What they wrote.
    public var words: String?
    /// From 0.
    public var tier: Int?
    public var round: Int?
    /// Everybody about whom was decided.
    public var decisions: [NotifyDecision]
    /// Only a sink took what was sent: nobody outside was reached; nil = not so.
    public var isSinkOnly: Bool?
    /// The person shared it with the circle when it happened.
    public var isShared: Bool
    public var trace: String

    public init(
        circle: CircleID, at: Timestamp, kind: TimelineKind, person: PersonID,
        emergency: EmergencyID? = nil, by: PersonID? = nil, decisions: [NotifyDecision] = [],
        isShared: Bool = true, trace: String = ""
    ) {
        self.circle = circle
        self.at = at
        self.kind = kind
        self.person = person
        self.emergency = emergency
        self.by = by
        self.decisions = decisions
        self.isShared = isShared
        self.trace = trace
    }
}
