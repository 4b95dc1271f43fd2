import Geometry
import Model

/// The active zones of one owner. Immutable, so copies are shared.
final class ActiveZones: Sendable {
    /// Reusable buffers of a search, so that it allocates nothing.
    struct Search: Sendable {
        fileprivate(set) var found: [NearRegion] = []
        fileprivate var crossed: [Int32] = []
    }

    /// Ordered by id, or by location where ``isIndexed``, so that neighbouring zones are close in
    /// memory.
    let zones: [ActiveZone]
    /// At the same indices as ``zones``.
    let details: [ZoneDetails]
    /// The shapes, at the same indices as ``zones``.
    let regions: RegionSet
    /// Indices of the zones with an absence rule.
    let absent: [Int]
    /// Number of zones whose geometry format this program cannot read.
    let unreadable: Int
    /// Whether the path between two fixes can cross any of these zones.
    private let areCrossed: Bool
    /// Whether a spatial index is used. For few zones a linear scan in the order of ids is as fast.
    private let isIndexed: Bool
    /// Indices by zone id.
    private let indexByID: ZoneIndex
    /// The spatial index is used from this number of zones on.
    private static let indexedZonesMin = 24
    static let none = ActiveZones([], unreadable: 0)

    convenience init(_ configured: [ConfiguredZone]) {
        let (prepared, unreadable) = PreparedZone.all(configured)
        self.init(prepared, unreadable: unreadable)
    }

    /// - Parameter prepared: ordered by id, without duplicates.
    init(_ prepared: [PreparedZone], unreadable: Int = 0) {
        var prepared = prepared
        isIndexed = prepared.count >= ActiveZones.indexedZonesMin
        if isIndexed {
            prepared = RegionSet.order(of: prepared.lazy.map(\.region)).map { prepared[$0] }
        }
        self.unreadable = unreadable
        zones = prepared.map(\.zone)
        indexByID = ZoneIndex(zones)
        details = prepared.map(\.details)
        absent = prepared.indices.filter { prepared[$0].details.absentByMinute != nil }
        areCrossed = zones.contains(where: \.isCrossed)
        regions = RegionSet(
            prepared.lazy.map(\.region),
            extraReachMetres: zones.map { $0.alertCentimetres > 0 ? $0.reachMetres : 0 })
    }

    /// Finds the zones whose state a fix can change: those that its point may be in or near, those
    /// with a known presence, and those that the path to it may cross.
    ///
    /// - Parameters:
    ///   - pathStart: where the path to the point begins; nil = none is crossed.
    ///   - search: receives the zones' indices, in the order of their ids.
    /// - Returns: false if all zones have to be evaluated.
    func find(
        near point: EarthPoint, from pathStart: EarthPoint?, known: [ZonePresence],
        into search: inout Search
    ) -> Bool {
        guard isIndexed else { return false }
        search.found.removeAll(keepingCapacity: true)
        regions.append(near: point, to: &search.found)
        let near = search.found.count
        for presence in known {
            guard let index = index(of: presence.zone) else { continue }
            search.add(Int32(index), after: near)
        }
        if areCrossed, let pathStart {
            let met = search.found.count
            search.crossed.removeAll(keepingCapacity: true)
            regions.append(crossedBy: pathStart, to: point, to: &search.crossed)
            for index in search.crossed where zones[Int(index)].isCrossed {
                search.add(index, after: met)
            }
        }
        sort(&search.found)
        return true
    }

    /// Insertion sort: the list is short, and nothing is allocated.
    private func sort(_ found: inout [NearRegion]) {
        for start in found.indices.dropFirst() {
            let near = found[start]
            let id = zones[Int(near.index)].id
            var index = start
            while index > 0, id < zones[Int(found[index - 1].index)].id {
                found[index] = found[index - 1]
                index -= 1
            }
            found[index] = near
        }
    }

    func index(of id: ZoneID) -> Int? { indexByID.index(of: id, in: zones) }
}

/// Maps zone ids to indices. A hash table without a random seed, so every run behaves the same.
struct ZoneIndex: Sendable {
    /// Zone indices; negative = free. At least half of the table is free.
    private var indices: [Int32]

    init(_ zones: [ActiveZone]) {
        var size = 2
        while size < zones.count * 2 { size *= 2 }
        indices = [Int32](repeating: -1, count: size)
        for (index, zone) in zones.enumerated() {
            var bucket = bucket(of: zone.id)
            while indices[bucket] >= 0 { bucket = (bucket + 1) & (size - 1) }
            indices[bucket] = Int32(index)
        }
    }

    func index(of id: ZoneID, in zones: [ActiveZone]) -> Int? {
        var bucket = bucket(of: id)
        while indices[bucket] >= 0 {
            let index = Int(indices[bucket])
            if zones[index].id == id { return index }
            bucket = (bucket + 1) & (indices.count - 1)
        }
        return nil
    }

    private func bucket(of id: ZoneID) -> Int { Int(id.raw.mixed >> 32) & (indices.count - 1) }
}

extension ActiveZones.Search {
    /// Adds an index unless it is among the first `count` entries. Later entries cannot be equal to
    /// it.
    fileprivate mutating func add(_ index: Int32, after count: Int) {
        if found[..<count].contains(where: { $0.index == index }) { return }
        found.append(NearRegion(index: index, isSurelyInside: false))
    }
}
