import Model

/// What somebody asks their rights about.
public struct RightsSubject: Hashable, Sendable {
    /// Nil = actions in a circle are left out.
    public var circle: CircleID?
    /// Nil = actions about a person are left out.
    public var person: PersonID?
    /// About an emergency of the person.
    public var isRecipient: Bool
    public var isAcknowledged: Bool

    public init(
        circle: CircleID? = nil, person: PersonID? = nil, isRecipient: Bool = false,
        isAcknowledged: Bool = false
    ) {
        self.circle = circle
        self.person = person
        self.isRecipient = isRecipient
        self.isAcknowledged = isAcknowledged
    }

    /// The target of an action; nil if the subject does not name one.
    public func target(of action: Action) -> RightsTarget? {
        switch action.target {
        case .person: person.map { .person($0) }
        case .member: circle.flatMap { circle in person.map { .member($0, in: circle) } }
        case .emergency:
            person.map {
                .emergency(of: $0, isRecipient: isRecipient, isAcknowledged: isAcknowledged)
            }
        case .circle: circle.map { .circle($0) }
        case .suite: .suite
        }
    }
}
