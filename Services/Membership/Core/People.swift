import Directory
import Model

extension CommandDecision {
    func createPerson(_ id: PersonID, _ patch: PersonPatch) -> Verdict {
        if let rejection = denial(.administer, on: .suite) { return .rejected(rejection) }
        var person = Person(id: id, name: "")
        if let rejection = check(patch, of: nil) { return .rejected(rejection) }
        patch.apply(to: &person)
        return .done([.personChanged(person)], .person(person))
    }

    func updatePerson(_ id: PersonID, _ patch: PersonPatch) -> Verdict {
        var actions: [Action] = []
        if patch.hasAccountFields { actions.append(.administer) }
        if patch.contacts != nil { actions.append(.editContactPoints) }
        if patch.hasProfileFields || actions.isEmpty { actions.append(.editProfile) }
        if let rejection = denial(actions, on: .person(id)) { return .rejected(rejection) }
        guard let old = directory.person(id) else { return .rejected(.missing("person")) }
        if let rejection = outdated(old.version) ?? check(patch, of: old) {
            return .rejected(rejection)
        }
        if case .some(.some(let device)) = patch.primaryDevice,
            directory.device(device)?.person != id
        {
            return .rejected(
                CommandRejection(
                    .invalid, "this person has no device with this id", field: "primaryDevice"))
        }
        var person = old
        patch.apply(to: &person)
        guard person != old else { return .done([], .person(old)) }
        person.version += 1
        return .done([.personChanged(person)], .person(person))
    }

    /// Removes a person from all circles. Circles without another joined member are removed.
    func removePerson(_ id: PersonID) -> Verdict {
        if let rejection = denial(.erase, on: .person(id)) { return .rejected(rejection) }
        guard let person = directory.person(id) else { return .rejected(.missing("person")) }
        if let rejection = outdated(person.version) { return .rejected(rejection) }
        var events: [EventBody] = []
        for circleID in directory.circles(of: id) + directory.invitations(of: id) {
            guard let circle = directory.circle(circleID) else { continue }
            if isLastAdmin(id, in: circle) { return .rejected(CommandDecision.lastAdmin) }
            events.append(CommandDecision.departure(of: id, from: circle))
        }
        events.append(.personRemoved(PersonRemoval(person: id)))
        return .done(events, .gone)
    }

    /// The event that removes a person from a circle, or the circle if no joined member remains.
    static func departure(of person: PersonID, from circle: Circle) -> EventBody {
        var rest = circle.without(person)
        rest.version += 1
        let isEmpty = circle.member(person) != nil && !rest.members.contains { $0.joined != nil }
        return isEmpty
            ? .circleRemoved(CircleRemoval(circle: circle.id)) : .circleChanged(rest)
    }

    /// - Parameter person: as stored; nil for a new one
    private func check(_ patch: PersonPatch, of person: Person?) -> CommandRejection? {
        let contacts = patch.contacts ?? []
        if contacts.count > Limits.contactsPerPersonMax {
            return CommandRejection(
                .invalid, "no more than \(Limits.contactsPerPersonMax) contact points are allowed",
                field: "contacts")
        }
        for (index, contact) in contacts.enumerated() {
            // Nothing sends push messages, so such a contact point would only look reachable.
            let isKnown = person?.contacts.contains {
                $0.channel == contact.channel && $0.address == contact.address
            }
            if contact.channel == .push, isKnown != true {
                return CommandRejection(
                    .invalid, "push messages cannot be sent: this server has no driver for them",
                    field: "contacts[\(index)].channel", hint: "use sms or email")
            }
            let isRepeated = contacts[..<index].contains {
                $0.channel == contact.channel && $0.address == contact.address
            }
            if isRepeated {
                return CommandRejection(
                    .invalid, "this contact point is a duplicate",
                    field: "contacts[\(index)].address", hint: "list each address once")
            }
        }
        return nil
    }
}
