import Directory
import DirectoryViews
import Model

/// Fields of a person that a request sets.
public typealias PersonPatch = Patch<Person>

/// Decides changes of people.
struct People {
    let context: CommandContext

    func createPerson(_ id: PersonID, _ patch: PersonPatch) -> Verdict {
        if let rejection = context.denial(.administer, on: .suite) { return .rejected(rejection) }
        var person = Person(id: id, name: "")
        if let rejection = check(patch, of: nil) { return .rejected(rejection) }
        patch.apply(to: &person)
        person.contacts = person.contacts.merged(with: [], at: context.now)
        Trials.update(&person, in: context.directory, at: context.now)
        return .done([.personChanged(person)], .person(person))
    }

    func updatePerson(_ id: PersonID, _ patch: PersonPatch) -> Verdict {
        let patch = context.directory.person(id).map(patch.changing) ?? patch
        let actions = PersonField.all.rights(
            of: patch,
            [.administer, .changePlan, .editContactPoints, .editName, .editProfile])
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
        person.contacts = person.contacts.merged(with: old.contacts, at: context.now)
        Trials.update(&person, in: context.directory, at: context.now)
        guard person != old else { return .done([], .person(old)) }
        person.version += 1
        return .done(
            [.personChanged(person)],
            old.warning(after: person).map { .unreachablePerson(person, $0) } ?? .person(person),
            notices: old.removalNotices(after: person, at: context.now))
    }

    /// Removes a person from all circles. Circles without another joined member are removed.
    func removePerson(_ id: PersonID) -> Verdict {
        if let rejection = context.denial(.erase, on: .person(id)) { return .rejected(rejection) }
        guard let person = context.directory.person(id) else {
            return .rejected(.missing("person"))
        }
        if let rejection = context.outdated(person.version) { return .rejected(rejection) }
        var events: [EventBody] = []
        let alone = context.wards.wards(of: id).compactMap(context.directory.person).filter {
            $0.isWard(at: context.now) && $0.guardians == [id]
        }
        guard alone.isEmpty else {
            return .rejected(
                CommandRejection(
                    .conflict, "a ward has no other guardian",
                    hint: "let another person become a guardian, or erase the ward first"))
        }
        events += context.wards.orphaned(by: id, in: context.directory)
        for circleID in context.directory.circles(of: id) {
            guard let circle = context.directory.circle(circleID) else { continue }
            if context.isLastAdmin(id, in: circle) { return .rejected(.lastAdmin) }
            events.append(circle.departure(of: id))
        }
        events.append(.personRemoved(PersonRemoval(person: id)))
        return .done(events, .erased(id))
    }

    /// Events that remove a person unconditionally: the erasure was decided before the restore.
    static func erasure(of person: PersonID, _ state: MembershipState) -> [EventBody] {
        let circles = state.directory.circles(of: person).compactMap(state.directory.circle).map {
            $0.departure(of: person)
        }
        return circles + state.wards.orphaned(by: person, in: state.directory)
            + [.personRemoved(PersonRemoval(person: person))]
    }

    /// - Parameter person: as stored; nil for a new one
    func check(_ patch: PersonPatch, of person: Person?) -> CommandRejection? {
        let contacts = patch.contacts ?? []
        if contacts.count > Limits.contactsPerPersonMax {
            return CommandRejection(
                .invalid, "no more than \(Limits.contactsPerPersonMax) contact points are allowed",
                field: "contacts")
        }
        if let rejection = checkVouching(for: contacts, person?.contacts ?? []) {
            return rejection
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

extension People {
    /// Only the operator vouches for contact points, and only as long as the person has verified
    /// none by code: nobody acts as another person.
    private func checkVouching(
        for contacts: [ContactPoint], _ old: [ContactPoint]
    ) -> CommandRejection? {
        let new = contacts.firstIndex { contact in
            contact.vouched && old.first { $0.isSame(as: contact) }?.verified == nil
        }
        guard let new else { return nil }
        if let rejection = context.denial(.administer, on: .suite) { return rejection }
        guard old.contains(where: { $0.verified != nil && !$0.vouched }) else { return nil }
        return CommandRejection(
            .conflict, "this person verifies contact points by code",
            field: "contacts[\(new)].vouched", hint: "remove it: the person enters a code")
    }
}

extension PersonPatch {
    /// Without name, contact points and plan that the person already has: a client that sends a
    /// whole person back needs no right to what it does not change.
    fileprivate func changing(_ person: Person) -> PersonPatch {
        var patch = self
        if patch.name == person.name { patch.name = nil }
        if patch.plan == person.plan { patch.plan = nil }
        if let contacts = patch.contacts, contacts.count == person.contacts.count,
            zip(contacts, person.contacts).allSatisfy({ new, old in
                new.isSame(as: old) && new.rank == old.rank && new.label == old.label
                    && (!new.vouched || old.vouched)
            })
        {
            patch.contacts = nil
        }
        return patch
    }
}

extension [ContactPoint] {
    /// The contact points of an edited person.
    ///
    /// A contact point whose channel and address stay the same keeps its id, so that its delivery
    /// history still applies, and stays verified. A vouched one is verified now.
    func merged(with old: [ContactPoint], at now: Timestamp) -> [ContactPoint] {
        map { contact in
            var contact = contact
            if let same = old.first(where: contact.isSame(as:)) {
                contact.id = same.id
                (contact.verified, contact.vouched) = (
                    same.verified, same.vouched || contact.vouched && same.verified == nil
                )
            } else {
                contact.verified = nil
            }
            if contact.vouched, contact.verified == nil { contact.verified = now }
            return contact
        }
    }
}

extension ContactPoint {
    fileprivate func isSame(as other: ContactPoint) -> Bool {
        channel == other.channel && address == other.address
    }
}

extension Circle {
    /// The event that removes a person, or the circle if no joined member remains.
    func departure(of person: PersonID) -> EventBody {
        var rest = without(person)
        rest.version += 1
        let isEmpty = !rest.members.contains { $0.joined != nil }
        return isEmpty ? .circleRemoved(CircleRemoval(circle: id)) : .circleChanged(rest)
    }
}
