import Model

/// The owner of a zone, relative to a person it applies to.
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

/// Which zones apply to a person.
struct ApplicableZones: Sendable {
    var own = ActiveZones.none
    /// Ascending.
    var circles: [CircleID] = []
    /// Ascending.
    var sets: [ZoneSetID] = []
    /// Circles with which nothing is shared, ascending. A pause that is over has no effect.
    var unshared: [UnsharedCircle] = []
    /// Zones that the person opted out of, ascending.
    var optOuts: [ZoneID] = []

    init() {}

    init(_ person: ConfiguredPerson) {
        own = ActiveZones(person.zones)
        circles = person.circles.sorted()
        sets = person.sets.sorted()
        unshared = person.unshared
        optOuts = person.zoneOptOuts
    }

    /// Whether all zones of all owners apply.
    @inline(__always)
    var areAll: Bool { unshared.isEmpty && optOuts.isEmpty }

    /// Numbers of the owners: 0 = the person, then each circle, then each set.
    var owners: Range<UInt16> { 0..<UInt16(clamping: 1 + circles.count + sets.count) }

    /// Whether zones of a circle or set apply.
    func contains(_ owner: ZoneSource) -> Bool {
        switch owner {
        case .own: true
        case .circle(let circle): circles.contains(circle)
        case .set(let set): sets.contains(set)
        }
    }

    /// Whether a zone applies. During a sharing pause safe zones do not; alert zones still do,
    /// because they alarm the person's own devices.
    @inline(__always)
    func includes(_ zone: ActiveZone, of source: ZoneSource, at now: Timestamp) -> Bool {
        // The common case without pauses and opt-outs reads nothing else.
        areAll
            || !optOuts.contains(zone.id)
                && (!zone.kind.rules.requiresSharing || isShared(source, at: now))
    }

    /// Whether anything is shared with the owner of a zone.
    private func isShared(_ source: ZoneSource, at now: Timestamp) -> Bool {
        switch source {
        case .own: true
        case .circle(let circle): isShared(with: circle, at: now)
        // A set applies through circles: one that is shared with is enough.
        case .set: circles.isEmpty || circles.contains { isShared(with: $0, at: now) }
        }
    }

    private func isShared(with circle: CircleID, at now: Timestamp) -> Bool {
        guard let pause = unshared.first(where: { $0.circle == circle }) else { return true }
        return pause.until.map { $0 <= now } ?? false
    }
}

/// A change of the zones that apply to people, with what applied before.
enum ZoneChange: Sendable {
    /// All zones of one person may have changed: those that applied at a time.
    case all(before: ApplicableZones, at: Timestamp)
    case circle(CircleID, before: ActiveZones)
    /// One page of a set, or all pages if the set was removed.
    case page(ActiveZones, of: ZoneSetID, before: ActiveSet)

    /// Number of unreadable zones that the changed owner had; 0 for a person.
    var unreadableBefore: Int {
        switch self {
        case .all: 0
        case .circle(_, let before): before.unreadable
        case .page(_, _, let before): before.unreadable
        }
    }

    /// A zone as it applied to a person before the change; nil if it did not.
    ///
    /// - Parameter zones: those after the change.
    func before(
        _ id: ZoneID, _ applicable: ApplicableZones, _ zones: KnownZones, at now: Timestamp
    ) -> FoundZone? {
        let source: ZoneSource
        let old: FoundZone?
        switch self {
        case .all(let before, let time): return zones.zone(id, of: before, at: time)
        case .circle(let circle, let before):
            source = .circle(circle)
            old = before.index(of: id).map { FoundZone(before, $0, of: source) }
        case .page(_, let set, let before):
            source = .set(set)
            old = before.zone(id).map { FoundZone($0, of: source) }
        }
        if let found = zones.zone(id, of: applicable, at: now, except: source) { return found }
        return old.flatMap { applicable.includes($0.zone, of: source, at: now) ? $0 : nil }
    }
}
