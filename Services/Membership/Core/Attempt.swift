import Directory
import Model

/// One command before it is decided: what is known, who asks, and the questions that many commands
/// have in common. Its extensions decide, each about one kind of thing.
///
/// Rights come first, existence after them: nobody learns by a refusal what there is.
struct Attempt {
    let directory: Replica
    let codes: Codes
    let command: Command
    let now: Timestamp

    typealias Verdict = MembershipCore.Verdict

    /// Nil when allowed.
    func denial(_ action: Action, on target: RightsTarget) -> Refusal? {
        directory.decide(command.principal, action, on: target, at: now).denial
            .map { Refusal.denied($0) }
    }

    /// The first denial of several actions on one target.
    func denial(_ actions: [Action], on target: RightsTarget) -> Refusal? {
        for action in actions {
            if let refusal = denial(action, on: target) { return refusal }
        }
        return nil
    }

    /// Nil when the caller knows the present version, or does not care.
    func outdated(_ version: Int64) -> Refusal? {
        guard let expected = command.ifVersion, expected != version else { return nil }
        return Refusal(
            .outdated, "it has version \(version) by now, not \(expected)",
            hint: "read it again and apply your change to that")
    }

    /// What the one who acts may have: by plan, or all that the suite bears for the operator.
    var allowance: Limits.Allowance {
        guard let person = command.principal.person.flatMap(directory.person) else {
            return Limits.suite
        }
        return Limits.allowance(of: person.plan)
    }

    /// Whether a circle would be left with members and without an admin.
    func isLastAdmin(_ person: PersonID, in circle: Circle) -> Bool {
        guard circle.member(person)?.role == .admin else { return false }
        let others = circle.members.filter { $0.person != person && $0.joined != nil }
        return !others.isEmpty && !others.contains { $0.role == .admin }
    }

    static let lastAdmin = Refusal(
        .conflict, "a circle with members keeps an admin",
        hint: "make somebody else an admin first")
}
