import Directory
import Model

extension Attempt {
    func createPerson(_ id: PersonID, _ patch: PersonPatch) -> Verdict {
        if let refusal = denial(.administer, on: .suite) { return .refused(refusal) }
        var person = Person(id: id, name: "")
        if let refusal = check(patch, of: nil) { return .refused(refusal) }
        patch.apply(to: &person)
        return .done([.personChanged(person)], .person(person))
    }

    func updatePerson(_ id: PersonID, _ patch: PersonPatch) -> Verdict {
        var actions: [Action] = []
        if patch.hasAccountFields { actions.append(.administer) }
        if patch.contacts != nil { actions.append(.editContactPoints) }
        if patch.hasProfileFields || actions.isEmpty { actions.append(.editProfile) }
        if let refusal = denial(actions, on: .person(id)) { return .refused(refusal) }
        guard let old = directory.person(id) else { return .refused(.missing("person")) }
        if let refusal = outdated(old.version) ?? check(patch, of: old) {
            return .refused(refusal)
        }
        if case .some(.some(let leading)) = patch.leadingDevice,
            directory.device(leading)?.person != id
        {
            return .refused(
                Refusal(.invalid, "no device of this person has that id", field: "leadingDevice"))
        }
        var person = old
        patch.apply(to: &person)
        guard person != old else { return .done([], .person(old)) }
        person.version += 1
        return .done([.personChanged(person)], .person(person))
    }

    /// A person goes out of every circle; one that they were alone in goes with them.
    func removePerson(_ id: PersonID) -> Verdict {
        if let refusal = denial(.erase, on: .person(id)) { return .refused(refusal) }
        guard let person = directory.person(id) else { return .refused(.missing("person")) }
        if let refusal = outdated(person.version) { return .refused(refusal) }
        var events: [EventBody] = []
        for circleID in directory.circles(of: id) + directory.invitations(of: id) {
            guard let circle = directory.circle(circleID) else { continue }
            if isLastAdmin(id, in: circle) { return .refused(Attempt.lastAdmin) }
            events.append(Attempt.departure(of: id, from: circle))
        }
        events.append(.personRemoved(PersonRemoval(person: id)))
        return .done(events, .gone)
    }

    /// The circle without somebody; removed when nobody is left who has joined.
    static func departure(of person: PersonID, from circle: Circle) -> EventBody {
        var rest = circle.without(person)
        rest.version += 1
        let isEmpty = circle.member(person) != nil && !rest.members.contains { $0.joined != nil }
        return isEmpty
            ? .circleRemoved(CircleRemoval(circle: circle.id)) : .circleChanged(rest)
    }

    /// - Parameter person: as stored; nil for a new one
    private func check(_ patch: PersonPatch, of person: Person?) -> Refusal? {
        let contacts = patch.contacts ?? []
        if contacts.count > Limits.contactsPerPersonMax {
            return Refusal(
                .invalid, "no more than \(Limits.contactsPerPersonMax) contact points are allowed",
                field: "contacts")
        }
        for (index, contact) in contacts.enumerated() {
            // Nothing sends push messages, so such a contact point would only look reachable.
            let isKnown = person?.contacts.contains {
                $0.channel == contact.channel && $0.address == contact.address
            }
            if contact.channel == .push, isKnown != true {
                return Refusal(
                    .invalid, "push messages cannot be sent: this server has no driver for them",
                    field: "contacts[\(index)].channel", hint: "use sms or email")
            }
            let isRepeated = contacts[..<index].contains {
                $0.channel == contact.channel && $0.address == contact.address
            }
            if isRepeated {
                return Refusal(
                    .invalid, "this contact point is there twice",
                    field: "contacts[\(index)].address", hint: "name each address once")
            }
        }
        return nil
    }
}
