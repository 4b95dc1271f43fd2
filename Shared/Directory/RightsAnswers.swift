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

extension Replica {
    /// Decides every action whose target the subject names, in the order of the table.
    public func rights(
        of principal: Principal, about subject: RightsSubject, at now: Timestamp
    ) -> [(action: Action, decision: Decision)] {
        Action.allCases.compactMap { action in
            subject.target(of: action).map { target in
                (action, decide(principal, action, on: target, at: now))
            }
        }
    }
}
