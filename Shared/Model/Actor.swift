/// Who did something: a person, or the operator of the suite.
///
/// In JSON, as everywhere on the wire and in stores, the operator is an absent member or null.
public enum Actor: Hashable, Sendable {
    case person(PersonID)
    case `operator`

    /// - Parameter principal: a phone acts for its person
    public init(_ principal: Principal) {
        self = principal.person.map { .person($0) } ?? .operator
    }

    /// The person; nil if it was the operator.
    public var person: PersonID? {
        switch self {
        case .person(let person): person
        case .operator: nil
        }
    }
}

extension Actor: Codable {
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        self = value.decodeNil() ? .operator : .person(try value.decode(PersonID.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .person(let person): try value.encode(person)
        case .operator: try value.encodeNil()
        }
    }
}

extension KeyedDecodingContainer {
    /// Decodes an absent member as the operator. Synthesised conformances call this.
    public func decode(_: Actor.Type, forKey key: Key) throws -> Actor {
        try decodeIfPresent(PersonID.self, forKey: key).map { .person($0) } ?? .operator
    }
}

extension KeyedEncodingContainer {
    /// Leaves the member of the operator out. Synthesised conformances call this.
    public mutating func encode(_ actor: Actor, forKey key: Key) throws {
        try encodeIfPresent(actor.person, forKey: key)
    }
}
