import Model

/// Circles by id, by the people whom they list, and by the sets to which they subscribe.
///
/// Lists of ids are ascending and never empty.
struct CircleTable: Hashable, Sendable {
    private var rows: [CircleID: Circle] = [:]
    private var idsOfPerson: [PersonID: [CircleID]] = [:]
    private var idsOfSet: [ZoneSetID: [CircleID]] = [:]

    var count: Int { rows.count }
    var isEmpty: Bool { rows.isEmpty }
    /// In arbitrary order.
    var keys: some Sequence<CircleID> { rows.keys }
    /// In arbitrary order.
    var values: some Sequence<Circle> { rows.values }

    /// The circle with an id. Setting it to nil removes it.
    subscript(id: CircleID) -> Circle? {
        get { rows[id] }
        set {
            for member in rows[id]?.members ?? [] { idsOfPerson.remove(id, under: member.person) }
            for set in rows[id]?.sets ?? [] { idsOfSet.remove(id, under: set) }
            rows[id] = newValue
            for member in newValue?.members ?? [] { idsOfPerson.insert(id, under: member.person) }
            for set in newValue?.sets ?? [] { idsOfSet.insert(id, under: set) }
        }
    }

    /// The circles that list a person as a member or as invited, ascending.
    func ids(listing person: PersonID) -> [CircleID] { idsOfPerson[person] ?? [] }

    /// The circles that a person has joined, ascending; without open invitations.
    func ids(joinedBy person: PersonID) -> [CircleID] {
        ids(listing: person).filter { rows[$0]?.member(person) != nil }
    }

    /// The circles with an open invitation of a person, ascending.
    func ids(inviting person: PersonID) -> [CircleID] {
        ids(listing: person).filter { rows[$0]?.member(person) == nil }
    }

    /// The circles that subscribe to a set, ascending.
    func ids(subscribedTo set: ZoneSetID) -> [CircleID] { idsOfSet[set] ?? [] }

    /// The circles that two people have both joined, ascending.
    func ids(joinedBy person: PersonID, and other: PersonID) -> [CircleID] {
        ids(joinedBy: person).filter { rows[$0]?.member(other) != nil }
    }

    /// The circles that refer to a person, as a member or in their escalation policy, ascending.
    func naming(_ person: PersonID) -> [Circle] {
        rows.values.filter { $0.names(person) }.sorted { $0.id < $1.id }
    }

    /// Others who joined a circle of a person.
    func helpers(of person: PersonID) -> Set<PersonID> {
        let members = ids(joinedBy: person).compactMap { rows[$0] }.flatMap(\.members)
        return Set(members.filter { $0.joined != nil && $0.person != person }.map(\.person))
    }

    /// The highest role of one person in the circles that both have joined; nil if there is none.
    func highestRole(of person: PersonID, over other: PersonID) -> Role? {
        ids(joinedBy: person, and: other).compactMap { rows[$0]?.member(person)?.role }
            .max { $0.rank < $1.rank }
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
        for index in circle.members.indices {
            circle.members[index].withheldFrom.removeAll { $0 == person }
        }
        for index in circle.escalation.indices {
            circle.escalation[index].people.removeAll { $0 == person }
        }
        return circle
    }
}
