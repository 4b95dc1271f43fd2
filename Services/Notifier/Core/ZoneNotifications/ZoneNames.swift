import Directory
import Geometry
import Model

extension Recipients {
    /// Names the zone of a fix, for a circle with which the person shares zones only: the smallest
    /// of the circle's zones and sets that is large enough to be named.
    ///
    /// - Returns: nil if the person shares exact positions or nothing, or the fix is in no such
    ///   zone
    package static func zoneName(
        at fix: Fix, of person: PersonID, in circle: Circle, _ directory: Replica, at now: Timestamp
    ) -> String? {
        guard let member = circle.member(person), member.precision == .zone,
            notSharingReason(of: member, at: now) == nil
        else { return nil }
        let owners = [ZoneOwner.circle(circle.id)] + circle.sets.map(ZoneOwner.set)
        let accuracy =
            fix.accuracyCentimetres > 0
            ? fix.accuracyCentimetres : Limits.unknownAccuracyCentimetres
        let zones = owners.flatMap { directory.zones(of: $0) }.filter { zone in
            zone.active && accuracy <= zone.prepared.inradiusCentimetres
                && zone.prepared.inradiusCentimetres >= Limits.namedZoneInradiusCentimetresMin
                && holds(zone.prepared, fix.position)
        }
        let smallest = zones.min {
            ($0.prepared.inradiusCentimetres, $0.id) < ($1.prepared.inradiusCentimetres, $1.id)
        }
        return smallest?.name
    }

    private static func holds(_ prepared: PreparedGeometry, _ position: Coordinate) -> Bool {
        // 10⁻⁷ degrees of latitude are more than a centimetre everywhere.
        let north = abs(Int64(prepared.origin.latitudeE7) - Int64(position.latitudeE7))
        guard north <= Int64(prepared.reachCentimetres) else { return false }
        return Region(prepared)?.contains(EarthPoint(position)) ?? false
    }
}
