import Model

/// Something that became due during an outage.
package enum HeldItem: Hashable, Comparable, Sendable {
    /// All messages about an emergency, or a signal that no evaluator answered.
    case emergency(EmergencyID)
    /// A message about something else.
    case message(NotificationID)
}

/// A held item as shown to the operator.
package struct HeldSummary: Hashable, Sendable {
    package var item: HeldItem
    /// Whom it is about.
    package var person: PersonID?
    package var emergency: EmergencyID?
    /// Messages only.
    package var recipient: PersonID?
    package var channel: Channel?
    package var due: Timestamp
    /// An emergency's trigger, or a message's reason.
    package var reason: String
}
