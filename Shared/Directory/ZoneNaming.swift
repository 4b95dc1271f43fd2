import Geometry
import Model

extension Zone {
    /// A smaller zone is not named to others while its person shares zones only: 100 m.
    public static let namedInradiusCentimetresMin: Int32 = 10_000
    /// Assumed accuracy of a fix without one.
    private static let unknownAccuracyCentimetres: Int32 = 5000

    /// Whether it is large enough to be named.
    public var isLargeEnoughToName: Bool {
        prepared.inradiusCentimetres >= Zone.namedInradiusCentimetresMin
    }

    /// Whether a fix is certainly in it.
    fileprivate func certainlyHolds(_ fix: Fix) -> Bool {
        let accuracy =
            fix.accuracyCentimetres > 0 ? fix.accuracyCentimetres : Zone.unknownAccuracyCentimetres
        guard accuracy <= prepared.inradiusCentimetres else { return false }
        // 10⁻⁷ degrees of latitude are more than a centimetre everywhere.
        let north = abs(Int64(prepared.origin.latitudeE7) - Int64(fix.position.latitudeE7))
        guard north <= Int64(prepared.reachCentimetres) else { return false }
        return Region(prepared)?.contains(EarthPoint(fix.position)) ?? false
    }
}

/// Decides which zones a circle may learn by name from a member who shares zones only.
public struct ZoneNaming: Sendable {
    private let directory: Replica

    public init(in directory: Replica) { self.directory = directory }

    /// Whether a member accepted a zone, so that others may learn that they are in it.
    ///
    /// A member accepts the zones that a circle has when they join, those that they draw, and later
    /// ones explicitly. A zone that others draw or reshape after that counts as new: otherwise an
    /// admin could cover the map with zones and follow somebody by their names. Opting out ends it.
    public func accepts(_ zone: Zone, _ member: Membership) -> Bool {
        guard let person = directory.person(member.person),
            !person.zoneOptOuts.contains(zone.id)
        else {
            return false
        }
        if zone.owner == .person(member.person) || zone.drawnBy == member.person { return true }
        guard let drawn = zone.drawn else { return true }
        if let joined = member.joined, drawn <= joined { return true }
        return person.zoneAcceptances.contains { $0.zone == zone.id && drawn <= $0.at }
    }

    /// Whether a circle may learn the name of a zone from a member who shares zones only.
    public func mayName(_ zone: Zone, of member: Membership, in circle: Circle) -> Bool {
        switch zone.owner {
        case .circle(let owner) where owner == circle.id: break
        case .set(let owner) where circle.sets.contains(owner): break
        case .circle, .set, .person: return false
        }
        return zone.isLargeEnoughToName && accepts(zone, member)
    }

    /// Names the zone of a fix for a circle with which a member shares zones only: the smallest
    /// active zone of the circle and its sets that may be named and certainly contains the fix.
    ///
    /// - Returns: nil if there is no such zone; then the circle sees no place at all
    public func name(at fix: Fix, of member: Membership, in circle: Circle) -> String? {
        let owners = [ZoneOwner.circle(circle.id)] + circle.sets.map(ZoneOwner.set)
        var smallest: Zone?
        for id in owners.flatMap(directory.zones.ids(of:)) {
            guard let zone = directory.zones[id], zone.active,
                mayName(zone, of: member, in: circle),
                zone.certainlyHolds(fix)
            else { continue }
            let size = zone.prepared.inradiusCentimetres
            guard let known = smallest else {
                smallest = zone
                continue
            }
            let knownSize = known.prepared.inradiusCentimetres
            if (size, zone.id) < (knownSize, known.id) { smallest = zone }
        }
        return smallest?.name
    }
}
