import Geometry
import Model

/// An active zone, but for its shape.
struct JudgedZone: Sendable {
    let id: ZoneID
    let kind: ZoneKind
    let hysteresisMetres: Int
    /// When it came, counted in records of configuration: for a person judged before that, the
    /// next decision is the first one.
    fileprivate(set) var since: UInt64
    let name: String

    fileprivate init(_ zone: PlacedZone, since: UInt64) {
        id = zone.id
        kind = zone.kind
        hysteresisMetres = zone.hysteresisMetres
        self.since = since
        name = zone.name
    }
}

/// The active zones of one owner, by id.
struct JudgedZones: Sendable {
    private(set) var zones: [JudgedZone] = []
    /// Their shapes, in the same places.
    private(set) var regions = JudgedZones.noRegions
    /// Zones whose geometry this program cannot read.
    private(set) var unreadable = 0
    /// False while going through all is as fast, and for ids that are not unique.
    private var isLookedUp = false
    /// From so many zones on they are looked up.
    private static let lookedUpMin = 24
    private static let noRegions = RegionSet([])

    /// Replaces all zones. One that was there before stays known to the people it judges, with a
    /// new shape, too; one that was away or inactive is new.
    mutating func replace(by placed: [PlacedZone], at count: UInt64) {
        let before = zones
        zones = []
        zones.reserveCapacity(placed.count)
        unreadable = 0
        var regions: [Region] = []
        regions.reserveCapacity(placed.count)
        for zone in placed.sorted(by: { $0.id < $1.id }) where zone.active {
            guard let region = Region(zone.geometry) else {
                unreadable += 1
                continue
            }
            let old = JudgedZones.place(of: zone.id, in: before)
            zones.append(JudgedZone(zone, since: old.map { before[$0].since } ?? count))
            regions.append(region)
        }
        self.regions = regions.isEmpty ? JudgedZones.noRegions : RegionSet(regions)
        isLookedUp =
            zones.count >= JudgedZones.lookedUpMin
            && zip(zones, zones.dropFirst()).allSatisfy { $0.id < $1.id }
    }

    /// Finds the zones that a fix can change something about: those that its point may be in and
    /// those that its person was inside of.
    ///
    /// - Parameter places: becomes their places, ascending; the caller keeps it, so that nothing is
    ///   allocated.
    /// - Returns: false if all zones have to be looked at.
    func find(near point: EarthPoint, inside: [ZoneID], into places: inout [Int32]) -> Bool {
        guard isLookedUp else { return false }
        places.removeAll(keepingCapacity: true)
        regions.append(near: point, to: &places)
        let near = places.count
        for id in inside where !places[..<near].contains(where: { zones[Int($0)].id == id }) {
            if let place = JudgedZones.place(of: id, in: zones) { places.append(Int32(place)) }
        }
        places.sort()
        return true
    }

    func contains(_ id: ZoneID) -> Bool { JudgedZones.place(of: id, in: zones) != nil }

    /// Says when a zone came; false if there is no such zone.
    mutating func mark(_ id: ZoneID, since: UInt64) -> Bool {
        guard let place = JudgedZones.place(of: id, in: zones) else { return false }
        zones[place].since = since
        return true
    }

    /// All came before the first decision.
    mutating func forgetMarks() {
        for place in zones.indices { zones[place].since = 0 }
    }

    /// Binary search.
    private static func place(of id: ZoneID, in zones: [JudgedZone]) -> Int? {
        var low = 0
        var high = zones.count
        while low < high {
            let middle = (low + high) / 2
            if zones[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < zones.count && zones[low].id == id ? low : nil
    }
}
