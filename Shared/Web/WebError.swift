import Runtime

/// Error: the HTTP server could not start.
public struct WebError: ExplainedError, Hashable {
    public enum Reason: String, Sendable {
        /// Another process listens on the port.
        case portInUse = "port-in-use"
        /// The address is invalid or does not belong to this machine.
        case badAddress = "bad-address"
        /// A call of the system or of the HTTP library failed.
        case system = "system"
    }

    public var reason: Reason
    /// The failed operation, such as `listen on 127.0.0.1:8101`.
    public var operation: String
    public var message: String
    public var hint: String

    public var code: String { reason.rawValue }

    public init(_ reason: Reason, operation: String, message: String, hint: String) {
        self.reason = reason
        self.operation = operation
        self.message = message
        self.hint = hint
    }
}
