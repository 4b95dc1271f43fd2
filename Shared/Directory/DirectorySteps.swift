import Model

/// Splits an event into the changes that it makes, entity by entity.
///
/// A removal includes what belongs to the removed entity and what refers to it, so that a directory
/// has no dangling references.
struct DirectorySteps {
    /// Before the change.
    let directory: Replica

    /// Returns the steps of a change, in the order in which a store with one row per entity must
    /// write them. A removed person yields the removal of credentials, devices and private zones,
    /// circles without the person, then the person. Empty if nothing changes.
    func steps(of change: DirectoryChange) -> [DirectoryChange] {
        switch change {
        case .person(let person): directory.people[person.id] == person ? [] : [change]
        case .device(let device): directory.devices[device.id] == device ? [] : [change]
        case .credential(let credential):
            directory.credentials[credential.id] == credential ? [] : [change]
        case .circle(let circle): directory.circles[circle.id] == circle ? [] : [change]
        case .zone(let zone): directory.zones[zone.id] == zone ? [] : [change]
        case .set(let set): directory.sets[set.id] == set ? [] : [change]
        case .message(let message): directory.messages[message.id] == message ? [] : [change]
        case .neverNotify(let list):
            directory.neverNotifyList(of: list.person) == list
                || directory.people[list.person] == nil ? [] : [change]
        case .pin(let pin):
            directory.pins[pin.person] ?? PersonPIN(person: pin.person) == pin
                || directory.people[pin.person] == nil ? [] : [change]
        case .personRemoved(let id): removal(ofPerson: id)
        case .deviceRemoved(let id): removal(ofDevice: id)
        case .credentialRemoved(let id): directory.credentials[id] == nil ? [] : [change]
        case .circleRemoved(let id): removal(ofCircle: id)
        case .setRemoved(let id): removal(ofSet: id)
        case .messageRemoved(let id): directory.messages[id] == nil ? [] : [change]
        case .zoneRemoved(let id): directory.zones[id] == nil ? [] : [change]
        }
    }

    private func removal(ofPerson id: PersonID) -> [DirectoryChange] {
        guard directory.people[id] != nil else { return [] }
        let credentials = directory.credentials.ids(of: id)
        var steps = credentials.map { DirectoryChange.credentialRemoved($0) }
        steps += directory.devices.ids(of: id).map { .deviceRemoved($0) }
        steps += removal(ofItemsOf: .person(id))
        steps += directory.circles.naming(id).map { .circle($0.without(id)) }
        steps += edits { list in
            if list.person == id { list = NeverNotifyList(person: id) }
            list.people.removeAll { $0 == id }
        }
        if directory.pins[id] != nil { steps.append(.pin(PersonPIN(person: id))) }
        return steps + [.personRemoved(id)]
    }

    private func removal(ofCircle id: CircleID) -> [DirectoryChange] {
        guard directory.circles[id] != nil else { return [] }
        return removal(ofItemsOf: .circle(id))
            + edits { list in list.circles.removeAll { $0 == id } } + [.circleRemoved(id)]
    }

    private func removal(ofDevice id: DeviceID) -> [DirectoryChange] {
        guard let owner = directory.owner(of: id) else { return [] }
        let credentials = directory.credentials(of: id)
        var steps = credentials.map { DirectoryChange.credentialRemoved($0.id) }
        if var person = directory.people[owner], person.primaryDevice == id {
            person.primaryDevice = nil
            steps.append(.person(person))
        }
        return steps + [.deviceRemoved(id)]
    }

    /// Includes the circles that subscribe to the set, without the subscription.
    private func removal(ofSet id: ZoneSetID) -> [DirectoryChange] {
        guard directory.sets[id] != nil else { return [] }
        var steps: [DirectoryChange] = []
        for subscriber in directory.circles.ids(subscribedTo: id) {
            guard var circle = directory.circles[subscriber] else { continue }
            circle.sets.removeAll { $0 == id }
            steps.append(.circle(circle))
        }
        return steps + removal(ofItemsOf: .set(id)) + [.setRemoved(id)]
    }

    private func removal(ofItemsOf owner: ZoneOwner) -> [DirectoryChange] {
        directory.zones.ids(of: owner).map { .zoneRemoved($0) }
            + directory.messages.ids(of: owner).map { .messageRemoved($0) }
    }

    /// The never-notify lists that an edit changes, by person.
    private func edits(_ edit: (inout NeverNotifyList) -> Void) -> [DirectoryChange] {
        directory.neverNotify.sorted.compactMap { list in
            var edited = list
            edit(&edited)
            return edited == list ? nil : .neverNotify(edited)
        }
    }
}
