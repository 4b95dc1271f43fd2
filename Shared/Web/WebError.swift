/// The HTTP server could not start.
public struct WebError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Another process listens there.
        case portInUse
        /// The address is not one of this machine, or no address at all.
        case badAddress
        /// The system or the HTTP library said no.
        case system
    }

    public var code: Code
    /// What was tried, such as `listen on 127.0.0.1:8101`.
    public var operation: String
    public var message: String
    public var hint: String

    public init(code: Code, operation: String, message: String, hint: String) {
        self.code = code
        self.operation = operation
        self.message = message
        self.hint = hint
    }

    public var description: String { "\(operation): \(message) (\(hint))" }
}
