import Directory
import Model

/// A never-notify list as its person wants it.
public struct NeverNotifyPatch: Hashable, Sendable {
    public var people: [PersonID]
    public var circles: [CircleID]

    public init(people: [PersonID] = [], circles: [CircleID] = []) {
        self.people = people
        self.circles = circles
    }
}

/// Decides changes of never-notify lists.
///
/// A change touches nothing else, not even the version of its person, so nobody can notice it.
struct NeverNotifyLists {
    let context: CommandContext

    func set(_ patch: NeverNotifyPatch, by personID: PersonID) -> Verdict {
        let denial = NeverNotifyRules(in: context.directory).denialOfList(
            of: personID, to: context.command.principal, at: context.now)
        if let denial { return .rejected(.denied(denial)) }
        guard context.directory.person(personID) != nil else {
            return .rejected(.missing("person"))
        }
        if let rejection = check(patch, of: personID) { return .rejected(rejection) }
        let list = NeverNotifyList(
            person: personID, people: Set(patch.people).sorted(),
            circles: Set(patch.circles).sorted())
        guard list != context.directory.neverNotifyList(of: personID) else {
            return .done([], .neverNotify(list))
        }
        return .done([.neverNotifyChanged(list)], .neverNotify(list))
    }

    private func check(_ patch: NeverNotifyPatch, of person: PersonID) -> CommandRejection? {
        func tooMany(_ what: String, _ limit: Int) -> CommandRejection {
            CommandRejection(.invalid, "no more than \(limit) are allowed", field: what)
        }
        if patch.people.count > Limits.neverNotifyPeopleMax {
            return tooMany("people", Limits.neverNotifyPeopleMax)
        }
        if patch.circles.count > Limits.neverNotifyCirclesMax {
            return tooMany("circles", Limits.neverNotifyCirclesMax)
        }
        if let index = patch.people.firstIndex(of: person) {
            return CommandRejection(
                .invalid, "the list cannot contain yourself", field: "people[\(index)]")
        }
        let own = Set(context.directory.circles(of: person))
        if let index = patch.circles.firstIndex(where: { !own.contains($0) }) {
            return CommandRejection(
                .invalid, "you are not in this circle", field: "circles[\(index)]",
                hint: "list circles that you have joined")
        }
        return nil
    }
}
