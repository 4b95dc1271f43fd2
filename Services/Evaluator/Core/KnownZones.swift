import Geometry
import Model

/// The zones of circles and sets. Private zones are part of ``PersonState``.
struct KnownZones: Sendable {
    var circles = Slots<CircleKind, ActiveZones>()
    var sets = Slots<ZoneSetKind, ActiveSet>()

    /// Makes sets searchable.
    mutating func build(_ ids: [ZoneSetID]) {
        for id in ids {
            if let index = sets.index(of: id), !sets[index].isBuilt { sets[index].build() }
        }
    }

    /// The searchable zones of one owner.
    func zones(of source: ZoneSource, _ person: PersonState) -> ActiveZones? {
        switch source {
        case .own: person.ownZones
        case .circle(let id): circles.index(of: id).map { circles[$0] }
        case .set(let id): sets.index(of: id).map { sets[$0].activeZones }
        }
    }

    /// The zones of an owner by its number: 0 = the person, then each circle, then each set; nil if
    /// unknown.
    @inline(__always)
    func owner(
        _ number: UInt16, of person: borrowing PersonState
    ) -> (zones: ActiveZones, source: ZoneSource)? {
        guard number > 0 else { return (person.ownZones, .own) }
        let index = Int(number) - 1
        if index < person.circles.count {
            let circle = person.circles[index]
            return circles.index(of: circle).map { (circles[$0], .circle(circle)) }
        }
        guard index - person.circles.count < person.sets.count else { return nil }
        let set = person.sets[index - person.circles.count]
        return sets.index(of: set).map { (sets[$0].activeZones, .set(set)) }
    }

    /// Finds a zone that applies to the person; nil if none does. Own zones come first, then each
    /// circle, then each set.
    ///
    /// - Parameter except: a circle whose zones are skipped.
    func zone(
        _ id: ZoneID, of person: PersonState, at now: Timestamp, except: CircleID? = nil
    ) -> FoundZone? {
        if let index = person.ownZones.index(of: id),
            let found = ifApplicable(person, FoundZone(person.ownZones, index, of: .own), now)
        {
            return found
        }
        for circle in person.circles where circle != except {
            guard let owner = circles.index(of: circle), let index = circles[owner].index(of: id)
            else { continue }
            let found = FoundZone(circles[owner], index, of: .circle(circle))
            if let found = ifApplicable(person, found, now) { return found }
        }
        for set in person.sets {
            guard let owner = sets.index(of: set), let prepared = sets[owner].zone(id) else {
                continue
            }
            let found = FoundZone(prepared, of: .set(set))
            if let found = ifApplicable(person, found, now) { return found }
        }
        return nil
    }

    private func ifApplicable(
        _ person: PersonState, _ found: FoundZone, _ now: Timestamp
    ) -> FoundZone? {
        person.isEvaluated(by: found.zone, of: found.source, at: now) ? found : nil
    }

    /// The zones with an absence rule that apply to the person.
    func absentZones(of person: PersonState, at now: Timestamp) -> [FoundZone] {
        var found = person.ownZones.absent.map { FoundZone(person.ownZones, $0, of: .own) }
        for circle in person.circles {
            guard let index = circles.index(of: circle) else { continue }
            found += circles[index].absent.map {
                FoundZone(circles[index], $0, of: .circle(circle))
            }
        }
        for set in person.sets {
            guard let index = sets.index(of: set) else { continue }
            found += sets[index].absent.map { FoundZone($0, of: .set(set)) }
        }
        return found.filter { person.isEvaluated(by: $0.zone, of: $0.source, at: now) }
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
