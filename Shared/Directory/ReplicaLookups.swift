import Model

extension Replica {
    /// Nothing known at all: the first snapshot has not come yet.
    public var isEmpty: Bool {
        people.isEmpty && devices.isEmpty && credentials.isEmpty && circles.isEmpty
            && zones.isEmpty && sets.isEmpty && messages.isEmpty
    }

    /// Who a credential speaks for; nil when no such credential is known.
    ///
    /// - Parameter tokenHash: 64 lower-case hexadecimal digits of SHA-256 over the token's text.
    public func principal(tokenHash: String) -> Principal? {
        credential(tokenHash: tokenHash)?.principal
    }

    /// The credential with this hash.
    public func credential(tokenHash: String) -> Credential? {
        credentials.credential(hash: tokenHash)
    }

    public func person(_ id: PersonID) -> Person? { people[id] }
    public func device(_ id: DeviceID) -> Device? { devices[id] }
    /// Whose a device is; nil where there is no such device.
    public func owner(of device: DeviceID) -> PersonID? { devices.read(device) { $0.person } }
    /// The device that a person has chosen to lead, as long as it is theirs.
    public func chosenDevice(of person: PersonID) -> DeviceID? {
        guard let chosen = people.read(person, { $0.leadingDevice }) ?? nil,
            owner(of: chosen) == person
        else { return nil }
        return chosen
    }
    public func credential(_ id: CredentialID) -> Credential? { credentials[id] }
    public func circle(_ id: CircleID) -> Circle? { circles[id] }
    public func zone(_ id: ZoneID) -> Zone? { zones[id] }
    public func set(_ id: ZoneSetID) -> ZoneSet? { sets[id] }
    public func message(_ id: MessageID) -> ZoneMessage? { messages[id] }

    /// The devices of a person, ids ascending.
    public func devices(of person: PersonID) -> [Device] {
        (devicesOfPerson[person] ?? []).compactMap { devices[$0] }
    }

    /// The credentials of a person and of all their devices, ids ascending.
    public func credentials(of person: PersonID) -> [Credential] {
        (credentialsOfPerson[person] ?? []).compactMap { credentials[$0] }
    }

    /// The credentials of one device, ids ascending.
    public func credentials(of device: DeviceID) -> [Credential] {
        guard let person = devices[device]?.person else { return [] }
        return credentials(of: person).filter { $0.device == device }
    }

    /// The credentials of the operator, ids ascending.
    public var operatorCredentials: [Credential] {
        credentials.values.filter { $0.principal == .operator }.sorted { $0.id < $1.id }
    }

    /// The credentials that only let events be followed, ids ascending.
    public var monitorCredentials: [Credential] {
        credentials.values.filter { $0.scope == .monitor }.sorted { $0.id < $1.id }
    }

    /// The circles that a person has joined, ascending; an open invitation does not count.
    public func circles(of person: PersonID) -> [CircleID] {
        (circlesOfPerson[person] ?? []).filter { circles[$0]?.member(person) != nil }
    }

    /// The circles that wait for this person's answer, ascending.
    public func invitations(of person: PersonID) -> [CircleID] {
        (circlesOfPerson[person] ?? []).filter { circles[$0]?.member(person) == nil }
    }

    /// The zones of a circle, ids ascending.
    public func zones(of circle: CircleID) -> [Zone] { zones(of: .circle(circle)) }

    /// The private zones of a person, ids ascending.
    public func zones(of person: PersonID) -> [Zone] { zones(of: .person(person)) }

    /// The zones of an owner, ids ascending.
    public func zones(of owner: ZoneOwner) -> [Zone] {
        (zonesOfOwner[owner] ?? []).compactMap { zones[$0] }
    }

    /// The ids of an owner's zones, ascending: of a large set without the zones themselves.
    public func zoneIDs(of owner: ZoneOwner) -> [ZoneID] { zonesOfOwner[owner] ?? [] }

    /// How many zones an owner has.
    public func zoneCount(of owner: ZoneOwner) -> Int { zonesOfOwner[owner]?.count ?? 0 }

    /// The messages of an owner, ids ascending.
    public func messages(of owner: ZoneOwner) -> [ZoneMessage] {
        (messagesOfOwner[owner] ?? []).compactMap { messages[$0] }
    }

    /// The zones of a set, ids ascending.
    public func zones(of set: ZoneSetID) -> [Zone] { zones(of: .set(set)) }

    /// The circles that subscribe to a set, ascending.
    public func circles(subscribedTo set: ZoneSetID) -> [CircleID] { circlesOfSet[set] ?? [] }

    /// The sets whose zones judge a person: those of the circles that they have joined; ascending.
    public func sets(judging person: PersonID) -> [ZoneSetID] {
        let all = circles(of: person).flatMap { circles[$0]?.sets ?? [] }
        return Set(all).filter { sets[$0] != nil }.sorted()
    }

    /// All sets, ids ascending. Sorts: for lists and snapshots, not for every request.
    public var sortedSets: [ZoneSet] { sets.values.sorted { $0.id < $1.id } }

    /// All zones, ids ascending. Sorts: for lists and snapshots, not for every request.
    public var sortedZones: [Zone] { zones.values.sorted { $0.id < $1.id } }

    /// Everybody, ids ascending. Sorts: for lists and snapshots, not for every request.
    public var sortedPeople: [Person] { people.values.sorted { $0.id < $1.id } }

    /// All circles, ids ascending. Sorts: for lists and snapshots, not for every request.
    public var sortedCircles: [Circle] { circles.values.sorted { $0.id < $1.id } }

    /// Numbers of (people, devices, credentials, circles, zones), for metrics.
    public var counts: (people: Int, devices: Int, credentials: Int, circles: Int, zones: Int) {
        (people.count, devices.count, credentials.count, circles.count, zones.count)
    }
}
