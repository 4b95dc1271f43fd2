import Model

/// The known presence of a person in a zone. Without one, the person is outside, or nothing was
/// decided yet.
struct ZonePresence: Hashable, Sendable {
    var zone: ZoneID
    /// `outside` only if a change is suppressed; `unknown` while all fixes were too inaccurate for
    /// the first decision.
    var presence: Presence
    /// When it began; stays are measured from here.
    var since: Timestamp
    /// Whether a change was suppressed and reported, and no fix has agreed with the state since.
    var isSuppressed = false
    /// When the person has left by one fix if no other arrives; nil if the trusted fix does not say
    /// so.
    var leaving: Timestamp? {
        get { isEntering ? nil : pending }
        set { if newValue != nil || !isEntering { (pending, isEntering) = (newValue, false) } }
    }
    /// Time of the first of the fixes that show the person inside a safe zone but are not enough to
    /// enter; nil if the trusted one does not. Nobody leaves meanwhile.
    var entering: Timestamp? {
        get { isEntering ? pending : nil }
        set {
            if newValue != nil || isEntering { (pending, isEntering) = (newValue, newValue != nil) }
        }
    }
    /// The value of ``leaving`` or ``entering``.
    private var pending: Timestamp?
    private var isEntering = false
    /// Whether only a fix that is too inaccurate for the zone says near: no alarm rings.
    var isCoarse = false
    /// Whether a single fix led to it and none has agreed since.
    var restsOnOneFix = false
    /// Whether the dwell event was emitted.
    var hasDwelled = false
    /// Whether the zone's schedule is closed. When it opens, the person would be found with this
    /// presence. If a change is suppressed as well, nobody is found: the next fix decides, or
    /// ``leaving`` if none arrives.
    var isClosed = false

    init(zone: ZoneID, presence: Presence, since: Timestamp) {
        self.zone = zone
        self.presence = presence
        self.since = since
    }

    /// Whether it carries information.
    var isWorthKeeping: Bool { presence != .outside || isSuppressed }

    /// Whether there is a presence to leave and a suppressed change.
    var canBeLeaving: Bool { (presence == .inside || presence == .near) && isSuppressed }

    /// Whether it is inside without anything suppressed or unconfirmed.
    var isSettledInside: Bool { presence == .inside && settled == .inside }

    /// The presence if nothing is suppressed or unconfirmed; otherwise `unknown`.
    var settled: Presence {
        isSuppressed || isClosed || restsOnOneFix || isCoarse ? .unknown : presence
    }

    /// Whether the last fix neither left the closed zone nor agrees with it.
    var isInDoubt: Bool { isClosed && isSuppressed }

    /// Whether the person counts as inside or near.
    var isPresent: Bool { !isClosed && (presence == .inside || presence == .near) }

    /// Whether the first decision waits for a more accurate fix.
    var isUndecided: Bool { presence == .unknown }
}

extension PartitionState {
    /// Memory of one presence, bytes.
    public static let bytesOfPresence = MemoryLayout<ZonePresence>.stride
}

/// A change of presence by one record. Alarms, messages and policies depend on it.
struct PresenceChange: Sendable {
    let zone: ZoneID
    let kind: ZoneKind
    let source: ZoneSource
    /// Details of the zone as evaluated; of a removed zone, its last ones.
    let details: ZoneDetails
    /// `unknown`: nothing was decided yet.
    let before: Presence
    /// `unknown`: cleared, because the zone no longer applies to the person.
    let after: Presence
    let reason: CrossingReason
    /// Whether the state was found and not observed to begin.
    let isInitial: Bool
    /// Whether the path between two fixes decided it: entered and left by one record.
    var interpolated = false
}
