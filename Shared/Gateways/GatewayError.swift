import Runtime

/// A gateway's description or settings are unusable. Prevents the service from starting.
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

    /// Reports a setting that is missing or contradicts other settings.
    init(setting name: String, _ message: String, hint: String) {
        code = "gateway-setting"
        operation = "set up gateways"
        self.message = "\(name): \(message)"
        self.hint = hint
    }
}
