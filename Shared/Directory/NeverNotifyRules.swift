import Model

/// Never-notify lists that are not empty, by person.
struct NeverNotifyTable: Hashable, Sendable {
    private var rows: [PersonID: NeverNotifyList] = [:]

    /// The list of a person. Setting it to nil or to an empty one removes it.
    subscript(person: PersonID) -> NeverNotifyList? {
        get { rows[person] }
        set { rows[person] = newValue.flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// The people with a list, in arbitrary order.
    var keys: some Sequence<PersonID> { rows.keys }
    /// By person.
    var sorted: [NeverNotifyList] { rows.values.sorted { $0.person < $1.person } }
}

/// Decides from the never-notify lists who is never told or shown anything about a person.
///
/// For everybody else each answer, count and time is as if the lists did not exist.
public struct NeverNotifyRules: Sendable {
    private let directory: Replica

    public init(in directory: Replica) { self.directory = directory }

    /// Why somebody may neither read nor change a list; nil = it is theirs.
    ///
    /// A phone's credential is not enough: somebody else may hold the phone. There is no exception
    /// for the operator, nor for guardians.
    public func denialOfList(
        of person: PersonID, to principal: Principal, at now: Timestamp
    ) -> Denial? {
        switch principal {
        case .operator: .personOnly
        case .device: .notYours
        case .person(let caller):
            caller == person
                ? directory.decide(principal, .editNeverNotifyList, on: .person(person), at: now)
                    .denial
                : .notYours
        }
    }

    /// Whether a person must never be told or shown anything about another one: crossings, contact
    /// losses, emergencies.
    ///
    /// Last positions in a circle depend on sharing alone.
    func hides(_ person: PersonID, from viewer: PersonID) -> Bool {
        directory.neverNotify[person]?.names(viewer) ?? false
    }

    /// Whether a person must not be told or shown anything about another one's emergencies: they
    /// are on the list, or share only excluded circles with the person.
    func hidesEmergencies(of person: PersonID, from viewer: PersonID) -> Bool {
        guard let list = directory.neverNotify[person] else { return false }
        if list.names(viewer) { return true }
        guard !list.circles.isEmpty, viewer != person else { return false }
        let common = directory.commonCircles(of: person, and: viewer)
        return !common.isEmpty && common.allSatisfy(list.circles.contains)
    }

    /// Whether nobody can be told about an emergency of a person because of their own list alone.
    public func hidesEmergenciesFromAll(of person: PersonID) -> Bool {
        guard directory.neverNotify[person] != nil else { return false }
        let helpers = directory.circles.helpers(of: person)
        return !helpers.isEmpty && helpers.allSatisfy { hidesEmergencies(of: person, from: $0) }
    }

    /// Whether an address is a verified contact point of somebody on a person's list.
    ///
    /// Unverified ones do not count: otherwise somebody on the list could enter the number of a
    /// helper as their own, and so silence it.
    public func hides(_ person: PersonID, fromAddress address: String) -> Bool {
        guard let list = directory.neverNotify[person] else { return false }
        return list.people.contains { other in
            directory.people[other]?.contacts.contains {
                $0.address == address && $0.verified != nil
            } ?? false
        }
    }

    /// The people whose entries a viewer must not see in the timeline of a circle, ids ascending.
    ///
    /// Includes former members of the circle: leaving it reveals nothing.
    ///
    /// - Returns: people with all their entries, and people with those of emergencies only
    public func hiddenPeople(
        from viewer: PersonID, in circle: CircleID
    ) -> (all: [PersonID], emergencies: [PersonID]) {
        let lists = directory.neverNotify.sorted.filter { $0.person != viewer }
        let all = lists.filter { $0.names(viewer) }.map(\.person)
        let others = lists.filter { list in
            !list.names(viewer) && list.circles.contains(circle)
                && directory.commonCircles(of: list.person, and: viewer)
                    .allSatisfy(list.circles.contains)
        }
        return (all, others.map(\.person))
    }
}
