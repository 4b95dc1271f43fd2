import API
import Model
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

extension CredentialKinds {
    /// The rejection of a credential; nil if its kind is among these.
    ///
    /// - Parameter kind: the kind of the request's credential
    public func refusal(of kind: CredentialKind) -> Problem? {
        guard !includes(kind) else { return nil }
        let hint =
            if includes(.person) {
                "sign in, or use a credential of kind person"
            } else if includes(.report) {
                "use the token of a device"
            } else if includes(.monitor) {
                "use the operator's token or the monitoring token"
            } else {
                "use the operator's token"
            }
        return .denied(
            "a credential of kind \(kind.rawValue) is not accepted here", hint: hint)
    }
}

extension Router {
    /// Whether the rate limit by credential and address applies. It does to unknown paths.
    public func isLimited<ID>(_ request: Request) -> Bool where Route == RoutedOperation<ID> {
        guard case .found(let found, _) = route(request) else { return true }
        return found.operation.limit == .usual
    }

    /// The operation of a request; nil for unknown paths and methods.
    public func operation<ID>(_ request: Request) -> Operation? where Route == RoutedOperation<ID> {
        guard case .found(let found, _) = route(request) else { return nil }
        return found.operation
    }
}
