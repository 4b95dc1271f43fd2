import API
import Directory
import Hosting
import Model
import Parsing
import Runtime
import Store
import TimerCore
import Web

/// Parses and authorizes requests about watches.
struct WatchRequests {
    let rows: WatchRows
    let access: RequestAccess

    private var replica: Replica { access.replica }
    private var principal: Principal { access.principal }
    private var now: Timestamp { access.now }

    /// - Throws: a ``Problem`` that is the response, or a `StoreError`.
    func outcome(
        of request: Request, _ operation: TimerOperation.Watches, _ parameters: Parameters
    ) throws -> ParsedRequest {
        func watch() throws -> Watch { try self.watch(parameters, operation).watch }
        switch operation {
        case .list: return .respond(try list(request))
        case .show: return .respond(try self.watch(parameters, operation).response())
        case .start: return .input(try start(request))
        case .extend:
            let id = try watch().id
            let body = try WatchBody(request.json(), fields: ["minutes", "deadline"])
            return .input(.extendWatch(id, by: body.span, request: request.id))
        case .end: return .input(try close(try watch(), as: .end, request))
        case .cancel:
            let watch = try watch()
            try check(request.headers["If-Match"], against: watch.version)
            return .input(try close(watch, as: .cancel, request))
        }
    }

    private func close(
        _ watch: Watch, as closing: WatchClosing, _ request: Request
    ) throws(Problem) -> Input {
        let pin = try access.pin(in: request, of: watch.person)
        return .closeWatch(watch.id, as: closing, pin: pin, request: request.id)
    }

    private func start(_ request: Request) throws(Problem) -> Input {
        guard let person = principal.person else {
            try access.allow(.watch, on: .suite)
            throw .denied("only a person can start a watch")
        }
        try access.allow(.watch, on: .person(person))
        let json = try request.json()
        let body = try WatchBody(
            json, fields: ["minutes", "deadline", "note", "destination", "recipients", "pin"])
        if let zone = body.terms.destination { try checkDestination(zone, of: person) }
        try replica.checkRecipients(body.terms.recipients, of: person)
        return .startWatch(
            WatchStart(
                id: WatchID(SecureRandom.id()), person: person, span: body.span, terms: body.terms,
                obstacle: access.reachability.obstacle(
                    toHelpersOf: person, among: body.terms.recipients, in: replica, at: now),
                pin: .entered(try RequestAccess.pin(in: json)), trace: request.trace,
                request: request.id))
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
        _ parameters: Parameters, _ operation: TimerOperation.Watches
    ) throws -> TimedWatch {
        let id = try parameters.id("watch", WatchID.self)
        guard let timed = try rows.find(id) else {
            throw Problem.notFound("watch not found")
        }
        let owner = RightsTarget.person(timed.watch.person)
        if !replica.decide(principal, .readPerson, on: owner, at: now).isAllowed {
            throw Problem.notFound("watch not found")
        }
        if operation != .show { try access.allow(.watch, on: owner) }
        return timed
    }

    private func list(_ request: Request) throws -> Response {
        if let person = principal.person {
            try access.allow(.readPerson, on: .person(person))
        } else {
            try access.allow(.administer, on: .suite)
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
