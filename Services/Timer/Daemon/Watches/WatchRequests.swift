import API
import Directory
import Hosting
import Model
import Parsing
import Runtime
import Store
import TimerCore
import Web

/// The result of parsing a request under `/v1/watches`: an immediate response, or an input of the
/// core, which then responds.
enum WatchRequestOutcome {
    case respond(Response)
    /// With the operation that says how long it may be repeated.
    case input(Input, Operation)
}

/// Parses and authorizes requests about watches.
struct WatchRequests {
    static let router = Router(TimerOperation.table)

    let rows: WatchRows
    let replica: Replica
    /// The caller; nil if the credentials are unknown.
    let principal: Principal?
    let now: Timestamp
    var reachability = Reachability()

    /// Parses a request.
    ///
    /// - Throws: a ``Problem`` that is the response, or a `StoreError`.
    func parse(_ request: Request) throws -> WatchRequestOutcome {
        switch WatchRequests.router.route(request) {
        case .answered(let response): return .respond(response)
        case .found(let found, let parameters):
            let principal = try requirePrincipal()
            func watch() throws -> TimedWatch {
                try self.watch(parameters, for: principal, found.id)
            }
            let input: Input
            switch found.id {
            case .list: return .respond(try list(request, for: principal))
            case .show: return .respond(try watch().response())
            case .start: input = try start(request, by: principal)
            case .extend:
                let id = try watch().watch.id
                let body = try WatchBody(request.json(), fields: ["minutes", "deadline"])
                input = .extendWatch(id, by: body.span, request: request.id)
            case .end:
                input = .closeWatch(try watch().watch.id, as: .end, request: request.id)
            case .cancel:
                let watch = try watch().watch
                try check(request.headers["If-Match"], against: watch.version)
                input = .closeWatch(watch.id, as: .cancel, request: request.id)
            }
            return .input(input, found.operation)
        }
    }

    private func requirePrincipal() throws(Problem) -> Principal {
        if let principal { return principal }
        if replica.isEmpty { throw .unavailable("directory replica is still loading; retry") }
        throw .unauthorized(
            "credentials are missing or invalid",
            hint: "Send Authorization: Bearer TOKEN, or Basic with the token as password.")
    }

    private func allow(
        _ principal: Principal, _ action: Action, on target: RightsTarget
    ) throws(Problem) {
        if let denial = replica.decide(principal, action, on: target, at: now).denial {
            throw .denied(denial.explanation)
        }
    }

    private func start(_ request: Request, by principal: Principal) throws(Problem) -> Input {
        guard let person = principal.person else {
            try allow(principal, .watch, on: .suite)
            throw .denied("only a person can start a watch")
        }
        try allow(principal, .watch, on: .person(person))
        let body = try WatchBody(
            request.json(), fields: ["minutes", "deadline", "note", "destination", "recipients"])
        if let zone = body.terms.destination { try checkDestination(zone, of: person) }
        try replica.checkRecipients(body.terms.recipients, of: person)
        return .startWatch(
            WatchStart(
                id: WatchID(SecureRandom.id()), person: person, span: body.span, terms: body.terms,
                obstacle: reachability.obstacle(
                    toHelpersOf: person, among: body.terms.recipients, in: replica, at: now),
                trace: request.trace, request: request.id))
    }

    /// Checks that entries into a zone are decided for a person, and confirmed.
    private func checkDestination(_ id: ZoneID, of person: PersonID) throws(Problem) {
        guard let zone = replica.zone(id), replica.appliesEntries(of: zone, to: person, at: now)
        else {
            throw .invalid(
                "no such zone applies to you", field: "destination",
                hint: "Choose an active zone of yours or of a circle that you share with.")
        }
        guard zone.kind.rules.confirmsEntry else {
            throw .invalid(
                "entries into \(zone.kind.rawValue) zones are not confirmed", field: "destination",
                hint: "Choose a safe zone.")
        }
    }

    /// The watch of the path, if the principal may perform the operation. A watch that they
    /// may not see is reported as not found.
    private func watch(
        _ parameters: Parameters, for principal: Principal, _ operation: TimerOperation
    ) throws -> TimedWatch {
        let id = try parameters.id("watch", WatchID.self)
        guard let timed = try rows.find(id) else {
            throw Problem.notFound("watch not found")
        }
        let owner = RightsTarget.person(timed.watch.person)
        if !replica.decide(principal, .readPerson, on: owner, at: now).isAllowed {
            throw Problem.notFound("watch not found")
        }
        if operation != .show { try allow(principal, .watch, on: owner) }
        return timed
    }

    private func list(_ request: Request, for principal: Principal) throws -> Response {
        if let person = principal.person {
            try allow(principal, .readPerson, on: .person(person))
        } else {
            try allow(principal, .administer, on: .suite)
        }
        let limit = try request.pageLimit(max: Limits.listMax) ?? Limits.listUsual
        var mark: WatchMark?
        if let cursor = request.query["cursor"] {
            mark = WatchMark(cursor)
            if mark == nil {
                throw Problem.invalid(
                    "invalid cursor", field: "cursor",
                    hint: #"Use "next" of the previous page."#)
            }
        }
        let found = try rows.list(of: principal.person, after: mark, limit: limit + 1)
        let shown = found.prefix(limit)
        var next = JSON.null
        if found.count > limit, let last = shown.last?.watch {
            next = .string(WatchMark(started: last.started, id: last.id).text)
        }
        return .json(["items": .array(shown.map(\.json)), "next": next])
    }

    private func check(_ header: String?, against version: Int64) throws(Problem) {
        guard let header, header != "*", header != "\"\(version)\"" else { return }
        throw .outdated("the watch has changed", hint: "Read it again; its version is \(version).")
    }
}
