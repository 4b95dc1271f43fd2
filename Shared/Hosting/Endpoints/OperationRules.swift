import API
import Model
import Web

// What the host derives from a row of a table of operations.

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
