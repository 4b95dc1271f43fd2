import Geometry
import Model

/// An active zone, as much of it as is looked at for each fix near it.
///
/// Small, because what a fix costs is mostly memory: whatever is read only when something is told
/// belongs to ``ZoneDetails``.
struct JudgedZone: Sendable {
    let id: ZoneID
    /// When it came, counted in records of configuration: for a person judged before that, the
    /// next decision is the first one.
    fileprivate(set) var since: UInt64
    let hysteresisMetres: Int32
    let kind: ZoneKind

    fileprivate init(_ zone: PlacedZone, since: UInt64) {
        id = zone.id
        self.since = since
        hysteresisMetres = Int32(clamping: zone.hysteresisMetres)
        kind = zone.kind
    }
}

/// What is read of a zone only when something is told.
struct ZoneDetails: Sendable {
    let name: String

    fileprivate init(_ zone: PlacedZone) { name = zone.name }
}

/// A zone while zones are replaced.
private struct ReadZone {
    var zone: PlacedZone
    var region: Region
}

/// The active zones of one owner.
struct JudgedZones: Sendable {
    /// By id; where they are looked up, those that are close together on earth together.
    private(set) var zones: [JudgedZone] = []
    /// In the same places.
    private(set) var details: [ZoneDetails] = []
    /// Their shapes, in the same places.
    private(set) var regions = JudgedZones.noRegions
    /// Zones whose geometry this program cannot read.
    private(set) var unreadable = 0
    /// Places in the order of ids; empty while the zones are in that order themselves, because
    /// going through all of them is as fast, or ids are not unique.
    private var order: [Int32] = []
    /// From so many zones on they are looked up.
    private static let lookedUpMin = 24
    private static let noRegions = RegionSet([])

    /// Replaces all zones. One that was there before stays known to the people it judges, with a
    /// new shape, too; one that was away or inactive is new.
    mutating func replace(by placed: [PlacedZone], at count: UInt64) {
        let before = self
        unreadable = 0
        var kept: [ReadZone] = []
        kept.reserveCapacity(placed.count)
        for zone in placed.sorted(by: { $0.id < $1.id }) where zone.active {
            if let region = Region(zone.geometry) {
                kept.append(ReadZone(zone: zone, region: region))
            } else {
                unreadable += 1
            }
        }
        order = []
        if kept.count >= JudgedZones.lookedUpMin,
            zip(kept, kept.dropFirst()).allSatisfy({ $0.zone.id < $1.zone.id })
        {
            let byPlace = RegionSet.order(of: kept.lazy.map(\.region))
            order = [Int32](repeating: 0, count: kept.count)
            for (place, index) in byPlace.enumerated() { order[index] = Int32(place) }
            kept = byPlace.map { kept[$0] }
        }
        zones = kept.map { read in
            let old = before.place(of: read.zone.id)
            return JudgedZone(read.zone, since: old.map { before.zones[$0].since } ?? count)
        }
        details = kept.map { ZoneDetails($0.zone) }
        regions = kept.isEmpty ? JudgedZones.noRegions : RegionSet(kept.lazy.map(\.region))
    }

    /// Finds the zones that a fix can change something about: those that its point may be in and
    /// those that its person was inside of.
    ///
    /// - Parameter found: becomes the zones' places, in the order of their ids; the caller keeps
    ///   it, so that nothing is allocated.
    /// - Returns: false if all zones have to be looked at.
    func find(
        near point: EarthPoint, inside: [ZoneID], into found: inout [NearRegion]
    ) -> Bool {
        guard !order.isEmpty else { return false }
        found.removeAll(keepingCapacity: true)
        regions.append(near: point, to: &found)
        let near = found.count
        for id in inside
        where !found[..<near].contains(where: { zones[Int($0.place)].id == id }) {
            if let place = place(of: id) {
                found.append(NearRegion(place: Int32(place), isSurelyInside: false))
            }
        }
        sort(&found)
        return true
    }

    /// By insertion: they are few, and nothing is allocated.
    private func sort(_ found: inout [NearRegion]) {
        for index in found.indices.dropFirst() {
            let near = found[index]
            let id = zones[Int(near.place)].id
            var place = index
            while place > 0, id < zones[Int(found[place - 1].place)].id {
                found[place] = found[place - 1]
                place -= 1
            }
            found[place] = near
        }
    }

    func contains(_ id: ZoneID) -> Bool { place(of: id) != nil }

    /// The zones that came after a record of configuration, by id.
    func newer(than count: UInt64) -> [JudgedZone] {
        let new = zones.filter { $0.since > count }
        return order.isEmpty ? new : new.sorted { $0.id < $1.id }
    }

    /// Says when a zone came; false if there is no such zone.
    mutating func mark(_ id: ZoneID, since: UInt64) -> Bool {
        guard let place = place(of: id) else { return false }
        zones[place].since = since
        return true
    }

    /// All came before the first decision.
    mutating func forgetMarks() {
        for place in zones.indices { zones[place].since = 0 }
    }

    /// Binary search.
    private func place(of id: ZoneID) -> Int? {
        var low = 0
        var high = zones.count
        while low < high {
            let middle = (low + high) / 2
            if zones[ordered(middle)].id < id { low = middle + 1 } else { high = middle }
        }
        guard low < zones.count, zones[ordered(low)].id == id else { return nil }
        return ordered(low)
    }

    /// The place of the zone that is so far on in the order of ids.
    private func ordered(_ index: Int) -> Int { order.isEmpty ? index : Int(order[index]) }
}
