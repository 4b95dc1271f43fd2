import Directory
import Model

/// Why a command changes nothing.
public struct Refusal: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// There is no such thing.
        case missing
        case denied(Denial)
        /// The thing has another version by now.
        case outdated
        /// At odds with a rule or with what is stored.
        case conflict
        /// A field has a value that it cannot have.
        case invalid
        /// It was asked for too often: again after this wait.
        case tooOften(Duration)
    }

    public var reason: Reason
    /// What is wrong, in a few words.
    public var detail: String
    /// Path of the field concerned, such as `escalation[0].people[1]`.
    public var field: String?
    /// What to do about it.
    public var hint: String?
    /// Which of many it is about, from 0; nil where there is one.
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

    static func missing(_ what: String) -> Refusal { Refusal(.missing, "there is no such \(what)") }

    static func denied(_ denial: Denial) -> Refusal {
        Refusal(.denied(denial), denial.explanation, hint: denial.rawValue)
    }

    static func full(_ what: String, _ limit: Int) -> Refusal {
        Refusal(.conflict, "no more than \(limit) \(what) are allowed", hint: "remove one first")
    }
}
