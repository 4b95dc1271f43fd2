import Directory
import Model

/// Reason why a command was rejected.
public struct CommandRejection: Error, Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The entity does not exist.
        case missing
        case denied(Denial)
        /// A wrong PIN was entered.
        case wrongPIN
        /// The entity has another version than the caller expects.
        case outdated
        /// The command conflicts with a rule or with stored data.
        case conflict
        /// A field has an invalid value.
        case invalid
        /// A rate limit was reached; retry after this time.
        case tooOften(Duration)
    }

    public var reason: Reason
    /// What is wrong, as a short phrase.
    public var detail: String
    /// Path of the field, such as `escalation[0].people[1]`.
    public var field: String?
    /// What the caller can do.
    public var hint: String?
    /// Index of the rejected item, from 0; nil if the command has one item.
    public var item: Int?

    public init(
        _ reason: Reason, _ detail: String, field: String? = nil, hint: String? = nil,
        item: Int? = nil
    ) {
        self.reason = reason
        self.detail = detail
        self.field = field
        self.hint = hint
        self.item = item
    }

    static func missing(_ what: String) -> CommandRejection {
        CommandRejection(.missing, "there is no such \(what)")
    }

    static func denied(_ denial: Denial) -> CommandRejection {
        CommandRejection(.denied(denial), denial.explanation, hint: denial.rawValue)
    }

    static func full(_ what: String, _ limit: Int) -> CommandRejection {
        CommandRejection(
            .conflict, "no more than \(limit) \(what) are allowed", hint: "remove one first")
    }
}
