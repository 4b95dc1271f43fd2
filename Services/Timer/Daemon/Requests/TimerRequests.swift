import API
import Directory
import Hosting
import Model
import Parsing
import Store
import TimerCore
import Web

/// The result of parsing a request: an immediate response, or an input of the core, which then
/// responds.
enum RequestOutcome {
    case respond(Response)
    /// With the operation that says how long it may be repeated.
    case input(Input, Operation)
}

/// Routes, parses and authorizes the timer's requests.
struct TimerRequests {
    static let router = Router(TimerOperation.table)

    let watches: WatchRows
    let core: TimerCore
    let replica: Replica
    /// The caller; nil if the credentials are unknown.
    let principal: Principal?
    let now: Timestamp
    /// Whether the offsets of a time zone are known.
    var isTimeZone: (String) -> Bool = { _ in true }

    /// Parses a request.
    ///
    /// - Throws: a ``Problem`` that is the response, or a `StoreError`.
    func parse(_ request: Request) throws -> RequestOutcome {
        switch TimerRequests.router.route(request) {
        case .answered(let response): return .respond(response)
        case .found(let found, let parameters):
            let access = RequestAccess(
                replica: replica, principal: try requirePrincipal(),
                reachability: core.reachability, now: now)
            let input: Input
            switch found.id {
            case .watch(let operation):
                let requests = WatchRequests(rows: watches, access: access)
                switch try requests.outcome(of: request, operation, parameters) {
                case .respond(let response): return .respond(response)
                case .input(let parsed): input = parsed
                }
            case .checkIns(let operation):
                let requests = CheckInRequests(core: core, access: access, isTimeZone: isTimeZone)
                switch try requests.outcome(of: request, operation, parameters) {
                case .respond(let response): return .respond(response)
                case .input(let parsed): input = parsed
                }
            case .timer(let operation):
                let requests = PersonTimerRequests(core: core, access: access)
                switch try requests.outcome(of: request, operation, parameters) {
                case .respond(let response): return .respond(response)
                case .input(let parsed): input = parsed
                }
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
}

/// What a feature makes of a request.
enum ParsedRequest {
    case respond(Response)
    case input(Input)
}
