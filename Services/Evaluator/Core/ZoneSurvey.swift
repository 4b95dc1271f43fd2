import Geometry
import Model

/// Looks for the nearest zones around a point, of all that judge a person. Kept from one look to
/// the next, so that nothing is allocated; means nothing in between.
struct ZoneSurvey: Sendable {
    /// The nearest first.
    private(set) var zones: [SurroundingZone] = []
    /// Whether there are no others at all.
    private(set) var isAll = true
    private var count = 1
    private var found: [RegionDistance] = []

    /// What the zones around a point ask of a phone there.
    ///
    /// - Parameter addAll: looks among the zones of every owner.
    mutating func surroundings(
        of point: EarthPoint, _ rules: ReportingRules, _ addAll: (inout ZoneSurvey) -> Void
    ) -> Surroundings {
        begin(count: 1)
        addAll(&self)
        if let closest = zones.first?.centimetres,
            let near = Surroundings(nearest: closest, rules)
        {
            return near
        }
        // One more than are watched: where it is tells how long these are the nearest.
        begin(count: rules.regionsMax + 1)
        addAll(&self)
        return Surroundings(far: zones, isAll: isAll, rules)
    }

    /// Begins a look for so many zones.
    mutating func begin(count: Int) {
        self.count = count
        zones.removeAll(keepingCapacity: true)
        isAll = true
    }

    /// Looks among the zones of one owner.
    ///
    /// - Parameter isRelevant: whether a zone counts; nil = all do.
    mutating func add(
        _ zones: JudgedZones, around point: EarthPoint, isRelevant: ((JudgedZone) -> Bool)?
    ) {
        guard !zones.zones.isEmpty else { return }
        var wanted = count
        while true {
            found.removeAll(keepingCapacity: true)
            zones.regions.appendNearest(
                count: wanted, to: point, withinMetres: RegionSet.nearestMetresMax, into: &found)
            if found.count < zones.zones.count { isAll = false }
            guard let isRelevant else { break }
            let wereLess = found.count < wanted
            found.removeAll { !isRelevant(zones.zones[Int($0.place)]) }
            if wereLess || found.count >= count { break }
            wanted *= 2
        }
        for near in found.prefix(count) { insert(near, of: zones, around: point) }
    }

    private mutating func insert(
        _ near: RegionDistance, of owner: JudgedZones, around point: EarthPoint
    ) {
        let place = Int(near.place)
        let center = owner.regions.center(place)
        let zone = SurroundingZone(
            zone: owner.zones[place].id,
            centimetres: Int64(near.distance.centimetres.magnitude), center: center.coordinate,
            reachMetres: owner.regions.reachMetres(place),
            centerMetres: point.straightMetres(to: center))
        if zones.count == count {
            isAll = false
            guard let last = zones.last, zone.isNearer(than: last) else { return }
            zones.removeLast()
        }
        var index = zones.count
        while index > 0, zone.isNearer(than: zones[index - 1]) { index -= 1 }
        zones.insert(zone, at: index)
    }
}
