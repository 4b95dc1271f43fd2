import API
import Hosting
import Model
import Parsing
import Store
import TimerCore
import Web

/// Stored responses to requests about watches with an `Idempotency-Key`.
struct IdempotentWatches {
    private let store: IdempotencyStore
    private let watches: WatchRows
    /// The key of the request being handled.
    private var currentKey: IdempotencyStore.Key?

    init(_ store: IdempotencyStore, _ watches: WatchRows) {
        self.store = store
        self.watches = watches
    }

    /// Begins a request.
    ///
    /// - Returns: the first response to it, if it is repeated and that response is still true
    mutating func begin(
        _ request: Request, of operation: Operation, as input: Input, at now: Timestamp
    ) throws -> Response? {
        currentKey = try IdempotencyStore.Key(request, as: operation.repetition)
        guard let currentKey, let first = try store.response(to: currentKey, at: now),
            try isCurrent(first, to: input)
        else { return nil }
        return first
    }

    mutating func end() { currentKey = nil }

    /// Stores the response to the current request.
    func record(_ response: Response, at now: Timestamp) throws {
        if let currentKey { try store.store(response, to: currentKey, at: now) }
    }

    /// Whether the first response to a request is still true. A response that shows a running watch
    /// is true only while the watch runs; repeating it later would claim a watch that does not
    /// exist.
    private func isCurrent(_ first: Response, to input: Input) throws -> Bool {
        switch input {
        case .startWatch, .extendWatch: break
        default: return true
        }
        guard let id = try? JSON.parse(first.body)["id"]?.string.flatMap({ WatchID($0) }) else {
            return false
        }
        return try watches.find(id)?.watch.state.isRunning ?? false
    }
}
