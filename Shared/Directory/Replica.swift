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
///
/// It stores and finds; types beside it decide by what it contains: ``RightsQuery``,
/// ``PositionAccess``, ``NeverNotifyRules``, ``ZoneNaming``, ``Reachability``.
public struct Replica: Hashable, Sendable {
    /// The rights that ``decide(_:_:on:at:)`` applies.
    public let rights: RightsTable

    var people = Table<PersonID, Person>()
    var devices = DeviceTable()
    var credentials = CredentialTable()
    var circles = CircleTable()
    var sets: [ZoneSetID: ZoneSet] = [:]
    var neverNotify = NeverNotifyTable()
    /// PINs that are set.
    var pins: [PersonID: PersonPIN] = [:]
    package internal(set) var messages = OwnedTable<ZoneMessage>()
    package internal(set) var zones = OwnedTable<Zone>()

    public init(rights: RightsTable = .standard) { self.rights = rights }

    /// Applies one event of the `directory` stream. Events of other streams change nothing.
    ///
    /// - Returns: the change as steps about one entity each, in the order in which a store with one
    ///   row per entity must write them. Empty if nothing changed.
    @discardableResult
    public mutating func apply(_ body: EventBody) -> [EventBody] {
        guard let change = DirectoryChange(body) else { return [] }
        let steps = DirectorySteps(directory: self).steps(of: change)
        for step in steps { apply(step) }
        return steps.map(\.body)
    }

    private mutating func apply(_ step: DirectoryChange) {
        switch step {
        case .person(let person): people[person.id] = person
        case .device(let device): devices[device.id] = device
        case .credential(let credential): credentials[credential.id] = credential
        case .circle(let circle): circles[circle.id] = circle
        case .set(let set): sets[set.id] = set
        case .message(let message): messages[message.id] = message
        case .zone(let zone): zones[zone.id] = zone
        case .neverNotify(let list): neverNotify[list.person] = list
        case .pin(let pin): pins[pin.person] = pin.isEmpty ? nil : pin
        case .personRemoved(let id): people[id] = nil
        case .deviceRemoved(let id): devices[id] = nil
        case .credentialRemoved(let id): credentials[id] = nil
        case .circleRemoved(let id): circles[id] = nil
        case .setRemoved(let id): sets[id] = nil
        case .messageRemoved(let id): messages[id] = nil
        case .zoneRemoved(let id): zones[id] = nil
        }
    }

    /// Whether it contains nothing, because no snapshot has been applied yet.
    public var isEmpty: Bool {
        people.isEmpty && devices.isEmpty && credentials.isEmpty && circles.isEmpty
            && zones.isEmpty && sets.isEmpty && messages.isEmpty
    }

    /// Numbers of (people, devices, credentials, circles, zones), for metrics.
    public var counts: (people: Int, devices: Int, credentials: Int, circles: Int, zones: Int) {
        (people.count, devices.count, credentials.count, circles.count, zones.count)
    }
}

// One entity.
extension Replica {
    public func person(_ id: PersonID) -> Person? { people[id] }
    /// The name of a person; nil if there is no such person.
    public func name(of person: PersonID) -> String? { people.read(person) { $0.name } }
    public func device(_ id: DeviceID) -> Device? { devices[id] }
    public func credential(_ id: CredentialID) -> Credential? { credentials[id] }
    public func circle(_ id: CircleID) -> Circle? { circles[id] }
    public func zone(_ id: ZoneID) -> Zone? { zones[id] }
    public func set(_ id: ZoneSetID) -> ZoneSet? { sets[id] }
    public func message(_ id: MessageID) -> ZoneMessage? { messages[id] }

    /// Returns the principal of a token; nil if the credential is unknown or expired.
    ///
    /// - Parameter tokenHash: SHA-256 of the token's text, as 64 lower-case hexadecimal digits
    public func principal(tokenHash: String, at now: Timestamp) -> Principal? {
        credential(tokenHash: tokenHash, at: now)?.principal
    }

    /// Returns the credential of a token; nil if it is unknown or expired.
    public func credential(tokenHash: String, at now: Timestamp) -> Credential? {
        credentials.credential(hash: tokenHash).flatMap { $0.isExpired(at: now) ? nil : $0 }
    }

    /// The person who owns a device; nil if there is no such device.
    public func owner(of device: DeviceID) -> PersonID? { devices.owner(of: device) }

    /// The primary device that a person has chosen, if it still belongs to them.
    public func chosenDevice(of person: PersonID) -> DeviceID? {
        guard let chosen = people.read(person, { $0.primaryDevice }) ?? nil,
            owner(of: chosen) == person
        else { return nil }
        return chosen
    }

    /// The private never-notify list of a person; empty if they have none.
    public func neverNotifyList(of person: PersonID) -> NeverNotifyList {
        neverNotify[person] ?? NeverNotifyList(person: person)
    }
}

// What belongs to an entity.
extension Replica {
    /// The devices of a person, ids ascending.
    public func devices(of person: PersonID) -> [Device] {
        devices.ids(of: person).compactMap { devices[$0] }
    }

    /// The credentials of a person and of all their devices, ids ascending.
    public func credentials(of person: PersonID) -> [Credential] {
        credentials.ids(of: person).compactMap { credentials[$0] }
    }

    /// The credentials of one device, ids ascending.
    public func credentials(of device: DeviceID) -> [Credential] {
        guard let person = owner(of: device) else { return [] }
        return credentials(of: person).filter { $0.device == device }
    }

    /// The zones of an owner, ids ascending.
    public func zones(of owner: ZoneOwner) -> [Zone] { zones.items(of: owner) }

    /// The zones of a circle, ids ascending.
    public func zones(of circle: CircleID) -> [Zone] { zones(of: .circle(circle)) }

    /// The private zones of a person, ids ascending.
    public func zones(of person: PersonID) -> [Zone] { zones(of: .person(person)) }

    /// The zones of a set, ids ascending.
    public func zones(of set: ZoneSetID) -> [Zone] { zones(of: .set(set)) }

    /// The messages of an owner, ids ascending.
    public func messages(of owner: ZoneOwner) -> [ZoneMessage] { messages.items(of: owner) }

    /// The circles that a person has joined, ascending; without open invitations.
    public func circles(of person: PersonID) -> [CircleID] { circles.ids(joinedBy: person) }

    /// The circles with an open invitation of a person, ascending.
    public func invitations(of person: PersonID) -> [CircleID] { circles.ids(inviting: person) }

    /// The circles that two people have both joined, ascending.
    public func commonCircles(of person: PersonID, and other: PersonID) -> [CircleID] {
        circles.ids(joinedBy: person, and: other)
    }

    /// The circles of a person in danger for which another one acknowledges and resolves: those
    /// that both have joined, ascending; for staff, all.
    public func circles(of person: PersonID, answeredBy other: PersonID) -> [CircleID] {
        people.read(other, { $0.staff }) ?? nil == nil
            ? commonCircles(of: person, and: other) : circles(of: person)
    }

    /// The circles that subscribe to a set, ascending.
    public func circles(subscribedTo set: ZoneSetID) -> [CircleID] {
        circles.ids(subscribedTo: set)
    }

    /// The sets whose zones apply to a person: those of the circles that they joined; ascending.
    public func sets(applyingTo person: PersonID) -> [ZoneSetID] {
        let all = circles(of: person).flatMap { circles[$0]?.sets ?? [] }
        return Set(all).filter { sets[$0] != nil }.sorted()
    }
}

// Lists of all entities, ids ascending: O(n log n), so not for every request.
extension Replica {
    /// All people.
    public var sortedPeople: [Person] { people.values.sorted { $0.id < $1.id } }

    /// All circles.
    public var sortedCircles: [Circle] { circles.values.sorted { $0.id < $1.id } }

    /// All zone sets.
    public var sortedSets: [ZoneSet] { sets.values.sorted { $0.id < $1.id } }

    /// All zones.
    public var sortedZones: [Zone] { zones.sorted }

    /// The credentials of the operator.
    public var operatorCredentials: [Credential] {
        credentials.values.filter { $0.principal == .operator }.sorted { $0.id < $1.id }
    }

    /// The monitoring tokens.
    public var monitorCredentials: [Credential] {
        credentials.values.filter { $0.kind == .monitor }.sorted { $0.id < $1.id }
    }

    /// The expired credentials.
    public func expiredCredentials(at now: Timestamp) -> [CredentialID] {
        credentials.expired(at: now).sorted()
    }
}

// Decisions that most callers need.
extension Replica {
    /// Decides whether a principal may perform an action now.
    ///
    ///     replica.decide(principal, .readPosition, on: .member(anna, in: family), at: now)
    public func decide(
        _ principal: Principal, _ action: Action, on target: RightsTarget, at now: Timestamp
    ) -> Decision {
        // The secret of a phone may be part of an address, so it reads nothing of others.
        if case .device(_, let owner) = principal, target.person != owner,
            [.readEmergency, .readHistory, .panicForOther].contains(action)
        {
            return .denied(.notYours)
        }
        let query = RightsQuery(principal, action, on: target, in: self, at: now)
        return Rights.decide(query, by: rights)
    }

    /// Whether a person must never be told or shown anything about another one: crossings, contact
    /// losses, emergencies.
    ///
    /// Last positions in a circle depend on sharing alone.
    public func hides(_ person: PersonID, from viewer: PersonID) -> Bool {
        NeverNotifyRules(in: self).hides(person, from: viewer)
    }

    /// Whether a person must not be told or shown anything about another one's emergencies: they
    /// are on the list, or share only excluded circles with the person.
    public func hidesEmergencies(of person: PersonID, from viewer: PersonID) -> Bool {
        NeverNotifyRules(in: self).hidesEmergencies(of: person, from: viewer)
    }

    /// The replica without never-notify lists, for answers about possible emergencies: callers that
    /// ask in advance must not learn that they are on a list.
    public var withoutNeverNotifyLists: Replica {
        var replica = self
        replica.neverNotify = NeverNotifyTable()
        return replica
    }
}
