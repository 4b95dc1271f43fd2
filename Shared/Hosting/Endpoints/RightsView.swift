import Directory
import Model
import Parsing

/// JSON of decisions about rights.
public enum RightsView {
    /// The answer to a question about the caller's own rights.
    public static func list(
        _ decisions: [(action: Action, decision: Decision)], of principal: Principal
    ) -> JSON {
        [
            "principal": view(principal),
            "items": .array(items(decisions)), "next": .null,
        ]
    }

    /// One item per action.
    public static func items(_ decisions: [(action: Action, decision: Decision)]) -> [JSON] {
        decisions.map { action, decision in
            .object([.init("action", .string(action.rawValue))] + members(decision))
        }
    }

    /// Whether it is allowed; if not, why, and what would help.
    public static func members(_ decision: Decision) -> [JSON.Member] {
        var members: [JSON.Member] = [.init("allowed", .bool(decision.isAllowed))]
        if let denial = decision.denial {
            members.append(.init("reason", .string(denial.rawValue)))
            members.append(.init("explanation", .string(denial.explanation)))
            members.append(.init("remedy", .string(denial.remedy)))
        }
        return members
    }

    private static func view(_ principal: Principal) -> JSON {
        switch principal {
        case .operator: ["kind": "operator"]
        case .person(let person): ["kind": "person", "person": .string(person.description)]
        case .device(let device, let person):
            [
                "kind": "device", "person": .string(person.description),
                "device": .string(device.description),
            ]
        }
    }
}
