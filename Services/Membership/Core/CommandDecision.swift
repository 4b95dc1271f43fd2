import Directory
import Model

/// Decides one command against the directory, for one caller at one time.
///
/// Extensions hold the rules, one file per kind of entity. Rights are checked before existence, so
/// that a rejection never reveals what exists.
struct CommandDecision {
    let directory: Replica
    let codes: Codes
    let command: Command
    let now: Timestamp

    typealias Verdict = MembershipCore.Verdict

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

    /// Limits that apply to the caller: those of their plan, or the suite's limits for the
    /// operator.
    var allowance: Limits.Allowance {
        guard let person = command.principal.person.flatMap(directory.person) else {
            return Limits.suite
        }
        return Limits.allowance(of: person.plan)
    }

    /// Whether the circle would have members but no admin without this person.
    func isLastAdmin(_ person: PersonID, in circle: Circle) -> Bool {
        guard circle.member(person)?.role == .admin else { return false }
        let others = circle.members.filter { $0.person != person && $0.joined != nil }
        return !others.isEmpty && !others.contains { $0.role == .admin }
    }

    static let lastAdmin = CommandRejection(
        .conflict, "a circle with members needs an admin",
        hint: "make another member an admin first")
}
