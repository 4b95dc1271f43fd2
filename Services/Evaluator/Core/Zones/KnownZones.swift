import Geometry
import Model

/// The zones of circles and sets. Private zones are part of ``ApplicableZones``.
struct KnownZones: Sendable {
    private(set) var circles = Slots<CircleKind, ActiveZones>()
    private(set) var sets = Slots<ZoneSetKind, ActiveSet>()
    /// Counts changes of configuration or logic, which may affect people who do not move. Not part
    /// of the state.
    var generation: UInt64 = 0
    /// Number of zones, private ones too, whose geometry format this program cannot read.
    var unreadable = 0

    // MARK: Configuration

    /// Applies the configuration of a circle or set.
    ///
    /// - Returns: nil if the record is something else.
    mutating func apply(_ body: EventBody) -> ZoneChange? {
        let change: ZoneChange
        switch body {
        case .inputCircle(let circle):
            let index = circles.index(of: circle.circle, inserting: ActiveZones.none)
            change = .circle(circle.circle, before: circles[index])
            circles[index] = ActiveZones(circle.zones)
            unreadable += circles[index].unreadable
        case .inputCircleRemoved(let removal):
            let old = circles.index(of: removal.circle).map { circles[$0] }
            change = .circle(removal.circle, before: old ?? ActiveZones.none)
            circles.remove(removal.circle, fillingWith: ActiveZones.none)
        case .inputSet(let set):
            let index = sets.index(of: set.set, inserting: ActiveSet())
            let old = sets[index]
            sets[index].replace(page: set.page, with: set.zones)
            let new = ActiveZones(sets[index].zones(ofPage: set.page))
            change = .page(new, of: set.set, before: old)
            unreadable += sets[index].unreadable
        case .inputSetRemoved(let removal):
            let old = sets.index(of: removal.set).map { sets[$0] } ?? ActiveSet()
            change = .page(ActiveZones.none, of: removal.set, before: old)
            sets.remove(removal.set, fillingWith: ActiveSet())
        default: return nil
        }
        generation += 1
        unreadable -= change.unreadableBefore
        return change
    }

    /// Makes sets searchable.
    mutating func build(_ ids: [ZoneSetID]) {
        for id in ids {
            if let index = sets.index(of: id), !sets[index].isBuilt { sets[index].build() }
        }
    }

    // MARK: Zones of a person

    /// The searchable zones of one owner.
    func zones(of source: ZoneSource, _ applicable: ApplicableZones) -> ActiveZones? {
        switch source {
        case .own: applicable.own
        case .circle(let id): circles.index(of: id).map { circles[$0] }
        case .set(let id): sets.index(of: id).map { sets[$0].activeZones }
        }
    }

    /// The zones of an owner by its number, see ``ApplicableZones/owners``; nil if unknown.
    @inline(__always)
    func owner(
        _ number: UInt16, _ applicable: borrowing ApplicableZones
    ) -> (zones: ActiveZones, source: ZoneSource)? {
        guard number > 0 else { return (applicable.own, .own) }
        let index = Int(number) - 1
        if index < applicable.circles.count {
            let circle = applicable.circles[index]
            return circles.index(of: circle).map { (circles[$0], .circle(circle)) }
        }
        guard index - applicable.circles.count < applicable.sets.count else { return nil }
        let set = applicable.sets[index - applicable.circles.count]
        return sets.index(of: set).map { (sets[$0].activeZones, .set(set)) }
    }

    /// Finds a zone that applies to a person; nil if none does. Own zones come first, then each
    /// circle, then each set.
    ///
    /// - Parameter except: a circle or set whose zones are skipped.
    func zone(
        _ id: ZoneID, of applicable: ApplicableZones, at now: Timestamp,
        except: ZoneSource? = nil
    ) -> FoundZone? {
        func ifApplicable(_ found: FoundZone) -> FoundZone? {
            applicable.includes(found.zone, of: found.source, at: now) ? found : nil
        }
        if let index = applicable.own.index(of: id),
            let found = ifApplicable(FoundZone(applicable.own, index, of: .own))
        {
            return found
        }
        for circle in applicable.circles where .circle(circle) != except {
            guard let owner = circles.index(of: circle), let index = circles[owner].index(of: id)
            else { continue }
            let found = FoundZone(circles[owner], index, of: .circle(circle))
            if let found = ifApplicable(found) { return found }
        }
        for set in applicable.sets where .set(set) != except {
            guard let owner = sets.index(of: set), let prepared = sets[owner].zone(id) else {
                continue
            }
            if let found = ifApplicable(FoundZone(prepared, of: .set(set))) { return found }
        }
        return nil
    }

    /// The applicable zones with an absence rule.
    func absentZones(of applicable: ApplicableZones, at now: Timestamp) -> [FoundZone] {
        var found = applicable.own.absent.map { FoundZone(applicable.own, $0, of: .own) }
        for circle in applicable.circles {
            guard let index = circles.index(of: circle) else { continue }
            found += circles[index].absent.map {
                FoundZone(circles[index], $0, of: .circle(circle))
            }
        }
        for set in applicable.sets {
            guard let index = sets.index(of: set) else { continue }
            found += sets[index].absent.map { FoundZone($0, of: .set(set)) }
        }
        return found.filter { applicable.includes($0.zone, of: $0.source, at: now) }
    }
}

/// A zone and its owner.
struct FoundZone: Sendable {
    private enum Origin: Sendable {
        case indexed(ActiveZones, Int)
        /// From a set that is not searchable yet.
        indirect case standalone(PreparedZone)
    }

    let source: ZoneSource
    let zone: ActiveZone
    private let origin: Origin

    init(_ zones: ActiveZones, _ index: Int, of source: ZoneSource) {
        self.source = source
        zone = zones.zones[index]
        origin = .indexed(zones, index)
    }

    init(_ prepared: PreparedZone, of source: ZoneSource) {
        self.source = source
        zone = prepared.zone
        origin = .standalone(prepared)
    }

    var details: ZoneDetails {
        switch origin {
        case .indexed(let zones, let index): zones.details[index]
        case .standalone(let prepared): prepared.details
        }
    }

    /// The presence by this point alone, without hysteresis or history.
    func presence(of point: EarthPoint) -> Presence {
        let distance = signedDistance(from: point)
        let verdict = ZoneVerdict(
            distance: distance, zone: zone, inradiusCentimetres: 0, margin: 0, before: nil)
        return verdict.raw
    }

    var inradiusCentimetres: Int32 {
        switch origin {
        case .indexed(let zones, let index): zones.regions.inradiusCentimetres(index)
        case .standalone(let prepared): prepared.region.inradiusCentimetres
        }
    }

    /// Distance to the true edge, negative inside.
    func signedDistance(from point: EarthPoint) -> SignedDistance {
        switch origin {
        case .indexed(let zones, let index): zones.regions.signedDistance(index, from: point)
        case .standalone(let prepared): prepared.region.signedDistance(from: point)
        }
    }
}
