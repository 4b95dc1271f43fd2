import Gateways
import Hashing
import Hosting
import Model
import NotifierCore
import Parsing
import Runtime
import Web

// Requests become inputs, or pages of what is kept.
extension NotifierService {
    func handle(_ request: Request) throws {
        switch Route.router.route(request) {
        case .answered(let response): outside.answer(request.id, response)
        case .found(let route, let parameters):
            do {
                try handle(request, route, parameters)
            } catch let problem as Problem {
                repeatable[request.id] = nil
                outside.answer(request.id, .problem(problem))
            }
        }
    }

    private func handle(_ request: Request, _ route: Route, _ parameters: Parameters) throws {
        if route == .receipt { return try takeReceipt(request, token: parameters["token"]) }
        if route == .reply { return try takeReply(request, token: parameters["token"]) }
        let principal = try principal(of: request)
        // Repeating a command about an emergency changes nothing while its effect lasts, and must
        // count when it does not: after a further call a stored answer would be wrong.
        let key = route.isEmergencyCommand ? nil : try KeptAnswers.Key(request)
        if let key, let first = try keptAnswers.answer(to: key, at: outside.now) {
            return outside.answer(request.id, first)
        }
        repeatable[request.id] = key
        switch route {
        case .acknowledgement:
            try take(.acknowledge(try command(request, parameters, by: principal)))
        case .resolution: try take(.resolve(try command(request, parameters, by: principal)))
        case .confirmation:
            try take(.confirmEnd(try command(request, parameters, by: principal)))
        case .timeline:
            let circle = try parameters.id("circle", CircleID.self)
            outside.answer(request.id, try timeline(of: circle, request, for: principal))
        case .reachability:
            let circle = try parameters.id("circle", CircleID.self)
            outside.answer(request.id, try reachability(of: circle, for: principal))
        case .told:
            let person = try parameters.id("person", PersonID.self)
            outside.answer(request.id, try told(of: person, request, for: principal))
        case .proposals:
            let person = try parameters.id("person", PersonID.self)
            outside.answer(request.id, try proposals(of: person, request, for: principal))
        case .sendProposal: try send(request, parameters, by: principal)
        case .outbox, .notifications, .notification, .gateways, .gatewayTest, .stops, .stop,
            .escalations, .escalation:
            let decision = outside.replica.decide(
                principal, .administer, on: .suite, at: outside.now)
            if let denial = decision.denial { throw Problem.denied(denial.explanation) }
            try administer(request, route, parameters, for: principal)
        case .receipt, .reply: break
        }
    }

    private func administer(
        _ request: Request, _ route: Route, _ parameters: Parameters, for principal: Principal
    ) throws {
        switch route {
        case .stops: outside.answer(request.id, try stops(request))
        case .stop: try stop(request)
        case .outbox: outside.answer(request.id, try outbox(request, for: principal))
        case .notifications: outside.answer(request.id, try notifications(request))
        case .escalations: outside.answer(request.id, try escalations(request))
        case .escalation:
            let id = try parameters.id("emergency", EmergencyID.self)
            outside.answer(request.id, try escalation(id, for: principal))
        case .notification:
            let id = try parameters.id("notification", NotificationID.self)
            outside.answer(request.id, try notification(id))
        case .gateways:
            let items = core.health.map {
                Documents.gateway($0, replies: replyAddress(of: $0.name))
            }
            outside.answer(request.id, .json(["items": .array(items), "next": nil]))
        case .gatewayTest:
            if outside.diskPressure == .short { throw Problem.diskNearlyFull("test messages") }
            try test(request, gateway: parameters["gateway"])
        default: break
        }
    }

    /// Who asks.
    ///
    /// - Throws: 401 where the credentials are missing or surely wrong, 503 where they may only not
    ///   have arrived here yet.
    private func principal(of request: Request) throws(Problem) -> Principal {
        if let principal = outside.principal(of: request) { return principal }
        if Credentials(request.headers) != nil, !outside.isDirectoryFresh {
            throw .unavailable("credentials cannot be checked right now")
        }
        counts.unauthorized += 1
        throw .unauthorized(
            "the credentials are missing or wrong",
            hint: "send a token as Bearer, or as the password of Basic")
    }

    /// An acknowledgement, a resolution or its confirmation; its body may be empty or carry a note.
    private func command(
        _ request: Request, _ parameters: Parameters, by principal: Principal
    ) throws -> Command {
        let emergency = try parameters.id("emergency", EmergencyID.self)
        var note: String?
        if !request.body.isEmpty {
            let member = try request.json()["note"]
            note = member?.string
            if let member, !member.isNull, note == nil {
                throw Problem.invalid("a note is a text", field: "note")
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

    /// A request that is repeated before its answer finds the first message by its key.
    private func test(_ request: Request, gateway: String) throws {
        let body = try request.json()
        guard let to = body["to"]?.string, !to.isEmpty else {
            throw Problem.invalid(
                "nobody to send to", field: "to",
                hint: #"send {"to":"+60…"} or {"to":"name@example.org"}"#)
        }
        let isDry = body["dryRun"]
        guard isDry == nil || isDry?.bool != nil else {
            throw Problem.invalid("this is neither true nor false", field: "dryRun")
        }
        var id = SecureRandom.id()
        if isDry?.bool != true, let key = request.headers["Idempotency-Key"] {
            id = Hash.id("test", .text(gateway), .text(to), .text(key))
            if let first = try store.notification(NotificationID(id)) {
                return outside.answer(request.id, .json(Documents.notification(first)))
            }
        }
        try take(
            .test(
                GatewayTest(
                    request: request.id, gateway: gateway, to: to, id: id,
                    isDry: isDry?.bool == true, trace: request.trace)))
    }

    /// A gateway tells what became of a message. Gateways repeat what is not answered with success,
    /// so everything with a known token is; what the callback says decides nothing about that.
    private func takeReceipt(_ request: Request, token: String) throws {
        guard let stored = try store.notification(token: token) else {
            counts.receiptsUnknown += 1
            throw Problem.notFound("there is no such message")
        }
        let driver = outgoing.driver(stored.gateway) ?? outgoing.drivers.first
        outside.answer(request.id, driver?.receiptAnswer ?? .text("ok"))
        guard let receipt = receipt(of: request, for: stored) else { return }
        counts.receipts[receipt.kind, default: 0] += 1
        try take(
            .receipt(
                Receipt(
                    notification: stored.id, stored: core.holds(stored.id) ? nil : stored,
                    kind: receipt.kind, address: receipt.address, answer: receipt.words,
                    isOptOut: receipt.isOptOut)))
    }

    /// The gateway of the last attempt reads its own dialect; a message that was handed to several
    /// may be reported by any of them.
    private func receipt(of request: Request, for message: Notification) -> GatewayReceipt? {
        let others = outgoing.drivers.filter { $0.name != message.gateway }
        let first = outgoing.driver(message.gateway).map { [$0] } ?? []
        return (first + others).lazy.compactMap { $0.receipt(of: request) }.first
    }
}
