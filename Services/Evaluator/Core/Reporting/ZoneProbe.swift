import Geometry
import Model

/// Finds the nearest zones around a point among all that apply to a person.
///
/// Holds reusable buffers, so that a search allocates nothing. Its content has no meaning between
/// searches.
struct ZoneProbe: Sendable {
    /// Nearest first.
    private(set) var zones: [NearestEdge] = []
    /// Whether there are no other zones.
    private(set) var isAll = true
    private var count = 1
    private var found: [RegionDistance] = []

    /// The nearest edges of all zones that apply to a person, including those with a closed
    /// schedule: one may open while the phone is silent.
    mutating func nearestEdges(
        of point: EarthPoint, _ applicable: ApplicableZones, _ zones: KnownZones,
        at now: Timestamp, _ rules: ReportingRules
    ) -> NearestEdges {
        nearestEdges(of: point, rules) { probe in
            for number in applicable.owners {
                guard let (owner, source) = zones.owner(number, applicable) else { continue }
                probe.add(
                    owner, around: point,
                    isRelevant: applicable.areAll
                        ? nil : { applicable.includes($0, of: source, at: now) })
            }
        }
    }

    /// The nearest edges around a point, for the reporting policy.
    ///
    /// - Parameter addAll: adds the zones of every owner.
    mutating func nearestEdges(
        of point: EarthPoint, _ rules: ReportingRules, _ addAll: (inout ZoneProbe) -> Void
    ) -> NearestEdges {
        begin(count: 1)
        addAll(&self)
        if let closest = zones.first?.centimetres,
            let near = NearestEdges(nearest: closest, rules)
        {
            return near
        }
        // One more than a phone can watch: its distance tells how long the others remain the
        // nearest.
        begin(count: rules.regionsMax + 1)
        addAll(&self)
        return NearestEdges(far: zones, isAll: isAll, rules)
    }

    /// Starts a search for a number of zones.
    mutating func begin(count: Int) {
        self.count = count
        zones.removeAll(keepingCapacity: true)
        isAll = true
    }

    /// Searches the zones of one owner.
    ///
    /// - Parameter isRelevant: whether a zone counts; nil = all do.
    mutating func add(
        _ zones: ActiveZones, around point: EarthPoint, isRelevant: ((ActiveZone) -> Bool)?
    ) {
        guard !zones.zones.isEmpty else { return }
        var requested = count
        while true {
            found.removeAll(keepingCapacity: true)
            zones.regions.appendNearest(
                count: requested, to: point, withinMetres: RegionSet.nearestMetresMax, into: &found)
            if found.count < zones.zones.count { isAll = false }
            guard let isRelevant else { break }
            let areAll = found.count < requested
            found.removeAll { !isRelevant(zones.zones[Int($0.index)]) }
            if areAll || found.count >= count { break }
            requested *= 2
        }
        for near in found.prefix(count) { insert(near, of: zones, around: point) }
    }

    private mutating func insert(
        _ near: RegionDistance, of owner: ActiveZones, around point: EarthPoint
    ) {
        let index = Int(near.index)
        let center = owner.regions.center(index)
        let zone = NearestEdge(
            zone: owner.zones[index].id,
            centimetres: Int64(near.distance.centimetres.magnitude), center: center.coordinate,
            reachMetres: owner.regions.reachMetres(index),
            centerMetres: point.straightMetres(to: center))
        if zones.count == count {
            isAll = false
            guard let last = zones.last, zone.isNearer(than: last) else { return }
            zones.removeLast()
        }
        var slot = zones.count
        while slot > 0, zone.isNearer(than: zones[slot - 1]) { slot -= 1 }
        zones.insert(zone, at: slot)
    }
}
