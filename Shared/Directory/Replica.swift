import Model

/// Everything that membership tells the other services: people, devices, credentials, circles, sets
/// of zones, messages and zones, ready to be asked.
///
/// A value: built by applying the events of the `directory` stream in their order. Removing a
/// person or a circle takes along whatever belongs to it, so a replica never speaks of somebody
/// who is gone.
///
///     var replica = Replica()
///     replica.apply(.personChanged(person))
///     replica.principal(tokenHash: hash)
public struct Replica: Hashable, Sendable {
    var people = Table<PersonID, Person>()
    var devices = Table<DeviceID, Device>()
    var credentials = CredentialTable()
    var circles: [CircleID: Circle] = [:]
    var sets: [ZoneSetID: ZoneSet] = [:]
    var messages: [MessageID: ZoneMessage] = [:]
    var zones: [ZoneID: Zone] = [:]

    // Indexes, functions of the above; lists ascend and are never empty.
    var devicesOfPerson = Lists<PersonID, DeviceID>()
    var credentialsOfPerson = Lists<PersonID, CredentialID>()
    var circlesOfPerson: [PersonID: [CircleID]] = [:]
    var zonesOfOwner: [ZoneOwner: [ZoneID]] = [:]
    var messagesOfOwner: [ZoneOwner: [MessageID]] = [:]
    var circlesOfSet: [ZoneSetID: [CircleID]] = [:]

    public init() {}

    /// Takes one event of the `directory` stream in; events of other streams change nothing.
    ///
    /// - Returns: the same change step by step, each step about one thing alone: what a store that
    ///   keeps a row a thing has to write, in this order. A removed person yields credentials,
    ///   devices, private zones and circles without them, then the person. Empty when nothing
    ///   changed.
    @discardableResult
    public mutating func apply(_ body: EventBody) -> [EventBody] {
        let steps = steps(of: body)
        for step in steps { take(step) }
        return steps
    }

    private func steps(of body: EventBody) -> [EventBody] {
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
                ? [] : removalSteps(ofWhatIsOf: .circle(removal.circle)) + [body]
        case .setChanged(let set): sets[set.id] == set ? [] : [body]
        case .setRemoved(let removal): removalSteps(ofSet: removal.set)
        case .messageChanged(let message): messages[message.id] == message ? [] : [body]
        case .messageRemoved(let removal): messages[removal.message] == nil ? [] : [body]
        case .zoneRemoved(let removal): zones[removal.zone] == nil ? [] : [body]
        default: []
        }
    }

    private func removalSteps(ofPerson id: PersonID) -> [EventBody] {
        guard people[id] != nil else { return [] }
        var steps: [EventBody] = (credentialsOfPerson[id] ?? []).map {
            .credentialRemoved(CredentialRemoval(credential: $0))
        }
        steps += (devicesOfPerson[id] ?? []).map { .deviceRemoved(DeviceRemoval(device: $0)) }
        steps += removalSteps(ofWhatIsOf: .person(id))
        let affected = circles.values.filter { $0.names(id) }.sorted { $0.id < $1.id }
        steps += affected.map { .circleChanged($0.without(id)) }
        return steps + [.personRemoved(PersonRemoval(person: id))]
    }

    private func removalSteps(ofDevice id: DeviceID) -> [EventBody] {
        guard let device = devices[id] else { return [] }
        var steps: [EventBody] = credentials(of: id).map {
            .credentialRemoved(CredentialRemoval(credential: $0.id))
        }
        if var owner = people[device.person], owner.leadingDevice == id {
            owner.leadingDevice = nil
            steps.append(.personChanged(owner))
        }
        return steps + [.deviceRemoved(DeviceRemoval(device: id))]
    }

    /// Circles that subscribe to it do so no longer.
    private func removalSteps(ofSet id: ZoneSetID) -> [EventBody] {
        guard sets[id] != nil else { return [] }
        var steps: [EventBody] = []
        for subscriber in circlesOfSet[id] ?? [] {
            guard var circle = circles[subscriber] else { continue }
            circle.sets.removeAll { $0 == id }
            steps.append(.circleChanged(circle))
        }
        return steps + removalSteps(ofWhatIsOf: .set(id)) + [.setRemoved(SetRemoval(set: id))]
    }

    private func removalSteps(ofWhatIsOf owner: ZoneOwner) -> [EventBody] {
        let zones: [EventBody] = (zonesOfOwner[owner] ?? []).map {
            .zoneRemoved(ZoneRemoval(zone: $0))
        }
        return zones
            + (messagesOfOwner[owner] ?? []).map {
                .messageRemoved(ZoneMessageRemoval(message: $0))
            }
    }

    /// Performs one step and keeps the indexes true.
    private mutating func take(_ step: EventBody) {
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
    /// Whether the circle speaks of this person, as a member or in its escalation policy.
    func names(_ person: PersonID) -> Bool {
        members.contains { $0.person == person }
            || escalation.contains { $0.people.contains(person) }
    }

    /// The circle after a person has gone, with the same version.
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
    /// Puts an id into the ascending list under a key, once.
    mutating func insert<ID: Comparable>(_ id: ID, under key: Key) where Value == [ID] {
        self[key, default: []].insertAscending(id)
    }

    /// Takes an id out of the list under a key; an empty list goes.
    mutating func remove<ID: Comparable>(_ id: ID, under key: Key) where Value == [ID] {
        guard let index = index(forKey: key) else { return }
        values[index].removeAscending(id)
        if values[index].isEmpty { remove(at: index) }
    }
}

extension Array where Element: Comparable {
    /// Where the element stands, or would stand.
    private func place(of element: Element) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate mutating func insertAscending(_ element: Element) {
        let index = place(of: element)
        if index == count || self[index] != element { insert(element, at: index) }
    }

    fileprivate mutating func removeAscending(_ element: Element) {
        let index = place(of: element)
        if index < count, self[index] == element { remove(at: index) }
    }
}
