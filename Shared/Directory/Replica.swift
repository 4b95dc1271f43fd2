import Model

/// Replica of the directory: people, devices, credentials, circles, sets, messages and zones, with
/// indexes.
///
/// A replica is built by applying the events of the `directory` stream in order. Removing a person
/// or a circle removes everything that belongs to it, so a replica has no dangling references.
///
///     var replica = Replica()
///     replica.apply(.personChanged(person))
///     replica.principal(tokenHash: hash, at: now)
public struct Replica: Hashable, Sendable {
    /// The rights that ``decide(_:_:on:at:)`` applies.
    public let rights: RightsTable

    var people = Table<PersonID, Person>()
    var devices = Table<DeviceID, Device>()
    var credentials = CredentialTable()
    var circles: [CircleID: Circle] = [:]
    var sets: [ZoneSetID: ZoneSet] = [:]
    var messages: [MessageID: ZoneMessage] = [:]
    var zones: [ZoneID: Zone] = [:]
    /// Lists that are not empty.
    var neverNotify: [PersonID: NeverNotifyList] = [:]

    // Indexes, derived from the above; lists are ascending and never empty.
    var devicesOfPerson = Lists<PersonID, DeviceID>()
    var credentialsOfPerson = Lists<PersonID, CredentialID>()
    var circlesOfPerson: [PersonID: [CircleID]] = [:]
    var zonesOfOwner: [ZoneOwner: [ZoneID]] = [:]
    var messagesOfOwner: [ZoneOwner: [MessageID]] = [:]
    var circlesOfSet: [ZoneSetID: [CircleID]] = [:]

    public init(rights: RightsTable = .standard) { self.rights = rights }

    /// Applies one event of the `directory` stream. Events of other streams change nothing.
    ///
    /// - Returns: the change as steps about one entity each, in the order in which a store with one
    ///   row per entity must write them. A removed person yields the removal of credentials,
    ///   devices and private zones, circles without the person, then the person. Empty if nothing
    ///   changed.
    @discardableResult
    public mutating func apply(_ body: EventBody) -> [EventBody] {
        let steps = steps(of: body)
        for step in steps { applyStep(step) }
        return steps
    }

    func steps(of body: EventBody) -> [EventBody] {
        switch body {
        case .personChanged(let person): people[person.id] == person ? [] : [body]
        case .deviceChanged(let device): devices[device.id] == device ? [] : [body]
        case .credentialChanged(let credential):
            credentials[credential.id] == credential ? [] : [body]
        case .circleChanged(let circle): circles[circle.id] == circle ? [] : [body]
        case .zoneChanged(let zone): zones[zone.id] == zone ? [] : [body]
        case .personRemoved(let removal): removalSteps(ofPerson: removal.person)
        case .deviceRemoved(let removal): removalSteps(ofDevice: removal.device)
        case .credentialRemoved(let removal): credentials[removal.credential] == nil ? [] : [body]
        case .circleRemoved(let removal):
            circles[removal.circle] == nil
                ? [] : removalSteps(ofCircle: removal.circle) + [body]
        case .setChanged(let set): sets[set.id] == set ? [] : [body]
        case .setRemoved(let removal): removalSteps(ofSet: removal.set)
        case .messageChanged(let message): messages[message.id] == message ? [] : [body]
        case .messageRemoved(let removal): messages[removal.message] == nil ? [] : [body]
        case .zoneRemoved(let removal): zones[removal.zone] == nil ? [] : [body]
        case .neverNotifyChanged(let list):
            neverNotifyList(of: list.person) == list || people[list.person] == nil ? [] : [body]
        default: []
        }
    }

    private func removalSteps(ofPerson id: PersonID) -> [EventBody] {
        guard people[id] != nil else { return [] }
        var steps: [EventBody] = (credentialsOfPerson[id] ?? []).map {
            .credentialRemoved(CredentialRemoval(credential: $0))
        }
        steps += (devicesOfPerson[id] ?? []).map { .deviceRemoved(DeviceRemoval(device: $0)) }
        steps += removalSteps(ofItemsOf: .person(id))
        let affected = circles.values.filter { $0.names(id) }.sorted { $0.id < $1.id }
        steps += affected.map { .circleChanged($0.without(id)) }
        steps += neverNotifySteps { list in
            if list.person == id { list = NeverNotifyList(person: id) }
            list.people.removeAll { $0 == id }
        }
        return steps + [.personRemoved(PersonRemoval(person: id))]
    }

    private func removalSteps(ofCircle id: CircleID) -> [EventBody] {
        removalSteps(ofItemsOf: .circle(id))
            + neverNotifySteps { list in list.circles.removeAll { $0 == id } }
    }

    /// The never-notify lists that an edit changes, by person.
    private func neverNotifySteps(_ edit: (inout NeverNotifyList) -> Void) -> [EventBody] {
        neverNotify.values.sorted { $0.person < $1.person }.compactMap { list in
            var edited = list
            edit(&edited)
            return edited == list ? nil : .neverNotifyChanged(edited)
        }
    }

    private func removalSteps(ofDevice id: DeviceID) -> [EventBody] {
        guard let device = devices[id] else { return [] }
        var steps: [EventBody] = credentials(of: id).map {
            .credentialRemoved(CredentialRemoval(credential: $0.id))
        }
        if var owner = people[device.person], owner.primaryDevice == id {
            owner.primaryDevice = nil
            steps.append(.personChanged(owner))
        }
        return steps + [.deviceRemoved(DeviceRemoval(device: id))]
    }

    /// Includes the circles that subscribe to the set, without the subscription.
    private func removalSteps(ofSet id: ZoneSetID) -> [EventBody] {
        guard sets[id] != nil else { return [] }
        var steps: [EventBody] = []
        for subscriber in circlesOfSet[id] ?? [] {
            guard var circle = circles[subscriber] else { continue }
            circle.sets.removeAll { $0 == id }
            steps.append(.circleChanged(circle))
        }
        return steps + removalSteps(ofItemsOf: .set(id)) + [.setRemoved(SetRemoval(set: id))]
    }

    private func removalSteps(ofItemsOf owner: ZoneOwner) -> [EventBody] {
        let zones: [EventBody] = (zonesOfOwner[owner] ?? []).map {
            .zoneRemoved(ZoneRemoval(zone: $0))
        }
        return zones
            + (messagesOfOwner[owner] ?? []).map {
                .messageRemoved(ZoneMessageRemoval(message: $0))
            }
    }

    /// Applies one step and updates the indexes.
    private mutating func applyStep(_ step: EventBody) {
        switch step {
        case .personChanged(let person): people[person.id] = person
        case .personRemoved(let removal): people[removal.person] = nil
        case .deviceChanged(let device): set(device, for: device.id)
        case .deviceRemoved(let removal): set(nil, for: removal.device)
        case .credentialChanged(let credential): set(credential, for: credential.id)
        case .credentialRemoved(let removal): set(nil, for: removal.credential)
        case .circleChanged(let circle): set(circle, for: circle.id)
        case .circleRemoved(let removal): set(nil, for: removal.circle)
        case .zoneChanged(let zone): set(zone, for: zone.id)
        case .zoneRemoved(let removal): set(nil, for: removal.zone)
        case .setChanged(let set): sets[set.id] = set
        case .setRemoved(let removal): sets[removal.set] = nil
        case .messageChanged(let message): set(message, for: message.id)
        case .messageRemoved(let removal): set(nil, for: removal.message)
        case .neverNotifyChanged(let list):
            neverNotify[list.person] = list.isEmpty ? nil : list
        default: break
        }
    }

    private mutating func set(_ device: Device?, for id: DeviceID) {
        if let old = devices[id] { devicesOfPerson.remove(id, under: old.person) }
        devices[id] = device
        if let device { devicesOfPerson.insert(id, under: device.person) }
    }

    private mutating func set(_ credential: Credential?, for id: CredentialID) {
        if let person = credentials[id]?.person { credentialsOfPerson.remove(id, under: person) }
        credentials[id] = credential
        guard let credential else { return }
        if let person = credential.person { credentialsOfPerson.insert(id, under: person) }
    }

    private mutating func set(_ circle: Circle?, for id: CircleID) {
        for member in circles[id]?.members ?? [] {
            circlesOfPerson.remove(id, under: member.person)
        }
        for set in circles[id]?.sets ?? [] { circlesOfSet.remove(id, under: set) }
        circles[id] = circle
        for member in circle?.members ?? [] { circlesOfPerson.insert(id, under: member.person) }
        for set in circle?.sets ?? [] { circlesOfSet.insert(id, under: set) }
    }

    private mutating func set(_ zone: Zone?, for id: ZoneID) {
        if let old = zones[id] { zonesOfOwner.remove(id, under: old.owner) }
        zones[id] = zone
        if let zone { zonesOfOwner.insert(id, under: zone.owner) }
    }

    private mutating func set(_ message: ZoneMessage?, for id: MessageID) {
        if let old = messages[id] { messagesOfOwner.remove(id, under: old.owner) }
        messages[id] = message
        if let message { messagesOfOwner.insert(id, under: message.owner) }
    }
}

extension Circle {
    /// Whether the circle refers to a person, as a member or in its escalation policy.
    func names(_ person: PersonID) -> Bool {
        members.contains { $0.person == person }
            || escalation.contains { $0.people.contains(person) }
    }

    /// Returns the circle without a person, with the same version.
    public func without(_ person: PersonID) -> Circle {
        var circle = self
        circle.members.removeAll { $0.person == person }
        for index in circle.escalation.indices {
            circle.escalation[index].people.removeAll { $0 == person }
        }
        return circle
    }
}

extension Dictionary {
    /// Inserts an id into the ascending list of a key, unless it is there.
    mutating func insert<ID: Comparable>(_ id: ID, under key: Key) where Value == [ID] {
        self[key, default: []].insertAscending(id)
    }

    /// Removes an id from the list of a key, and the list if it becomes empty.
    mutating func remove<ID: Comparable>(_ id: ID, under key: Key) where Value == [ID] {
        guard let index = index(forKey: key) else { return }
        values[index].removeAscending(id)
        if values[index].isEmpty { remove(at: index) }
    }
}

extension Array where Element: Comparable {
    /// The index of the element, or where it would be inserted.
    private func index(of element: Element) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate mutating func insertAscending(_ element: Element) {
        let index = self.index(of: element)
        if index == count || self[index] != element { insert(element, at: index) }
    }

    fileprivate mutating func removeAscending(_ element: Element) {
        let index = self.index(of: element)
        if index < count, self[index] == element { remove(at: index) }
    }
}
