import Geometry
import Model

/// The presence of a person in a zone after a fix, and its reason.
struct ZoneVerdict: Hashable {
    let presence: Presence
    /// The presence by the fix alone, without hysteresis or history.
    let raw: Presence
    let reason: CrossingReason
    let distance: SignedDistance
    /// The margin that the fix had to be beyond, centimetres.
    let margin: Int32
    /// Near only because the fix is too inaccurate to say more.
    var isCoarse = false

    /// - Parameters:
    ///   - inradiusCentimetres: the zone's.
    ///   - margin: required by hysteresis and accuracy, centimetres.
    ///   - isCoarse: whether the fix is too inaccurate for the zone.
    ///   - before: nil for the first decision about this person and zone.
    init(
        distance: SignedDistance, zone: ActiveZone, inradiusCentimetres: Int32, margin: Int32,
        isCoarse: Bool = false, before: Presence?
    ) {
        self.distance = distance
        let beyond = distance.centimetres
        let rules = zone.kind.rules
        let isIn = rules.isEdgeInside ? beyond <= 0 : distance.isInside
        let outside = ZoneVerdict.isNear(beyond, zone, more: 0) ? Presence.near : .outside
        raw = isIn ? .inside : outside
        guard let before, before != .unknown else {
            let isTooCoarse = isCoarse && (isIn || rules.isNearIfCoarse && outside == .near)
            (reason, self.margin) = (isTooCoarse ? .tooCoarse : .initial, 0)
            presence = isTooCoarse ? (rules.isNearIfCoarse ? .near : .unknown) : raw
            self.isCoarse = isTooCoarse && rules.isNearIfCoarse
            return
        }
        if before == .inside {
            self.margin = margin
            reason = beyond <= margin ? .withinMargin : .outsideBeyondMargin
            presence = beyond <= margin ? .inside : outside
            return
        }
        if isCoarse, isIn || rules.isNearIfCoarse && outside == .near {
            self.margin = 0
            reason = .tooCoarse
            presence = rules.isNearIfCoarse ? .near : before
            self.isCoarse = rules.isNearIfCoarse
            return
        }
        // With a large margin a small zone could never be entered.
        let entering = rules.isEdgeInside ? 0 : min(margin, inradiusCentimetres / 4)
        if rules.isEdgeInside ? beyond <= 0 : beyond < -entering {
            self.margin = entering
            reason = rules.entryReason
            presence = .inside
        } else if before == .near {
            let stays = ZoneVerdict.isNear(beyond, zone, more: margin)
            self.margin = isIn ? entering : margin
            reason = stays ? .withinMargin : .beyondAlertDistance
            presence = stays ? .near : .outside
        } else {
            self.margin = outside == .near ? 0 : entering
            reason = outside == .near ? .withinAlertDistance : .withinMargin
            presence = outside
        }
    }

    /// The verdict with the earlier presence kept, if the fix is too inaccurate to decide.
    func keeping(_ before: Presence) -> ZoneVerdict {
        guard presence == .unknown else { return self }
        return ZoneVerdict(
            presence: before, raw: raw, reason: reason, distance: distance, margin: margin)
    }

    /// Whether the verdict is farther away than the earlier presence.
    func isLeave(from before: Presence) -> Bool { presence.isFarther(than: before) }

    /// Whether the fix alone is farther away than the earlier presence.
    func isAway(from before: Presence) -> Bool { raw.isFarther(than: before) }

    /// Whether the fix alone is farther away but the verdict is not.
    func isHeldBack(from before: Presence) -> Bool {
        raw.isFarther(than: before) && !isLeave(from: before)
    }

    /// The verdict with an unconfirmed change suppressed.
    ///
    /// - Parameter margin: beyond which one fix would be enough, centimetres.
    func unconfirmed(_ before: Presence, margin: Int32) -> ZoneVerdict {
        ZoneVerdict(
            presence: before, raw: raw, reason: .unconfirmed, distance: distance, margin: margin)
    }

    private init(
        presence: Presence, raw: Presence, reason: CrossingReason, distance: SignedDistance,
        margin: Int32
    ) {
        self.presence = presence
        self.raw = raw
        self.reason = reason
        self.distance = distance
        self.margin = margin
    }

    private static func isNear(_ beyond: Int32, _ zone: ActiveZone, more: Int32) -> Bool {
        zone.alertCentimetres > 0 && beyond <= zone.alertCentimetres + more
    }
}

extension Presence {
    fileprivate func isFarther(than before: Presence) -> Bool {
        switch before {
        case .inside: self != .inside
        case .near: self == .outside
        case .unknown, .outside: false
        }
    }
}
