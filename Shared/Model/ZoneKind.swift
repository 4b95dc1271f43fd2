/// What a zone is for: one row of ``rules`` each.
public enum ZoneKind: String, Sendable, Codable, CaseIterable {
    /// A place to be, such as home or school: its crossings notify others.
    case safe
    /// A place to avoid: it warns the person, too, and rather early than late.
    case alert

    /// How zones of this kind are evaluated and notified. Nothing else depends on the kind.
    @inlinable public var rules: ZoneKindRules {
        switch self {
        case .safe:
            ZoneKindRules(
                isEdgeInside: false, entryReason: .insideBeyondMargin, confirmsEntry: true,
                accuracy: .radius, isNearIfCoarse: false, requiresSharing: true, alarms: false)
        case .alert:
            ZoneKindRules(
                isEdgeInside: true, entryReason: .onEdgeOfAlertZone, confirmsEntry: false,
                accuracy: .diameter, isNearIfCoarse: true, requiresSharing: false, alarms: true)
        }
    }
}

/// Rules that one ``ZoneKind`` has.
public struct ZoneKindRules: Hashable, Sendable {
    /// The worst accuracy that can enter a zone, by the largest circle inside it.
    public enum Accuracy: Sendable { case radius, diameter }

    /// Whether a position on the edge is inside, and no margin is needed to enter.
    public var isEdgeInside: Bool
    /// The reason of an entry.
    public var entryReason: CrossingReason
    /// Whether one fix inside is not enough to enter: another has to confirm it.
    public var confirmsEntry: Bool
    /// The accuracy that a fix needs.
    public var accuracy: Accuracy
    /// Whether a fix that is too inaccurate counts as near.
    public var isNearIfCoarse: Bool
    /// Whether the zone applies only while the person shares their position with its circle.
    public var requiresSharing: Bool
    /// Whether being there alarms the person's own devices.
    ///
    /// Messages are then sent when the alarm starts, otherwise for each enabled transition.
    public var alarms: Bool

    @inlinable init(
        isEdgeInside: Bool, entryReason: CrossingReason, confirmsEntry: Bool, accuracy: Accuracy,
        isNearIfCoarse: Bool, requiresSharing: Bool, alarms: Bool
    ) {
        self.isEdgeInside = isEdgeInside
        self.entryReason = entryReason
        self.confirmsEntry = confirmsEntry
        self.accuracy = accuracy
        self.isNearIfCoarse = isNearIfCoarse
        self.requiresSharing = requiresSharing
        self.alarms = alarms
    }
}
