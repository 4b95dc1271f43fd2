import Model

// Never-notify lists: who is never told or shown anything about a person.
//
// For everybody else each answer, count and time is as if the lists did not exist.
extension Replica {
    /// The private list of a person; empty if they have none.
    public func neverNotifyList(of person: PersonID) -> NeverNotifyList {
        neverNotify[person] ?? NeverNotifyList(person: person)
    }

    /// Why somebody may neither read nor change a list; nil = it is theirs.
    ///
    /// A phone's credential is not enough: somebody else may hold the phone. There is no exception
    /// for the operator, nor for guardians.
    public func denialOfNeverNotifyList(
        of person: PersonID, to principal: Principal, at now: Timestamp
    ) -> Denial? {
        switch principal {
        case .operator: .personOnly
        case .device: .notYours
        case .person(let caller):
            caller == person
                ? decide(principal, .editNeverNotifyList, on: .person(person), at: now).denial
                : .notYours
        }
    }

    /// The replica without lists, for answers about possible emergencies: callers that ask in
    /// advance must not learn that they are on a list.
    public var withoutNeverNotifyLists: Replica {
        var replica = self
        replica.neverNotify = [:]
        return replica
    }

    /// Whether a person must never be told or shown anything about another one: crossings, contact
    /// losses, emergencies.
    ///
    /// Last positions in a circle depend on sharing alone.
    public func hides(_ person: PersonID, from viewer: PersonID) -> Bool {
        neverNotify[person]?.names(viewer) ?? false
    }

    /// Whether a person must not be told or shown anything about another one's emergencies: they
    /// are on the list, or share only excluded circles with the person.
    public func hidesEmergencies(of person: PersonID, from viewer: PersonID) -> Bool {
        guard let list = neverNotify[person] else { return false }
        if list.names(viewer) { return true }
        guard !list.circles.isEmpty, viewer != person else { return false }
        let common = commonCircles(of: person, and: viewer)
        return !common.isEmpty && common.allSatisfy(list.circles.contains)
    }

    /// The people whose entries a viewer must not see in the timeline of a circle, ids ascending.
    ///
    /// Includes former members of the circle: leaving it reveals nothing.
    ///
    /// - Returns: people with all their entries, and people with those of emergencies only
    public func hiddenPeople(
        from viewer: PersonID, in circle: CircleID
    ) -> (all: [PersonID], emergencies: [PersonID]) {
        let lists = neverNotify.values.filter { $0.person != viewer }
            .sorted { $0.person < $1.person }
        let all = lists.filter { $0.names(viewer) }.map(\.person)
        let others = lists.filter { list in
            !list.names(viewer) && list.circles.contains(circle)
                && commonCircles(of: list.person, and: viewer).allSatisfy(list.circles.contains)
        }
        return (all, others.map(\.person))
    }

    /// Whether an address is a verified contact point of somebody on a person's list.
    ///
    /// Unverified ones do not count: otherwise somebody on the list could enter the number of a
    /// helper as their own, and so silence it.
    public func hides(_ person: PersonID, fromAddress address: String) -> Bool {
        guard let list = neverNotify[person] else { return false }
        return list.people.contains { other in
            people[other]?.contacts.contains { $0.address == address && $0.verified != nil }
                ?? false
        }
    }

    /// Whether nobody can be told about an emergency of a person because of their own list alone.
    public func hidesEmergenciesFromAll(of person: PersonID) -> Bool {
        guard neverNotify[person] != nil else { return false }
        let helpers = helpers(of: person)
        return !helpers.isEmpty && helpers.allSatisfy { hidesEmergencies(of: person, from: $0) }
    }

    /// Others who joined a circle of a person.
    private func helpers(of person: PersonID) -> Set<PersonID> {
        let members = circles(of: person).compactMap { circles[$0] }.flatMap(\.members)
        return Set(members.filter { $0.joined != nil && $0.person != person }.map(\.person))
    }
}
