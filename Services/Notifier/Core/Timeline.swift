import Model

/// Kind of a timeline entry.
package enum TimelineKind: String, Hashable, Sendable, Codable, CaseIterable {
    case entered, left, approached, dwelled
    /// In and out between two fixes.
    case passedThrough = "passed-through"
    /// Not inside by the given time of day.
    case absent
    /// Contact was lost at the given time of day, so presence is unknown.
    case noContact = "no-contact"
    case alarmStarted = "alarm-started"
    case alarmEnded = "alarm-ended"
    /// Contact with a phone is lost, and its person has not checked in.
    case contactLost = "contact-lost"
    case contactRestored = "contact-restored"
    case batteryLow = "battery-low"
    /// Something keeps a phone from reporting.
    case deviceImpaired = "device-impaired"
    /// A zone text to a number outside the circle was sent, drafted or suppressed.
    case message
    case emergencyOpened = "emergency-opened"
    /// Opened without an evaluator.
    case emergencyFallbackOpened = "fallback-opened"
    /// Received too late for an escalation.
    case emergencyRecorded = "emergency-recorded"
    case pressedAgain = "pressed-again"
    /// Somebody replied by SMS.
    case reply
    case tier
    case exhausted
    case acknowledged
    case confirmed
    /// A responder handed back.
    case withdrawn
    case acknowledgementReminder = "acknowledgement-reminder"
    case resumed
    case resolved
    /// It ended in another circle and is active in this one.
    case resolvedElsewhere = "resolved-elsewhere"
    case cancelled
}

/// Something that happened in a circle, with all decisions about notifications; append-only.
package struct TimelineRecord: Hashable, Sendable, Codable {
    package var circle: CircleID
    package var at: Timestamp
    package var kind: TimelineKind
    /// Whom it is about.
    package var person: PersonID
    package var zone: ZoneID?
    package var zoneName: String?
    package var emergency: EmergencyID?
    /// Who did it; nil = nobody, or the operator.
    package var by: PersonID?
    /// Text of a reply.
    package var text: String?
    /// From 0.
    package var tier: Int?
    package var round: Int?
    /// One decision per person considered.
    package var decisions: [NotifyDecision]
    /// Whether messages went to a sink only, so nobody outside was reached; nil = no.
    package var isSinkOnly: Bool?
    /// Whether its person must never see it: an emergency under duress; nil = no.
    package var isCovert: Bool?
    /// Whether the person shared with the circle at the time.
    package var isShared: Bool
    package var trace: String

    package init(
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
