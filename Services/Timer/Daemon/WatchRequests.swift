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
    case input(Input)
}

/// Parses and authorizes requests about watches.
struct WatchRequests {
    enum Route: Sendable {
        case list, start, show, extend, end, cancel
    }

    static let router = Router<Route>([
        (.get, "/v1/watches", .list),
        (.post, "/v1/watches", .start),
        (.get, "/v1/watches/{watch}", .show),
        (.delete, "/v1/watches/{watch}", .cancel),
        (.post, "/v1/watches/{watch}/extension", .extend),
        (.post, "/v1/watches/{watch}/end", .end),
    ])

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
        case .found(let route, let parameters):
            let principal = try requirePrincipal()
            switch route {
            case .list: return .respond(try list(request, for: principal))
            case .start: return .input(try start(request, by: principal))
            default:
                let timed = try watch(parameters, for: principal, route: route)
                return try parse(route, timed, request)
            }
        }
    }

    private func parse(
        _ route: Route, _ timed: TimedWatch, _ request: Request
    ) throws(Problem) -> WatchRequestOutcome {
        let id = timed.watch.id
        switch route {
        case .extend:
            let body = try WatchBody(request.json(), fields: ["minutes", "deadline"])
            return .input(.extendWatch(id, by: body.span, request: request.id))
        case .end: return .input(.closeWatch(id, as: .end, request: request.id))
        case .cancel:
            try check(request.headers["If-Match"], against: timed.watch.version)
            return .input(.closeWatch(id, as: .cancel, request: request.id))
        case .show, .list, .start: return .respond(timed.response())
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
        let body = try WatchBody(request.json(), fields: ["minutes", "deadline", "note"])
        return .startWatch(
            WatchStart(
                id: WatchID(SecureRandom.id()), person: person, span: body.span, note: body.note,
                obstacle: reachability.obstacle(toHelpersOf: person, in: replica, at: now),
                trace: request.trace, request: request.id))
    }

    /// The watch of the path, if the principal may perform the route's action. A watch that they
    /// may not see is reported as not found.
    private func watch(
        _ parameters: Parameters, for principal: Principal, route: Route
    ) throws -> TimedWatch {
        let id = try parameters.id("watch", WatchID.self)
        guard let timed = try rows.find(id) else {
            throw Problem.notFound("watch not found")
        }
        let owner = RightsTarget.person(timed.watch.person)
        if !replica.decide(principal, .readPerson, on: owner, at: now).isAllowed {
            throw Problem.notFound("watch not found")
        }
        if route != .show { try allow(principal, .watch, on: owner) }
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
