/// A setting, an argument or the configuration file that cannot be used; stops the start.
public struct ConfigurationError: ExplainedError, Hashable {
    public var code: String
    public var operation: String
    public var message: String
    public var hint: String

    /// For values that are well-formed alone and wrong together, or elsewhere.
    public init(
        _ code: String, _ message: String, hint: String, operation: String = "read configuration"
    ) {
        self.code = code
        self.operation = operation
        self.message = message
        self.hint = hint
    }

    /// - Parameter origin: where the value stands, such as `environment`
    static func invalid(
        _ setting: Setting, value: String, problem: String, origin: String
    ) -> ConfigurationError {
        let shown = setting.isSecret ? "its value" : "\"\(value)\""
        return ConfigurationError(
            "setting-invalid", "\(setting.name): \(shown) \(problem) (from \(origin))",
            hint: "Allowed: \(setting.allowed).")
    }

    static func unknown(_ name: String, origin: String, known: [String]) -> ConfigurationError {
        let guess = guess(name, among: known)
        return ConfigurationError(
            "setting-unknown", "\(name) is no setting of this program (from \(origin))",
            hint: guess + "--print-configuration lists all settings.")
    }

    /// A question whether another name was meant, with a blank at its end; empty where none of
    /// those that there are is near: two letters more, less or other at most.
    public static func guess(_ name: String, among known: [String]) -> String {
        func distance(_ other: String) -> Int {
            editDistance(Array(name.utf8), Array(other.utf8))
        }
        let near = known.min { distance($0) < distance($1) }
        guard let near, distance(near) <= 2 else { return "" }
        return "Did you mean \(near)? "
    }
}
