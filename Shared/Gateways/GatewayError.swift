import Runtime

/// The description of a gateway, or a setting of it, cannot be used; stops the start.
public struct GatewayError: ExplainedError, Hashable {
    public var code: String
    public var operation: String
    public var message: String
    public var hint: String

    init(_ code: String, reading file: String, _ message: String, hint: String) {
        self.code = code
        operation = "read gateway \(file)"
        self.message = message
        self.hint = hint
    }

    /// A setting that is missing or does not fit the others.
    init(setting name: String, _ message: String, hint: String) {
        code = "gateway-setting"
        operation = "set up gateways"
        self.message = "\(name): \(message)"
        self.hint = hint
    }
}
