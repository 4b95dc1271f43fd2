import Directory
import Model

extension Attempt {
    /// From now on the zone does not judge this person.
    func refuseZone(_ id: ZoneID, by personID: PersonID) -> Verdict {
        if let refusal = denial(.refuseZone, on: .person(personID)) { return .refused(refusal) }
        guard var person = directory.person(personID) else { return .refused(.missing("person")) }
        guard let zone = directory.zone(id), directory.judges(zone, personID) else {
            return .refused(
                Refusal(
                    .missing, "no zone with this id judges this person",
                    hint: "judging-zones lists those that do"))
        }
        if zone.owner == .person(personID) {
            return .refused(
                Refusal(
                    .conflict, "a private zone is one's own",
                    hint: "switch it off (active), or DELETE it"))
        }
        guard !person.refusedZones.contains(id) else { return .done([], .gone) }
        // What is not there any more needs no refusal.
        person.refusedZones.removeAll { directory.zone($0) == nil }
        guard person.refusedZones.count < Limits.refusedZonesMax else {
            return .refused(
                Refusal(
                    .conflict, "no more than \(Limits.refusedZonesMax) zones can be refused",
                    hint: "leave the circle, or ask an admin to end its subscription"))
        }
        person.refusedZones = (person.refusedZones + [id]).sorted()
        person.version += 1
        return .done([.personChanged(person)], .gone)
    }

    /// The zone judges this person again, where it is there and may.
    func acceptZone(_ id: ZoneID, by personID: PersonID) -> Verdict {
        if let refusal = denial(.refuseZone, on: .person(personID)) { return .refused(refusal) }
        guard var person = directory.person(personID) else { return .refused(.missing("person")) }
        guard person.refusedZones.contains(id) else { return .done([], .gone) }
        person.refusedZones.removeAll { $0 == id || directory.zone($0) == nil }
        person.version += 1
        return .done([.personChanged(person)], .gone)
    }
}

extension Replica {
    /// Whether a zone is one's own, of a circle that one has joined, or of a set of such a circle;
    /// refused or not.
    public func judges(_ zone: Zone, _ person: PersonID) -> Bool {
        switch zone.owner {
        case .person(let owner): owner == person
        case .circle(let id): circle(id)?.member(person) != nil
        case .set(let id): sets(judging: person).contains(id)
        }
    }
}
