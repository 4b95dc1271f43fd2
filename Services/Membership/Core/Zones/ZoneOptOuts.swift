import Directory
import Model

/// Decides which zones a person opts out of.
struct ZoneOptOuts {
    let context: CommandContext

    /// Opts a person out of a zone: the zone no longer applies to them.
    func optOut(_ id: ZoneID, by personID: PersonID) -> Verdict {
        if let rejection = context.denial(.optOutOfZones, on: .person(personID)) {
            return .rejected(rejection)
        }
        guard var person = context.directory.person(personID) else {
            return .rejected(.missing("person"))
        }
        guard let zone = context.directory.zone(id), context.directory.applies(zone, to: personID)
        else {
            return .rejected(
                CommandRejection(
                    .missing, "no zone with this id applies to this person",
                    hint: "GET …/applicable-zones lists them"))
        }
        if zone.owner == .person(personID) {
            return .rejected(
                CommandRejection(
                    .conflict, "opting out of a private zone is not possible",
                    hint: "set active to false, or DELETE it"))
        }
        guard !person.zoneOptOuts.contains(id) else { return .done([], .gone) }
        // Opt-outs of removed zones do not count.
        person.zoneOptOuts.removeAll { context.directory.zone($0) == nil }
        guard person.zoneOptOuts.count < Limits.zoneOptOutsMax else {
            return .rejected(
                CommandRejection(
                    .conflict, "no more than \(Limits.zoneOptOutsMax) opt-outs are allowed",
                    hint: "leave the circle, or ask an admin to end its subscription"))
        }
        person.zoneOptOuts = (person.zoneOptOuts + [id]).sorted()
        person.zoneAcceptances.removeAll { $0.zone == id }
        person.version += 1
        return .done([.personChanged(person)], .gone)
    }

    /// Removes the opt-out of a zone.
    func optIn(_ id: ZoneID, by personID: PersonID) -> Verdict {
        if let rejection = context.denial(.optOutOfZones, on: .person(personID)) {
            return .rejected(rejection)
        }
        guard var person = context.directory.person(personID) else {
            return .rejected(.missing("person"))
        }
        guard person.zoneOptOuts.contains(id) else { return .done([], .gone) }
        person.zoneOptOuts.removeAll { $0 == id || context.directory.zone($0) == nil }
        person.version += 1
        return .done([.personChanged(person)], .gone)
    }
}

extension Replica {
    /// Whether a zone is the person's own, or of a circle or subscribed set of a circle that they
    /// joined. Opt-outs are not considered.
    public func applies(_ zone: Zone, to person: PersonID) -> Bool {
        switch zone.owner {
        case .person(let owner): owner == person
        case .circle(let id): circle(id)?.member(person) != nil
        case .set(let id): sets(applyingTo: person).contains(id)
        }
    }
}
