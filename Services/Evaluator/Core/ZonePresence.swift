import Model

/// What is known of a person and a zone. Where there is none, the person is outside, or nothing was
/// decided yet.
struct ZonePresence: Hashable, Sendable {
    let zone: ZoneID
    /// `outside` only where something is held back; `unknown` while only fixes have come that are
    /// too inaccurate for the first decision.
    var presence: Presence
    /// When it became so; stays are counted from here.
    var since: Timestamp
    /// A change was held back, and told, and nothing has agreed with the state since.
    var isWithheld = false
    /// When the person has left, as one fix says, if no other comes until then; nil if the trusted
    /// fix says no such thing.
    var leaving: Timestamp? {
        get { isComing ? nil : pending }
        set { if newValue != nil || !isComing { (pending, isComing) = (newValue, false) } }
    }
    /// Fixes see the person inside of a safe zone since then, by the time of the first, but not
    /// enough of them to enter; nil if the trusted one does not. Nobody leaves meanwhile.
    var entering: Timestamp? {
        get { isComing ? pending : nil }
        set { if newValue != nil || isComing { (pending, isComing) = (newValue, newValue != nil) } }
    }
    /// ``leaving`` or ``entering``.
    private var pending: Timestamp?
    private var isComing = false
    /// Near only as far as a fix says that is too inaccurate for the zone: no alarm rings.
    var isCoarse = false
    /// One fix has led to it, and none has agreed with it since.
    var restsOnOneFix = false
    /// The stay was long enough, and that was told.
    var hasDwelled = false
    /// The zone's schedule is closed: it judges nobody, and would find the person so. Where a
    /// change is held back, too, it finds nobody, and the next fix says where the person is, or
    /// that none comes until ``leaving``.
    var isClosed = false

    init(zone: ZoneID, presence: Presence, since: Timestamp) {
        self.zone = zone
        self.presence = presence
        self.since = since
    }

    /// Whether there is anything to remember.
    var isWorthKeeping: Bool { presence != .outside || isWithheld }

    /// Whether there is anything to leave, and that may be held back.
    var canBeLeaving: Bool { (presence == .inside || presence == .near) && isWithheld }

    /// Inside, with nothing held back and nothing left to agree with.
    var stands: Bool { presence == .inside && settled == .inside }

    /// What is known, if nothing is held back or left to agree with; else `unknown`.
    var settled: Presence {
        isWithheld || isClosed || restsOnOneFix || isCoarse ? .unknown : presence
    }

    /// Whether the last fix neither has the person leave a closed zone nor agrees with it.
    var isInDoubt: Bool { isClosed && isWithheld }

    /// Whether the zone counts the person as inside or near.
    var counts: Bool { !isClosed && (presence == .inside || presence == .near) }

    /// Whether the first decision waits for a fix that is accurate enough.
    var isUndecided: Bool { presence == .unknown }
}

extension PartitionState {
    /// What a person and a zone take in memory while something is known of them.
    public static let bytesOfPresence = MemoryLayout<ZonePresence>.stride
}

/// Whose zone it is, seen from a person whom it judges.
enum ZoneSource: Hashable, Sendable {
    case own
    case circle(CircleID)
    case set(ZoneSetID)

    var circle: CircleID? {
        if case .circle(let id) = self { id } else { nil }
    }

    var set: ZoneSetID? {
        if case .set(let id) = self { id } else { nil }
    }
}

/// What one record changed between a person and a zone; alarms, messages and hints follow from it.
struct PresenceChange: Sendable {
    let zone: ZoneID
    let kind: ZoneKind
    let source: ZoneSource
    /// Of the zone as it was judged; for one that is gone, as it was last.
    let details: ZoneDetails
    /// `unknown`: nothing was known.
    let before: Presence
    /// `unknown`: forgotten, because the zone does not judge the person any more.
    let after: Presence
    let reason: CrossingReason
    /// Found so, not seen to happen.
    let isInitial: Bool
    /// Decided by the way between two fixes; entered and left by one record.
    var interpolated = false
    /// The fix that it was decided by.
    let fix: Fix
    let report: ReportID
}
