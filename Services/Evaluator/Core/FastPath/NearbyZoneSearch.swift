import Geometry
import Model

/// Finds the zones around a fix.
///
/// Holds reusable buffers, so that a search allocates nothing. Its content has no meaning between
/// searches.
struct NearbyZoneSearch: Sendable {
    private var found: [RegionDistance] = []
    private var entries: [NearbyZones.Entry] = []
    private var known: [ZoneID] = []
    /// All other zones are at least this far away, metres.
    private var metres = 0.0

    /// Rebuilds a person's nearby zones around the point of the last evaluation.
    ///
    /// - Returns: bounds of the distance to the nearest edge.
    mutating func rebuild(
        _ nearbyZones: inout NearbyZones, around point: EarthPoint, _ applicable: ApplicableZones,
        _ presences: [ZonePresence], in zones: KnownZones
    ) -> NearestEdgeBounds {
        entries.removeAll(keepingCapacity: true)
        metres = NearbyZones.metresMax
        for number in applicable.owners {
            guard let owner = zones.owner(number, applicable)?.zones else { continue }
            add(owner, number, around: point)
        }
        keepNearest()
        // Also zones with the same id as one of these: zones with one id share their presence.
        known.removeAll(keepingCapacity: true)
        for presence in presences { known.append(presence.zone) }
        for entry in entries where applicable.owners.count > 1 { known.append(entry.zone) }
        for number in applicable.owners where !known.isEmpty {
            guard let owner = zones.owner(number, applicable)?.zones else { continue }
            addKnown(owner, number, around: point)
        }
        entries.sort { ($0.owner, $0.zone) < ($1.owner, $1.zone) }
        nearbyZones.rebuild(around: point, metres: metres, entries, at: zones.generation)
        for presence in presences { nearbyZones.update(presence.zone, presence.settled) }
        var bounds = NearestEdgeBounds(nearestMin: Int64((metres - 1) * 100))
        for entry in entries {
            let nearest = Int64(entry.centimetres.magnitude)
            bounds.add(nearest, nearest)
        }
        return bounds
    }

    private mutating func add(_ owner: ActiveZones, _ number: UInt16, around point: EarthPoint) {
        guard !owner.zones.isEmpty else { return }
        found.removeAll(keepingCapacity: true)
        let beyond = owner.regions.append(
            around: point, count: NearbyZones.count, withinMetres: metres, to: &found)
        for region in found {
            entries.append(
                NearbyZones.Entry(
                    owner, region.index, owner: number,
                    centimetres: region.distance.centimetres))
        }
        metres = min(metres, beyond)
    }

    /// Keeps only the nearest zones of all owners.
    private mutating func keepNearest() {
        guard entries.count > NearbyZones.count else { return }
        entries.sort { $0.nearness < $1.nearness }
        let next = Double(entries[NearbyZones.count].nearness) / 100
        metres = min(metres, next * 0.999 - 0.5)
        entries.removeLast(entries.count - NearbyZones.count)
    }

    /// Adds the zones with a known presence, at any distance.
    private mutating func addKnown(
        _ owner: ActiveZones, _ number: UInt16, around point: EarthPoint
    ) {
        for zone in known {
            let isPresent = entries.contains { $0.zone == zone && $0.owner == number }
            guard !isPresent, let index = owner.index(of: zone) else { continue }
            entries.append(
                NearbyZones.Entry(
                    owner, Int32(index), owner: number,
                    centimetres: owner.regions.signedDistance(index, from: point).centimetres))
        }
    }
}
