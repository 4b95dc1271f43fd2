import Geometry
import Model

/// An active zone, as much of it as is looked at for each fix near it.
///
/// Small, because what a fix costs is mostly memory: whatever is read only when something happens
/// belongs to ``ZoneDetails``.
struct JudgedZone: Hashable, Sendable {
    let id: ZoneID
    let kind: ZoneKind
    /// Whether the way between two fixes can cross it.
    let isCrossed: Bool
    let isScheduled: Bool
    /// Whether time alone can bring anything to whoever is there.
    let isTimed: Bool
    let hysteresisMetres: Int32
    /// 0 = nothing is near.
    let alertCentimetres: Int32

    init(_ zone: PlacedZone) {
        id = zone.id
        kind = zone.kind
        isCrossed = zone.transitions.contains(.cross)
        isScheduled = zone.schedule != nil
        isTimed = zone.schedule != nil || zone.dwellSeconds > 0
        hysteresisMetres = Int32(min(max(0, zone.hysteresisMetres), 1_000_000))
        alertCentimetres = Int32(min(max(0, zone.alertDistanceMetres), 1_000_000) * 100)
    }

    /// Beyond this nothing can change about somebody who is outside, metres. A centimetre more,
    /// because distances are rounded.
    var reachMetres: Double { Double(alertCentimetres) / 100 + 0.01 }
}

/// What is read of a zone only when something happens.
final class ZoneDetails: Sendable {
    let name: String
    let category: String
    /// Lower is more urgent.
    let priority: Int
    /// 0 = a long stay is not told.
    let dwellSeconds: Int64
    let calendar: ZoneCalendar
    let absentByMinute: Int?
    let alarm: ZoneAlarm
    let messages: [MessageID]
    /// Those that matter: of a safe zone, what its messages are sent for.
    let transitions: [Transition]

    init(_ zone: PlacedZone) {
        name = zone.name
        category = zone.category
        priority = zone.priority
        dwellSeconds = Int64(min(max(0, zone.dwellSeconds), 1_000_000_000))
        calendar = ZoneCalendar(clock: zone.clock, schedule: zone.schedule)
        absentByMinute = zone.absentByMinute.map { min(max(0, $0), 1439) }
        alarm = zone.alarm
        messages = zone.messages
        transitions = zone.transitions
    }
}

/// A zone with its shape, before it lies among others.
struct PreparedZone: Sendable {
    let zone: JudgedZone
    let details: ZoneDetails
    let region: Region

    /// Nil for a geometry of a format that this program does not know.
    init?(_ zone: PlacedZone) {
        guard let region = Region(zone.geometry) else { return nil }
        self.zone = JudgedZone(zone)
        details = ZoneDetails(zone)
        self.region = region
    }

    /// The active ones by id, of those that share one the first; and how many cannot be read.
    static func all(_ placed: [PlacedZone]) -> (zones: [PreparedZone], unreadable: Int) {
        var zones: [PreparedZone] = []
        zones.reserveCapacity(placed.count)
        var unreadable = 0
        var seen: Set<ZoneID> = []
        for zone in placed where zone.active && seen.insert(zone.id).inserted {
            if let prepared = PreparedZone(zone) {
                zones.append(prepared)
            } else {
                unreadable += 1
            }
        }
        zones.sort { $0.zone.id < $1.zone.id }
        return (zones, unreadable)
    }
}

/// The active zones of one owner. They never change: whoever has them shares them.
final class JudgedZones: Sendable {
    /// What is found by a search; kept from one to the next, so that nothing is allocated.
    struct Search: Sendable {
        fileprivate(set) var found: [NearRegion] = []
        fileprivate var crossed: [Int32] = []
    }

    /// By id; where they are looked up, those that are close together on earth together.
    let zones: [JudgedZone]
    /// In the same places.
    let details: [ZoneDetails]
    /// Their shapes, in the same places.
    let regions: RegionSet
    /// Places of those that somebody can be absent from.
    let absent: [Int]
    /// Zones whose geometry this program cannot read.
    let unreadable: Int
    /// Whether the way between two fixes can cross any.
    private let areCrossed: Bool
    /// Whether they are looked up; few are gone through as fast, and are in the order of ids.
    private let areLookedUp: Bool
    /// Places by id.
    private let index: ZoneIndex
    /// From so many zones on they are looked up.
    private static let lookedUpMin = 24
    static let none = JudgedZones([], unreadable: 0)

    convenience init(_ placed: [PlacedZone]) {
        let (prepared, unreadable) = PreparedZone.all(placed)
        self.init(prepared, unreadable: unreadable)
    }

    /// - Parameter prepared: by id, each once.
    init(_ prepared: [PreparedZone], unreadable: Int = 0) {
        var prepared = prepared
        areLookedUp = prepared.count >= JudgedZones.lookedUpMin
        if areLookedUp {
            prepared = RegionSet.order(of: prepared.lazy.map(\.region)).map { prepared[$0] }
        }
        self.unreadable = unreadable
        zones = prepared.map(\.zone)
        index = ZoneIndex(zones)
        details = prepared.map(\.details)
        absent = prepared.indices.filter { prepared[$0].details.absentByMinute != nil }
        areCrossed = zones.contains(where: \.isCrossed)
        regions = RegionSet(
            prepared.lazy.map(\.region),
            extraReachMetres: zones.map { $0.alertCentimetres > 0 ? $0.reachMetres : 0 })
    }

    /// Finds the zones that a fix can change something about: those that its point may be in or
    /// near, those of which something is known, and those that the way to it may cross.
    ///
    /// - Parameters:
    ///   - way: where the way to the point begins; nil = none is crossed.
    ///   - search: becomes the zones' places, in the order of their ids.
    /// - Returns: false if all zones have to be looked at.
    func find(
        near point: EarthPoint, from way: EarthPoint?, known: [ZonePresence],
        into search: inout Search
    ) -> Bool {
        guard areLookedUp else { return false }
        search.found.removeAll(keepingCapacity: true)
        regions.append(near: point, to: &search.found)
        let near = search.found.count
        for presence in known {
            guard let place = place(of: presence.zone) else { continue }
            search.add(Int32(place), after: near)
        }
        if areCrossed, let way {
            let met = search.found.count
            search.crossed.removeAll(keepingCapacity: true)
            regions.append(crossedBy: way, to: point, to: &search.crossed)
            for place in search.crossed where zones[Int(place)].isCrossed {
                search.add(place, after: met)
            }
        }
        sort(&search.found)
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

    func place(of id: ZoneID) -> Int? { index.place(of: id, in: zones) }
}

/// Where each of many zones is, by its id: a hash table that no seed changes.
struct ZoneIndex: Sendable {
    /// Places; less than 0 where it is free. At least half of it is.
    private var places: [Int32]

    init(_ zones: [JudgedZone]) {
        var size = 2
        while size < zones.count * 2 { size *= 2 }
        places = [Int32](repeating: -1, count: size)
        for (place, zone) in zones.enumerated() {
            var index = start(zone.id)
            while places[index] >= 0 { index = (index + 1) & (size - 1) }
            places[index] = Int32(place)
        }
    }

    func place(of id: ZoneID, in zones: [JudgedZone]) -> Int? {
        var index = start(id)
        while places[index] >= 0 {
            let place = Int(places[index])
            if zones[place].id == id { return place }
            index = (index + 1) & (places.count - 1)
        }
        return nil
    }

    private func start(_ id: ZoneID) -> Int { Int(id.raw.mixed >> 32) & (places.count - 1) }
}

extension JudgedZones.Search {
    /// Adds a place that is not among the first ones; those after them are different anyway.
    fileprivate mutating func add(_ place: Int32, after count: Int) {
        if found[..<count].contains(where: { $0.place == place }) { return }
        found.append(NearRegion(place: place, isSurelyInside: false))
    }
}
