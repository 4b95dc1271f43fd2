import Directory
import Model

extension Attempt {
    func createZone(_ id: ZoneID, for owner: ZoneOwner, _ patch: ZonePatch) -> Verdict {
        switch createZones([NewZone(id: id, patch: patch)], for: owner) {
        case .done(let events, .zones(let zones), _): return .done(events, .zone(zones[0]))
        case .done(let events, let answer, _): return .done(events, answer)
        case .refused(var refusal):
            refusal.item = nil
            return .refused(refusal)
        }
    }

    /// All of them or none.
    func createZones(_ new: [NewZone], for owner: ZoneOwner) -> Verdict {
        if let refusal = denial(ofZonesOf: owner) ?? missing(owner) { return .refused(refusal) }
        let old = directory.zones(of: owner)
        let limit = zonesMax(of: owner)
        guard old.count + new.count <= limit else {
            return .refused(.full("zones \(owner.inWords)", limit))
        }
        var load = ZoneLoad(of: owner, old)
        var zones: [Zone] = []
        for (index, new) in new.enumerated() {
            guard let drawing = new.patch.drawing else {
                return .refused(
                    Refusal(.invalid, "a zone has a shape", field: "geometry", item: index))
            }
            var zone = Zone(
                id: new.id, owner: owner, name: "", shape: drawing.shape,
                prepared: drawing.prepared)
            new.patch.apply(to: &zone)
            if var refusal = check(zone, before: nil) ?? load.take(zone) {
                refusal.item = index
                return .refused(refusal)
            }
            zones.append(zone)
        }
        return .done(zones.map { .zoneChanged($0) }, .zones(zones))
    }

    func updateZone(_ id: ZoneID, of owner: ZoneOwner, _ patch: ZonePatch) -> Verdict {
        if let refusal = denial(ofZonesOf: owner) { return .refused(refusal) }
        guard let old = zone(id, of: owner) else { return .refused(.missing("zone")) }
        if let refusal = outdated(old.version) { return .refused(refusal) }
        var zone = old
        patch.apply(to: &zone)
        guard zone != old else { return .done([], .zone(old)) }
        var load = ZoneLoad(of: owner, directory.zones(of: owner).filter { $0.id != id })
        if let refusal = check(zone, before: old) ?? load.take(zone) { return .refused(refusal) }
        zone.version += 1
        return .done([.zoneChanged(zone)], .zone(zone))
    }

    func removeZone(_ id: ZoneID, of owner: ZoneOwner) -> Verdict {
        if let refusal = denial(ofZonesOf: owner) { return .refused(refusal) }
        guard let zone = zone(id, of: owner) else { return .refused(.missing("zone")) }
        if let refusal = outdated(zone.version) { return .refused(refusal) }
        return .done([.zoneRemoved(ZoneRemoval(zone: id))], .gone)
    }

    private func zone(_ id: ZoneID, of owner: ZoneOwner) -> Zone? {
        directory.zone(id).flatMap { $0.owner == owner ? $0 : nil }
    }

    /// Nil when the owner is there.
    func missing(_ owner: ZoneOwner) -> Refusal? {
        switch owner {
        case .circle(let id): directory.circle(id) == nil ? .missing("circle") : nil
        case .person(let id): directory.person(id) == nil ? .missing("person") : nil
        case .set(let id): directory.set(id) == nil ? .missing("set") : nil
        }
    }

    /// Nil when the one who acts may edit zones and messages of that owner.
    func denial(ofZonesOf owner: ZoneOwner) -> Refusal? {
        let (action, target) = RightsTarget.editing(zonesOf: owner)
        return denial(action, on: target)
    }

    private func zonesMax(of owner: ZoneOwner) -> Int {
        switch owner {
        case .circle: allowance.zones
        case .person: allowance.privateZones
        case .set: Limits.zonesPerSetMax
        }
    }
}

extension RightsTarget {
    /// What one needs to edit the zones and messages of an owner.
    public static func editing(zonesOf owner: ZoneOwner) -> (Action, RightsTarget) {
        switch owner {
        case .circle(let circle): (.editZones, .circle(circle))
        case .person(let person): (.editPrivateZones, .person(person))
        case .set: (.administer, .suite)
        }
    }

    /// What one needs to read the zones and messages of an owner.
    public static func reading(zonesOf owner: ZoneOwner) -> (Action, RightsTarget) {
        switch owner {
        case .circle(let circle): (.readZones, .circle(circle))
        case .person(let person): (.readOwnZones, .person(person))
        case .set: (.readSets, .suite)
        }
    }
}

extension ZoneOwner {
    /// Such as "of a circle".
    var inWords: String {
        switch self {
        case .circle: "of a circle"
        case .person: "of a person"
        case .set: "of a set"
        }
    }
}
