import Runtime

/// The HTTP server could not start.
public struct WebError: ExplainedError, Hashable {
    public enum Reason: String, Sendable {
        /// Another process listens there.
        case portInUse = "port-in-use"
        /// The address is not one of this machine, or no address at all.
        case badAddress = "bad-address"
        /// The system or the HTTP library said no.
        case system = "system"
    }

    public var reason: Reason
    /// What was tried, such as `listen on 127.0.0.1:8101`.
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
