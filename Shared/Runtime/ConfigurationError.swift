/// An invalid setting, argument or configuration file; prevents the start.
public struct ConfigurationError: ExplainedError, Hashable {
    public var code: String
    public var operation: String
    public var message: String
    public var hint: String

    /// Creates an error for values that are valid alone but wrong in combination or context.
    public init(
        _ code: String, _ message: String, hint: String, operation: String = "read configuration"
    ) {
        self.code = code
        self.operation = operation
        self.message = message
        self.hint = hint
    }

    /// - Parameter origin: origin of the value, such as `environment`
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
            "setting-unknown", "\(name) is not a setting of this program (from \(origin))",
            hint: guess + "List all settings with --print-configuration.")
    }

    /// A suggestion such as `Did you mean x? ` with a trailing space; empty if no known name is
    /// within two edits.
    public static func guess(_ name: String, among known: [String]) -> String {
        func distance(_ other: String) -> Int {
            editDistance(Array(name.utf8), Array(other.utf8))
        }
        let near = known.min { distance($0) < distance($1) }
        guard let near, distance(near) <= 2 else { return "" }
        return "Did you mean \(near)? "
    }
}
