import Directory
import Model

/// One command with the directory that it is decided against, and checks that features share.
///
/// Rights are checked before existence, so that a rejection never reveals what exists.
struct CommandContext {
    let directory: Replica
    let codes: Codes
    let sessions: Sessions
    let activations: Activations
    let invitations: Invitations
    let consents: Consents
    let wards: Wards
    let command: Command
    let now: Timestamp

    /// Returns nil if the caller may perform the action.
    func denial(_ action: Action, on target: RightsTarget) -> CommandRejection? {
        directory.decide(command.principal, action, on: target, at: now).denial
            .map { CommandRejection.denied($0) }
    }

    /// Returns the first denial of several actions on one target; nil if all are allowed.
    func denial(_ actions: [Action], on target: RightsTarget) -> CommandRejection? {
        for action in actions {
            if let rejection = denial(action, on: target) { return rejection }
        }
        return nil
    }

    /// Returns nil if the caller named the current version, or none.
    func outdated(_ version: Int64) -> CommandRejection? {
        guard let expected = command.ifVersion, expected != version else { return nil }
        return CommandRejection(
            .outdated, "the current version is \(version), not \(expected)",
            hint: "read it again and reapply your change")
    }

    /// Limits that apply to the caller: those of their plan and affiliation, or the suite's limits
    /// for the operator and staff with that role.
    var allowance: Limits.Allowance {
        guard let person = command.principal.person.flatMap(directory.person) else {
            return Limits.suite
        }
        if person.staff == .operator { return Limits.suite }
        var allowance = Limits.allowance(of: person.plan)
        allowance.members = min(
            allowance.members, directory.rights.membersPerCircleMax(person.affiliation))
        return allowance
    }

    /// Whether the circle would have members but no admin without this person.
    func isLastAdmin(_ person: PersonID, in circle: Circle) -> Bool {
        guard circle.member(person)?.role == .admin else { return false }
        let others = circle.members.filter { $0.person != person && $0.joined != nil }
        return !others.isEmpty && !others.contains { $0.role == .admin }
    }

    /// Returns nil if the owner exists.
    func missing(_ owner: ZoneOwner) -> CommandRejection? {
        switch owner {
        case .circle(let id): directory.circle(id) == nil ? .missing("circle") : nil
        case .person(let id): directory.person(id) == nil ? .missing("person") : nil
        case .set(let id): directory.set(id) == nil ? .missing("set") : nil
        }
    }

    /// The answer to the removal of a zone or message: the whole circle if it was a circle's.
    func answer(toRemovalFrom owner: ZoneOwner) -> Answer {
        switch owner {
        case .circle(let id): directory.circle(id).map { .circle($0) } ?? .gone
        case .person, .set: .gone
        }
    }

    /// Returns nil if the caller may edit the owner's zones and messages.
    func denial(ofZonesOf owner: ZoneOwner) -> CommandRejection? {
        let (action, target) = RightsTarget.editing(zonesOf: owner)
        return denial(action, on: target)
    }

    /// The sender that the recipient sees: the caller, or the owner of the zones.
    func sender(inNameOf owner: ZoneOwner) -> (name: String, locale: String) {
        if let person = command.principal.person.flatMap(directory.person) {
            return (person.name, person.locale)
        }
        switch owner {
        case .person(let id):
            return directory.person(id).map { ($0.name, $0.locale) } ?? ("?", "en")
        case .circle(let id): return (directory.circle(id)?.name ?? "?", "en")
        case .set(let id): return (directory.set(id)?.name ?? "?", "en")
        }
    }
}

extension CommandRejection {
    static let lastAdmin = CommandRejection(
        .conflict, "a circle with members needs an admin",
        hint: "make another member an admin first")
}

extension RightsTarget {
    /// The right that editing the zones and messages of an owner requires.
    public static func editing(zonesOf owner: ZoneOwner) -> (Action, RightsTarget) {
        switch owner {
        case .circle(let circle): (.editZones, .circle(circle))
        case .person(let person): (.editPrivateZones, .person(person))
        case .set: (.administer, .suite)
        }
    }

    /// The right that reading the zones and messages of an owner requires.
    public static func reading(zonesOf owner: ZoneOwner) -> (Action, RightsTarget) {
        switch owner {
        case .circle(let circle): (.readZones, .circle(circle))
        case .person(let person): (.readOwnZones, .person(person))
        case .set: (.readSets, .suite)
        }
    }
}
