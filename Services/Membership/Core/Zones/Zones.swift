import Directory
import Model

/// Decides changes of zones.
struct Zones {
    let context: CommandContext

    func createZone(_ id: ZoneID, for owner: ZoneOwner, _ patch: ZonePatch) -> Verdict {
        switch createZones([NewZone(id: id, patch: patch)], for: owner) {
        case .done(let events, .zones(let zones), _, _, _): return .done(events, .zone(zones[0]))
        case .done(let events, let answer, _, _, _): return .done(events, answer)
        case .rejected(var rejection):
            rejection.item = nil
            return .rejected(rejection)
        }
    }

    /// Creates all zones or none.
    func createZones(_ new: [NewZone], for owner: ZoneOwner) -> Verdict {
        if let rejection = context.denial(ofZonesOf: owner) ?? context.missing(owner) {
            return .rejected(rejection)
        }
        let old = context.directory.zones(of: owner)
        let limit = zonesMax(of: owner)
        guard old.count + new.count <= limit else {
            return .rejected(.full("zones \(owner.phrase)", limit))
        }
        var load = ZoneLoad(of: owner, old)
        var zones: [Zone] = []
        for (index, new) in new.enumerated() {
            guard let drawing = new.patch.drawing else {
                return .rejected(
                    CommandRejection(
                        .invalid, "a zone needs a shape", field: "geometry", item: index))
            }
            var zone = Zone(
                id: new.id, owner: owner, name: "", shape: drawing.shape,
                prepared: drawing.prepared)
            new.patch.change(&zone)
            (zone.drawn, zone.drawnBy) = (context.now, context.command.principal.person)
            if var rejection = checks.check(zone, before: nil) ?? load.add(zone) {
                rejection.item = index
                return .rejected(rejection)
            }
            zones.append(zone)
        }
        return .done(zones.map { .zoneChanged($0) }, .zones(zones))
    }

    func updateZone(_ id: ZoneID, of owner: ZoneOwner, _ patch: ZonePatch) -> Verdict {
        if let rejection = context.denial(ofZonesOf: owner) { return .rejected(rejection) }
        guard let old = zone(id, of: owner) else { return .rejected(.missing("zone")) }
        if let rejection = context.outdated(old.version) { return .rejected(rejection) }
        var zone = old
        patch.change(&zone)
        guard zone != old else { return .done([], .zone(old)) }
        // People agreed to be seen in the zone as it was, and under its name.
        if zone.prepared != old.prepared || zone.name != old.name {
            (zone.drawn, zone.drawnBy) = (context.now, context.command.principal.person)
        }
        var load = ZoneLoad(of: owner, context.directory.zones(of: owner).filter { $0.id != id })
        if let rejection = checks.check(zone, before: old) ?? load.add(zone) {
            return .rejected(rejection)
        }
        zone.version += 1
        return .done([.zoneChanged(zone)], .zone(zone))
    }

    func removeZone(_ id: ZoneID, of owner: ZoneOwner) -> Verdict {
        if let rejection = context.denial(ofZonesOf: owner) { return .rejected(rejection) }
        guard let zone = zone(id, of: owner) else { return .rejected(.missing("zone")) }
        if let rejection = context.outdated(zone.version) { return .rejected(rejection) }
        return .done([.zoneRemoved(ZoneRemoval(zone: id))], context.answer(toRemovalFrom: owner))
    }

    private func zone(_ id: ZoneID, of owner: ZoneOwner) -> Zone? {
        context.directory.zone(id).flatMap { $0.owner == owner ? $0 : nil }
    }

    private var checks: ZoneChecks { ZoneChecks(context: context) }

    private func zonesMax(of owner: ZoneOwner) -> Int {
        switch owner {
        case .circle: context.allowance.zones
        case .person: context.allowance.privateZones
        case .set: Limits.zonesPerSetMax
        }
    }
}

extension ZoneOwner {
    /// Such as "of a circle".
    var phrase: String {
        switch self {
        case .circle: "of a circle"
        case .person: "of a person"
        case .set: "of a set"
        }
    }
}
