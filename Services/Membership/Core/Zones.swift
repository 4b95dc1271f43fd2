import Directory
import Model

extension Attempt {
    func createZone(_ id: ZoneID, in circleID: CircleID, _ patch: ZonePatch) -> Verdict {
        guard directory.circle(circleID) != nil else { return .refused(.missing("circle")) }
        if let refusal = denial(.editZones, on: .circle(circleID)) { return .refused(refusal) }
        guard let drawing = patch.drawing else {
            return .refused(Refusal(.invalid, "a zone has a shape", field: "geometry"))
        }
        let zones = directory.zones(of: circleID)
        guard zones.count < allowance.zones else {
            return .refused(.full("zones of a circle", allowance.zones))
        }
        if let refusal = tooManyPoints(zones, with: drawing) { return .refused(refusal) }
        var zone = Zone(
            id: id, owner: .circle(circleID), name: "", shape: drawing.shape,
            prepared: drawing.prepared)
        patch.apply(to: &zone)
        return .done([.zoneChanged(zone)], .zone(zone))
    }

    func updateZone(_ id: ZoneID, in circleID: CircleID, _ patch: ZonePatch) -> Verdict {
        guard let old = zone(id, in: circleID) else { return .refused(.missing("zone")) }
        if let refusal = denial(.editZones, on: .circle(circleID)) ?? outdated(old.version) {
            return .refused(refusal)
        }
        let others = directory.zones(of: circleID).filter { $0.id != id }
        if let drawing = patch.drawing, let refusal = tooManyPoints(others, with: drawing) {
            return .refused(refusal)
        }
        var zone = old
        patch.apply(to: &zone)
        guard zone != old else { return .done([], .zone(old)) }
        zone.version += 1
        return .done([.zoneChanged(zone)], .zone(zone))
    }

    func removeZone(_ id: ZoneID, in circleID: CircleID) -> Verdict {
        guard let zone = zone(id, in: circleID) else { return .refused(.missing("zone")) }
        if let refusal = denial(.editZones, on: .circle(circleID)) ?? outdated(zone.version) {
            return .refused(refusal)
        }
        return .done([.zoneRemoved(ZoneRemoval(zone: id))], .gone)
    }

    private func zone(_ id: ZoneID, in circle: CircleID) -> Zone? {
        directory.zone(id).flatMap { $0.owner == .circle(circle) ? $0 : nil }
    }

    private func tooManyPoints(_ zones: [Zone], with drawing: ZonePatch.Drawing) -> Refusal? {
        let total = zones.reduce(drawing.prepared.vertices) { $0 + $1.prepared.vertices }
        guard total > Limits.verticesPerCircleMax else { return nil }
        return Refusal(
            .conflict,
            "the zones of this circle would have \(total) points, at most "
                + "\(Limits.verticesPerCircleMax) are allowed",
            field: "geometry", hint: "simplify the outlines")
    }
}

extension PreparedGeometry {
    /// Points of all rings; a circle has none.
    fileprivate var vertices: Int {
        polygons.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
    }
}
