import Directory
import Model

/// Decides which zones a person accepts: those by which others may learn where they are while they
/// share zones only.
struct ZoneAcceptances {
    let context: CommandContext

    /// Accepts a zone as it is drawn now.
    func accept(_ id: ZoneID, by personID: PersonID) -> Verdict {
        change(id, of: personID) { person in
            person.zoneAcceptances.append(ZoneAcceptance(zone: id, at: context.now))
            person.zoneOptOuts.removeAll { $0 == id }
        }
    }

    /// Withdraws the acceptance of a zone. One accepted by joining needs an opt-out.
    func decline(_ id: ZoneID, by personID: PersonID) -> Verdict {
        change(id, of: personID) { _ in }
    }

    private func change(
        _ id: ZoneID, of personID: PersonID, _ edit: (inout Person) -> Void
    ) -> Verdict {
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
        let old = person
        person.zoneAcceptances.removeAll {
            $0.zone == id || context.directory.zone($0.zone) == nil
        }
        edit(&person)
        person.zoneAcceptances.sort { $0.zone < $1.zone }
        guard person.zoneAcceptances.count <= Limits.zoneOptOutsMax else {
            return .rejected(
                CommandRejection(
                    .conflict, "no more than \(Limits.zoneOptOutsMax) acceptances are allowed",
                    hint: "withdraw one first"))
        }
        guard person != old else { return .done([], .gone) }
        person.version += 1
        return .done([.personChanged(person)], .gone)
    }
}
