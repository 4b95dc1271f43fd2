import Directory
import Model
import NotifierCore
import Parsing
import Runtime
import Store
import Web

/// What the requests of a turn read.
struct RequestContext {
    let now: Timestamp
    let directory: Replica
    let store: NotifierStore
    let registry: GatewayRegistry
    /// Returns the core. A copy kept here would make each change of the core copy all its state.
    let readCore: () -> Notifier

    var core: Notifier { readCore() }

    /// Checks a right.
    ///
    /// - Throws: 403 if it is denied
    func require(
        _ action: Action, of principal: Principal, on target: RightsTarget
    ) throws(Problem) {
        let decision = directory.decide(principal, action, on: target, at: now)
        if let denial = decision.denial { throw .denied(denial.explanation) }
    }
}

/// What a request leads to.
enum RequestOutcome {
    /// - Parameter showing: people about whom it shows data; the access is recorded
    case respond(Response, showing: [PersonID] = [])
    /// The core answers.
    case submit(Input)
    /// A document that is printed first.
    case printReport(PrintedReport, showing: [PersonID])
}

/// Position and size of a page of a list.
struct Page {
    /// Entries with a smaller sequence number follow.
    var before: Int64
    var limit: Int

    /// Reads `limit` and `cursor`.
    init(_ request: Request) throws(Problem) {
        limit = try request.pageLimit(max: Limits.pageMax) ?? Limits.pageMax
        before = try request.cursor() ?? .max
    }

    /// The page with a cursor for the next one; nil if this one is not full.
    func response(_ entries: [(seq: Int64, json: JSON)]) -> Response {
        let next: JSON =
            entries.count < limit ? nil : entries.last.map { .string(String($0.seq)) } ?? nil
        return .json(["items": .array(entries.map(\.json)), "next": next])
    }
}
