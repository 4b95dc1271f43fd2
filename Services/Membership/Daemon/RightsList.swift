import Directory
import Model
import Parsing
import Web

/// `GET /v1/rights`: what the caller may do.
///
/// `?circle=` names a circle and `?person=` a person (default: the caller); both together mean that
/// person's membership. `?recipient=true` and `?acknowledged=true` describe an emergency of that
/// person.
struct RightsList {
    private let reader: Reader
    private let circle: CircleID?
    private let person: PersonID?
    private let isRecipient: Bool
    private let isAcknowledged: Bool

    init(_ reader: Reader) throws(Problem) {
        self.reader = reader
        let request = reader.request
        let query = request.query
        circle = try RightsList.id(query, "circle", CircleID.self)
        person = try RightsList.id(query, "person", PersonID.self) ?? reader.principal.person
        isRecipient = try request.flag("recipient")
        isAcknowledged = try request.flag("acknowledged")
    }

    func response() -> Response {
        var items: [JSON] = []
        for action in Action.allCases {
            guard let target = target(of: action) else { continue }
            let decision = reader.directory.decide(
                reader.principal, action, on: target, at: reader.now)
            var item: [JSON.Member] = [
                .init("action", .string(action.rawValue)),
                .init("allowed", .bool(decision.isAllowed)),
            ]
            if let denial = decision.denial {
                item.append(.init("reason", .string(denial.rawValue)))
                item.append(.init("explanation", .string(denial.explanation)))
            }
            items.append(.object(item))
        }
        let body: JSON = ["principal": principal, "items": .array(items), "next": .null]
        return .json(body)
    }

    /// The target of an action; nil if the query does not name one.
    private func target(of action: Action) -> RightsTarget? {
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

    /// The caller as JSON.
    private var principal: JSON {
        switch reader.principal {
        case .operator: ["kind": "operator"]
        case .person(let person): ["kind": "person", "person": .string(person.description)]
        case .device(let device, let person):
            [
                "kind": "device", "person": .string(person.description),
                "device": .string(device.description),
            ]
        }
    }

    private static func id<Kind: IdentifierKind>(
        _ query: Query, _ name: String, _ type: Identifier<Kind>.Type
    ) throws(Problem) -> Identifier<Kind>? {
        guard let text = query[name] else { return nil }
        do {
            return try Fields.id(.string(text), at: name, type)
        } catch {
            throw Problem(error)
        }
    }
}
