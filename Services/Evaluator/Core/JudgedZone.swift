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
    let hysteresisMetres: Int32
    /// 0 = nothing is near.
    let alertCentimetres: Int32

    init(_ zone: PlacedZone) {
        id = zone.id
        kind = zone.kind
        isCrossed = zone.transitions.contains(.cross)
        isScheduled = zone.schedule != nil
        hysteresisMetres = Int32(min(max(0, zone.hysteresisMetres), 1_000_000))
        alertCentimetres = Int32(min(max(0, zone.alertDistanceMetres), 1_000_000) * 100)
    }

    /// Beyond this nothing can change about somebody who is outside, metres. A centimetre more,
    /// because distances are rounded.
    var reachMetres: Double { Double(alertCentimetres) / 100 + 0.01 }
}

/// What is read of a zone only when something happens.
struct ZoneDetails: Hashable, Sendable {
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

/// The active zones of one owner.
struct JudgedZones: Sendable {
    /// What is found by a search; kept from one to the next, so that nothing is allocated.
    struct Search: Sendable {
        fileprivate(set) var found: [NearRegion] = []
        fileprivate var crossed: [Int32] = []
    }

    /// By id; where they are looked up, those that are close together on earth together.
    private(set) var zones: [JudgedZone] = []
    /// In the same places.
    private(set) var details: [ZoneDetails] = []
    /// Their shapes, in the same places.
    private(set) var regions = JudgedZones.noRegions
    /// Places of those that somebody can be absent from.
    private(set) var absent: [Int] = []
    /// Zones whose geometry this program cannot read.
    private(set) var unreadable = 0
    /// Whether the way between two fixes can cross any.
    private var areCrossed = false
    /// Places in the order of ids; empty while the zones are in that order themselves, because
    /// going through all of them is as fast.
    private var order: [Int32] = []
    /// From so many zones on they are looked up.
    private static let lookedUpMin = 24
    private static let noRegions = RegionSet([])

    init() {}

    init(_ placed: [PlacedZone]) {
        let (prepared, unreadable) = PreparedZone.all(placed)
        self.init(prepared)
        self.unreadable = unreadable
    }

    /// - Parameter prepared: by id, each once.
    init(_ prepared: [PreparedZone]) {
        var prepared = prepared
        if prepared.count >= JudgedZones.lookedUpMin {
            let byPlace = RegionSet.order(of: prepared.lazy.map(\.region))
            order = [Int32](repeating: 0, count: prepared.count)
            for (place, index) in byPlace.enumerated() { order[index] = Int32(place) }
            prepared = byPlace.map { prepared[$0] }
        }
        zones = prepared.map(\.zone)
        details = prepared.map(\.details)
        absent = prepared.indices.filter { prepared[$0].details.absentByMinute != nil }
        areCrossed = zones.contains(where: \.isCrossed)
        if !prepared.isEmpty {
            regions = RegionSet(
                prepared.lazy.map(\.region), extraReachMetres: zones.map(\.reachMetres))
        }
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
        guard !order.isEmpty else { return false }
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

    /// Binary search.
    func place(of id: ZoneID) -> Int? {
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

extension JudgedZones.Search {
    /// Adds a place that is not among the first ones; those after them are different anyway.
    fileprivate mutating func add(_ place: Int32, after count: Int) {
        if found[..<count].contains(where: { $0.place == place }) { return }
        found.append(NearRegion(place: place, isSurelyInside: false))
    }
}
