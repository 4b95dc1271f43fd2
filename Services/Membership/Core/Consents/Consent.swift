import Hashing
import Model

/// Request for a person's consent before others see more of them, and the answer.
public struct Consent: Hashable, Sendable, Codable {
    /// What the person is asked to agree to.
    public enum Question: Hashable, Sendable, Codable {
        /// The circle's members see the person's position, not only guardians and admins.
        case membersSee
        /// The circle sees so many days of the person's history; nil = as many as the plan stores.
        /// `before`: what they agreed to until now.
        case history(days: Int?, before: Int)
        /// This member gets a role that sees the person's position.
        case role(of: PersonID, Role)
        /// This person becomes another guardian of the person, who is a ward.
        case guardian(PersonID)
    }

    /// Whether the person agreed.
    public struct Reply: Hashable, Sendable, Codable {
        public var agreed: Bool
        public var at: Timestamp
        /// The person, or a guardian of the ward.
        public var by: PersonID
    }

    public enum State: String, Sendable, CaseIterable { case open, agreed, declined, expired }

    public var id: ConsentID
    /// Who is asked. For a ward a guardian replies.
    public var person: PersonID
    /// Nil for the question about a guardian.
    public var circle: CircleID?
    public var question: Question
    public var asker: Actor
    public var asked: Timestamp
    public var expires: Timestamp
    public var reply: Reply?

    /// An open request. There is one per person, circle and kind of question: asking again replaces
    /// it.
    init(
        of person: PersonID, in circle: CircleID?, _ question: Question, asker: Actor,
        at now: Timestamp
    ) {
        id = question.id(of: person, in: circle)
        self.person = person
        self.circle = circle
        self.question = question
        self.asker = asker
        asked = now
        expires = now + Limits.consentAgeMax
    }

    public func state(at now: Timestamp) -> State {
        if let reply { return reply.agreed ? .agreed : .declined }
        return expires <= now ? .expired : .open
    }
}

extension Consent.Question {
    /// The id of the request about this question, whatever its details.
    func id(of person: PersonID, in circle: CircleID?) -> ConsentID {
        let (kind, other): (String, PersonID?) =
            switch self {
            case .membersSee: ("members-see", nil)
            case .history: ("history", nil)
            case .role(let viewer, _): ("role", viewer)
            case .guardian(let guardian): ("guardian", guardian)
            }
        return ConsentID(
            Hash.id(
                "consent", .id(person), .id(circle?.raw ?? .zero), .text(kind),
                .id(other?.raw ?? .zero)))
    }

    /// The person whom the question is about, beside the one who is asked.
    var subject: PersonID? {
        switch self {
        case .membersSee, .history: nil
        case .role(let viewer, _): viewer
        case .guardian(let guardian): guardian
        }
    }
}

/// A change to the stored requests for consent.
public enum ConsentChange: Hashable, Sendable {
    case save(Consent)
    case remove(ConsentID)
}
