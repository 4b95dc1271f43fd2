import Gateways
import Hashing
import Hosting
import Model
import NotifierCore
import Parsing
import Runtime
import Web

// HTTP requests become inputs of the core, or pages of the store.
extension NotifierService {
    func handle(_ request: Request) throws {
        switch Route.router.route(request) {
        case .answered(let response): host.answer(request.id, response)
        case .found(let route, let parameters):
            do {
                try handle(request, route, parameters)
            } catch let problem as Problem {
                idempotencyKeys[request.id] = nil
                host.answer(request.id, .problem(problem))
            }
        }
    }

    private func handle(_ request: Request, _ route: Route, _ parameters: Parameters) throws {
        if route == .receipt { return try receiveReceipt(request, token: parameters["token"]) }
        if route == .reply { return try receiveReply(request, token: parameters["token"]) }
        let principal = try principal(of: request)
        // Commands about emergencies are idempotent while their effect lasts and must count again
        // afterwards, so their answers are not stored.
        let key = route.isEmergencyCommand ? nil : try IdempotencyStore.Key(request)
        if let key, let first = try idempotencyStore.response(to: key, at: host.now) {
            return host.answer(request.id, first)
        }
        idempotencyKeys[request.id] = key
        switch route {
        case .acknowledgement:
            try submit(.acknowledge(try command(request, parameters, by: principal)))
        case .resolution: try submit(.resolve(try command(request, parameters, by: principal)))
        case .confirmation:
            try submit(.confirmEnd(try command(request, parameters, by: principal)))
        case .timeline:
            let circle = try parameters.id("circle", CircleID.self)
            host.answer(request.id, try timeline(of: circle, request, for: principal))
        case .reachability:
            let circle = try parameters.id("circle", CircleID.self)
            host.answer(request.id, try reachability(of: circle, for: principal))
        case .personNotifications:
            let person = try parameters.id("person", PersonID.self)
            host.answer(request.id, try notifications(ofPerson: person, request, for: principal))
        case .drafts:
            let person = try parameters.id("person", PersonID.self)
            host.answer(request.id, try drafts(of: person, request, for: principal))
        case .sendDraft: try send(request, parameters, by: principal)
        case .outbox, .notifications, .notification, .gateways, .gatewayTest, .optOuts, .setOptOut,
            .escalations, .escalation:
            let decision = host.replica.decide(
                principal, .administer, on: .suite, at: host.now)
            if let denial = decision.denial { throw Problem.denied(denial.explanation) }
            try administer(request, route, parameters, for: principal)
        case .receipt, .reply: break
        }
    }

    private func administer(
        _ request: Request, _ route: Route, _ parameters: Parameters, for principal: Principal
    ) throws {
        switch route {
        case .optOuts: host.answer(request.id, try optOuts(request))
        case .setOptOut: try setOptOut(request)
        case .outbox: host.answer(request.id, try outbox(request, for: principal))
        case .notifications: host.answer(request.id, try notifications(request))
        case .escalations: host.answer(request.id, try escalations(request))
        case .escalation:
            let id = try parameters.id("emergency", EmergencyID.self)
            host.answer(request.id, try escalation(id, for: principal))
        case .notification:
            let id = try parameters.id("notification", NotificationID.self)
            host.answer(request.id, try notification(id))
        case .gateways:
            let items = core.health.map {
                Documents.gateway($0, replies: replyAddress(of: $0.name))
            }
            host.answer(request.id, .json(["items": .array(items), "next": nil]))
        case .gatewayTest:
            if host.diskPressure == .short { throw Problem.diskNearlyFull("test messages") }
            try test(request, gateway: parameters["gateway"])
        default: break
        }
    }

    /// Authenticates a request.
    ///
    /// - Throws: 401 for missing or invalid credentials, 503 if the directory replica may be
    ///   outdated
    private func principal(of request: Request) throws(Problem) -> Principal {
        if let principal = host.principal(of: request) { return principal }
        if Credentials(request.headers) != nil, !host.isDirectoryFresh {
            throw .unavailable("credentials cannot be checked right now")
        }
        counts.unauthorized += 1
        throw .unauthorized(
            "the credentials are missing or wrong",
            hint: "send a token as Bearer, or as the password of Basic")
    }

    /// Reads an acknowledgement, resolution or confirmation. The body may be empty or contain a
    /// note.
    private func command(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws -> Command {
        let emergency = try parameters.id("emergency", EmergencyID.self)
        var note: String?
        if !request.body.isEmpty {
            let member = try request.json()["note"]
            note = member?.string
            if let member, !member.isNull, note == nil {
                throw Problem.invalid("not a string", field: "note")
            }
        }
        if let note, note.count > Limits.commandNoteCharactersMax {
            throw Problem.invalid(
                "the note is too long", field: "note",
                hint: "at most \(Limits.commandNoteCharactersMax) characters")
        }
        return Command(
            request: request.id, emergency: emergency, principal: principal, note: note,
            trace: request.trace)
    }

    /// A request repeated before its answer finds the first message by its idempotency key.
    private func test(_ request: Request, gateway: String) throws {
        let body = try request.json()
        guard let to = body["to"]?.string, !to.isEmpty else {
            throw Problem.invalid(
                "a recipient is required", field: "to",
                hint: #"send {"to":"+60…"} or {"to":"name@example.org"}"#)
        }
        let isDry = body["dryRun"]
        guard isDry == nil || isDry?.bool != nil else {
            throw Problem.invalid("not a boolean", field: "dryRun", hint: "true or false")
        }
        var id = SecureRandom.id()
        if isDry?.bool != true, let key = request.headers["Idempotency-Key"] {
            id = Hash.id("test", .text(gateway), .text(to), .text(key))
            if let first = try store.notification(NotificationID(id)) {
                return host.answer(request.id, .json(Documents.notification(first)))
            }
        }
        try submit(
            .test(
                GatewayTest(
                    request: request.id, gateway: gateway, to: to, id: id,
                    isDry: isDry?.bool == true, trace: request.trace)))
    }

    /// Receives a delivery receipt.
    ///
    /// Every request with a known token succeeds, because gateways repeat requests that fail.
    private func receiveReceipt(_ request: Request, token: String) throws {
        guard let stored = try store.notification(token: token) else {
            counts.receiptsUnknown += 1
            throw Problem.notFound("there is no such message")
        }
        let driver = registry.driver(stored.gateway) ?? registry.drivers.first
        host.answer(request.id, driver?.receiptResponse ?? .text("ok"))
        guard let receipt = receipt(of: request, for: stored) else { return }
        counts.receipts[receipt.kind, default: 0] += 1
        try submit(
            .receipt(
                Receipt(
                    notification: stored.id, stored: core.isInMemory(stored.id) ? nil : stored,
                    kind: receipt.kind, address: receipt.address, answer: receipt.detail,
                    isOptOut: receipt.isOptOut)))
    }

    /// Reads a receipt with the driver of the last attempt, then with the others: any gateway that
    /// got the message may report it.
    private func receipt(of request: Request, for message: Notification) -> GatewayReceipt? {
        let others = registry.drivers.filter { $0.name != message.gateway }
        let first = registry.driver(message.gateway).map { [$0] } ?? []
        return (first + others).lazy.compactMap { $0.receipt(of: request) }.first
    }
}
