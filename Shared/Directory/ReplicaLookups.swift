import Model

extension Replica {
    /// Whether it contains nothing, because no snapshot has been applied yet.
    public var isEmpty: Bool {
        people.isEmpty && devices.isEmpty && credentials.isEmpty && circles.isEmpty
            && zones.isEmpty && sets.isEmpty && messages.isEmpty
    }

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

    /// The expired credentials, ids ascending. O(n).
    public func expiredCredentials(at now: Timestamp) -> [CredentialID] {
        credentials.expired(at: now).sorted()
    }

    public func person(_ id: PersonID) -> Person? { people[id] }
    public func device(_ id: DeviceID) -> Device? { devices[id] }
    /// The person who owns a device; nil if there is no such device.
    public func owner(of device: DeviceID) -> PersonID? { devices.read(device) { $0.person } }
    /// The primary device that a person has chosen, if it still belongs to them.
    public func chosenDevice(of person: PersonID) -> DeviceID? {
        guard let chosen = people.read(person, { $0.primaryDevice }) ?? nil,
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

    /// The monitoring tokens, ids ascending.
    public var monitorCredentials: [Credential] {
        credentials.values.filter { $0.kind == .monitor }.sorted { $0.id < $1.id }
    }

    /// The circles that a person has joined, ascending; without open invitations.
    public func circles(of person: PersonID) -> [CircleID] {
        (circlesOfPerson[person] ?? []).filter { circles[$0]?.member(person) != nil }
    }

    /// The circles with an open invitation of a person, ascending.
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

    /// The ids of an owner's zones, ascending. Copies no zones, unlike ``zones(of:)``.
    public func zoneIDs(of owner: ZoneOwner) -> [ZoneID] { zonesOfOwner[owner] ?? [] }

    /// The number of an owner's zones.
    public func zoneCount(of owner: ZoneOwner) -> Int { zonesOfOwner[owner]?.count ?? 0 }

    /// The messages of an owner, ids ascending.
    public func messages(of owner: ZoneOwner) -> [ZoneMessage] {
        (messagesOfOwner[owner] ?? []).compactMap { messages[$0] }
    }

    /// The zones of a set, ids ascending.
    public func zones(of set: ZoneSetID) -> [Zone] { zones(of: .set(set)) }

    /// The circles that subscribe to a set, ascending.
    public func circles(subscribedTo set: ZoneSetID) -> [CircleID] { circlesOfSet[set] ?? [] }

    /// The sets whose zones apply to a person: those of the circles that they joined; ascending.
    public func sets(applyingTo person: PersonID) -> [ZoneSetID] {
        let all = circles(of: person).flatMap { circles[$0]?.sets ?? [] }
        return Set(all).filter { sets[$0] != nil }.sorted()
    }

    /// All sets, ids ascending. O(n log n): for lists and snapshots, not for every request.
    public var sortedSets: [ZoneSet] { sets.values.sorted { $0.id < $1.id } }

    /// All zones, ids ascending. O(n log n): for lists and snapshots, not for every request.
    public var sortedZones: [Zone] { zones.values.sorted { $0.id < $1.id } }

    /// All people, ids ascending. O(n log n): for lists and snapshots, not for every request.
    public var sortedPeople: [Person] { people.values.sorted { $0.id < $1.id } }

    /// All circles, ids ascending. O(n log n): for lists and snapshots, not for every request.
    public var sortedCircles: [Circle] { circles.values.sorted { $0.id < $1.id } }

    /// Numbers of (people, devices, credentials, circles, zones), for metrics.
    public var counts: (people: Int, devices: Int, credentials: Int, circles: Int, zones: Int) {
        (people.count, devices.count, credentials.count, circles.count, zones.count)
    }
}
