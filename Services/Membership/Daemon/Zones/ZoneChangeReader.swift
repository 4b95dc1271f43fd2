import Directory
import MembershipCore
import Model
import Runtime
import Web

extension ChangeReader {
    func readZone(
        _ changing: Route.Changing, of owner: ZoneOwner
    ) throws(Problem) -> RequestedChange {
        try allowEditing(zonesOf: owner)
        if case .createZone = changing {
            let id = ZoneID(SecureRandom.id())
            let patch = try ZoneBody.read(
                body(), isNew: true, clocks: clocks, shapes: shapes)
            return RequestedChange(.createZone(owner, id, patch), at: "\(owner.path)/zones/\(id)")
        }
        let id = try zone
        if case .removeZone = changing { return RequestedChange(.removeZone(owner, id)) }
        guard let old = directory.zone(id), old.owner == owner else {
            throw .notFound("there is no such zone")
        }
        let patch = try ZoneBody.read(
            body(), isNew: false, before: old, clocks: clocks, shapes: shapes)
        return RequestedChange(.updateZone(owner, id, patch))
    }

    func readSet(_ changing: Route.Changing) throws(Problem) -> RequestedChange {
        if case .createSet = changing {
            let id = ZoneSetID(SecureRandom.id())
            let name = try SetBody.name(body(), isNew: true) ?? ""
            return RequestedChange(.createSet(id, name: name), at: "/v1/sets/\(id)")
        }
        let id = try set
        if case .removeSet = changing { return RequestedChange(.removeSet(id)) }
        return RequestedChange(.updateSet(id, name: try SetBody.name(body(), isNew: false)))
    }

    func readMessage(
        _ changing: Route.Changing, of owner: ZoneOwner
    ) throws(Problem) -> RequestedChange {
        if case .createMessage = changing {
            let id = MessageID(SecureRandom.id())
            let patch = try MessageBody.read(body(), isNew: true)
            let code = ShortCode()
            return RequestedChange(
                .createMessage(owner, id, patch, code.digest(for: .message(id), key: messageKey)),
                at: "\(owner.path)/messages/\(id)", code: code)
        }
        let id = try parameters.id("message", MessageID.self)
        switch changing {
        case .removeMessage: return RequestedChange(.removeMessage(owner, id))
        case .confirmMessage: return RequestedChange(.confirmMessage(owner, id))
        case .enterCode:
            let digest = try typedCode().digest(for: .message(id), key: messageKey)
            return RequestedChange(.enterCode(owner, id, digest))
        case .sendCode:
            let code = ShortCode()
            return RequestedChange(
                .sendCode(owner, id, code.digest(for: .message(id), key: messageKey)), code: code)
        default:
            let patch = try MessageBody.read(body(), isNew: false)
            let code = ShortCode()
            return RequestedChange(
                .updateMessage(owner, id, patch, code.digest(for: .message(id), key: messageKey)),
                code: code)
        }
    }

    /// Checks rights before the body is read: errors in it may reveal the stored zone.
    func allowEditing(zonesOf owner: ZoneOwner) throws(Problem) {
        let (action, target) = RightsTarget.editing(zonesOf: owner)
        let decision = directory.decide(principal, action, on: target, at: clocks.now)
        if let denial = decision.denial { throw Problem(denial) }
        guard directory.knows(owner) else { throw .notFound("there is no such \(owner.kind)") }
    }
}

extension Replica {
    func knows(_ owner: ZoneOwner) -> Bool {
        switch owner {
        case .circle(let id): circle(id) != nil
        case .person(let id): person(id) != nil
        case .set(let id): set(id) != nil
        }
    }
}

extension ZoneOwner {
    /// The kind as a word.
    var kind: String {
        switch self {
        case .circle: "circle"
        case .person: "person"
        case .set: "set"
        }
    }

    /// The path in the API.
    var path: String {
        switch self {
        case .circle(let id): "/v1/circles/\(id)"
        case .person(let id): "/v1/people/\(id)"
        case .set(let id): "/v1/sets/\(id)"
        }
    }
}
