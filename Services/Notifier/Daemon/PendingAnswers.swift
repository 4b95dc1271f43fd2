import Gateways
import Hosting
import NotifierCore
import Store
import Web

/// Requests whose command the core has not answered yet, and how each is answered.
struct PendingAnswers {
    private let idempotencyStore: IdempotencyStore
    /// Idempotency keys of requests that are not answered yet.
    private var keys: [UInt64: IdempotencyStore.Key] = [:]
    /// Requests with a PIN, whose answers all take the same time.
    private var delayed: Set<UInt64> = []
    var livePages = LivePages(key: [], isPublicSecure: false)
    var linkPages = LinkPages(key: [], publicURL: nil)
    var questionPages = QuestionPages(key: [], publicURL: nil)

    init(_ database: Database) { idempotencyStore = IdempotencyStore(database) }

    /// Appends a request, with the key under which its answer is stored.
    mutating func append(_ request: UInt64, storedAs key: IdempotencyStore.Key?) {
        keys[request] = key
    }

    /// Lets a request with a PIN be answered after a fixed time.
    mutating func delay(_ request: UInt64) { delayed.insert(request) }

    /// How long to delay the answer to a request.
    mutating func popDelay(of request: UInt64) -> Duration? {
        delayed.remove(request) == nil ? nil : PINResponses.delay
    }

    /// Forgets a request that failed.
    mutating func forget(_ request: UInt64) {
        keys[request] = nil
        delayed.remove(request)
    }

    /// Renders the core's answer to a request, and stores it if the request has an idempotency key.
    ///
    /// - Parameters:
    ///   - base: URL of links; nil = none
    ///   - exchange: request and response of a gateway test
    mutating func response(
        to answer: Answer, of request: UInt64, _ context: RequestContext, base: String?,
        exchange: () -> TestExchange?
    ) throws -> Response {
        if let page = try linkPages.response(to: answer, of: request, context) { return page }
        let response = Documents.response(
            to: answer, in: context.directory, at: context.now, shown: exchange(),
            base: base)
        if let key = keys.removeValue(forKey: request) {
            try idempotencyStore.store(response, to: key, at: context.now)
        }
        return response
    }

    /// Forgets the requests of a rolled-back turn.
    mutating func reset() {
        keys.removeAll()
        delayed.removeAll()
    }
}
