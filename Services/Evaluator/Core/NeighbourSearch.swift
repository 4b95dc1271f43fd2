import Geometry
import Model

/// Looks for the zones around a fix of a person. Kept from one look to the next, so that nothing is
/// allocated; means nothing in between.
struct NeighbourSearch: Sendable {
    private var found: [RegionDistance] = []
    private var neighbours: [Neighbourhood.Neighbour] = []
    private var known: [ZoneID] = []
    /// All others are at least so far away, metres.
    private var metres = 0.0

    /// Makes a person's neighbourhood around a point, by which presence was just decided.
    ///
    /// - Returns: what is near.
    mutating func settle(
        _ person: inout PersonState, around point: EarthPoint, in zones: KnownZones,
        at arrangements: UInt64
    ) -> Glance {
        neighbours.removeAll(keepingCapacity: true)
        metres = Neighbourhood.metresMax
        let owners = UInt16(clamping: 1 + person.circles.count + person.sets.count)
        for number in 0..<owners {
            guard let owner = zones.owner(number, of: person)?.zones else { continue }
            add(owner, number, around: point)
        }
        keepNearest()
        // Also what shares an id with one of them: what is known of the one is of the other.
        known.removeAll(keepingCapacity: true)
        for presence in person.presences { known.append(presence.zone) }
        for neighbour in neighbours where owners > 1 { known.append(neighbour.zone) }
        for number in 0..<owners where !known.isEmpty {
            guard let owner = zones.owner(number, of: person)?.zones else { continue }
            addKnown(owner, number, around: point)
        }
        neighbours.sort { ($0.owner, $0.zone) < ($1.owner, $1.zone) }
        person.neighbourhood.make(around: point, metres: metres, neighbours, at: arrangements)
        for presence in person.presences {
            person.neighbourhood.note(presence.zone, presence.settled)
        }
        var glance = Glance(nearestMin: Int64((metres - 1) * 100))
        for neighbour in neighbours {
            let nearest = Int64(neighbour.centimetres.magnitude)
            glance.add(nearest, nearest)
        }
        return glance
    }

    private mutating func add(_ owner: JudgedZones, _ number: UInt16, around point: EarthPoint) {
        guard !owner.zones.isEmpty else { return }
        found.removeAll(keepingCapacity: true)
        let beyond = owner.regions.append(
            around: point, count: Neighbourhood.count, withinMetres: metres, to: &found)
        for region in found {
            neighbours.append(
                Neighbourhood.Neighbour(
                    owner, region.place, owner: number,
                    centimetres: region.distance.centimetres))
        }
        metres = min(metres, beyond)
    }

    /// Those that are nearest of all owners'.
    private mutating func keepNearest() {
        guard neighbours.count > Neighbourhood.count else { return }
        neighbours.sort { $0.nearness < $1.nearness }
        let next = Double(neighbours[Neighbourhood.count].nearness) / 100
        metres = min(metres, next * 0.999 - 0.5)
        neighbours.removeLast(neighbours.count - Neighbourhood.count)
    }

    /// Those of which something is known, wherever they are.
    private mutating func addKnown(
        _ owner: JudgedZones, _ number: UInt16, around point: EarthPoint
    ) {
        for zone in known {
            let isThere = neighbours.contains { $0.zone == zone && $0.owner == number }
            guard !isThere, let place = owner.place(of: zone) else { continue }
            neighbours.append(
                Neighbourhood.Neighbour(
                    owner, Int32(place), owner: number,
                    centimetres: owner.regions.signedDistance(place, from: point).centimetres))
        }
    }
}
