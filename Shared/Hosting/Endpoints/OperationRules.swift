import API
import Web

// What the host derives from a row of a table of operations.

extension IdempotencyStore.Key {
    /// Identifies a request that may be repeated, as long as its operation allows.
    ///
    /// - Throws: a 400 problem unless the key has 1 to 255 printable characters
    public init?(_ request: Request, of operation: Operation) throws(Problem) {
        switch operation.repetition {
        case .never, .emergency: return nil
        case .day: try self.init(request, as: .configuration)
        case .minute: try self.init(request, as: .command)
        }
    }
}

extension Router {
    /// Whether the rate limit by credential and address applies. It does to unknown paths.
    public func isLimited<ID>(_ request: Request) -> Bool where Route == RoutedOperation<ID> {
        guard case .found(let found, _) = route(request) else { return true }
        return found.operation.limit == .usual
    }
}
