import Directory
import Model

/// Decides changes of people.
struct People {
    typealias Verdict = MembershipCore.Verdict

    let context: CommandContext

    func createPerson(_ id: PersonID, _ patch: PersonPatch) -> Verdict {
        if let rejection = context.denial(.administer, on: .suite) { return .rejected(rejection) }
        var person = Person(id: id, name: "")
        if let rejection = check(patch, of: nil) { return .rejected(rejection) }
        patch.apply(to: &person)
        return .done([.personChanged(person)], .person(person))
    }

    func updatePerson(_ id: PersonID, _ patch: PersonPatch) -> Verdict {
        let actions = PersonField.all.rights(
            of: patch, [.administer, .editContactPoints, .editProfile])
        if let rejection = context.denial(actions, on: .person(id)) { return .rejected(rejection) }
        guard let old = context.directory.person(id) else { return .rejected(.missing("person")) }
        if let rejection = context.outdated(old.version) ?? check(patch, of: old) {
            return .rejected(rejection)
        }
        if case .some(.some(let device)) = patch.primaryDevice,
            context.directory.device(device)?.person != id
        {
            return .rejected(
                CommandRejection(
                    .invalid, "this person has no device with this id", field: "primaryDevice"))
        }
        var person = old
        patch.apply(to: &person)
        person.contacts = person.contacts.keepingIDs(of: old.contacts)
        guard person != old else { return .done([], .person(old)) }
        person.version += 1
        return .done([.personChanged(person)], .person(person))
    }

    /// Removes a person from all circles. Circles without another joined member are removed.
    func removePerson(_ id: PersonID) -> Verdict {
        if let rejection = context.denial(.erase, on: .person(id)) { return .rejected(rejection) }
        guard let person = context.directory.person(id) else {
            return .rejected(.missing("person"))
        }
        if let rejection = context.outdated(person.version) { return .rejected(rejection) }
        var events: [EventBody] = []
        for circleID in context.directory.circles(of: id) + context.directory.invitations(of: id) {
            guard let circle = context.directory.circle(circleID) else { continue }
            if context.isLastAdmin(id, in: circle) { return .rejected(.lastAdmin) }
            events.append(circle.departure(of: id))
        }
        events.append(.personRemoved(PersonRemoval(person: id)))
        return .done(events, .gone)
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
            if !contact.channel.rules.hasGateways, isKnown != true {
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

extension [ContactPoint] {
    /// Keeps the id of every contact point whose channel and address stay the same, so that its
    /// delivery history still applies.
    fileprivate func keepingIDs(of old: [ContactPoint]) -> [ContactPoint] {
        map { contact in
            var contact = contact
            let same = old.first {
                $0.channel == contact.channel && $0.address == contact.address
            }
            if let same { contact.id = same.id }
            return contact
        }
    }
}

extension Circle {
    /// The event that removes a person, or the circle if no joined member remains.
    func departure(of person: PersonID) -> EventBody {
        var rest = without(person)
        rest.version += 1
        let isEmpty = member(person) != nil && !rest.members.contains { $0.joined != nil }
        return isEmpty ? .circleRemoved(CircleRemoval(circle: id)) : .circleChanged(rest)
    }
}
