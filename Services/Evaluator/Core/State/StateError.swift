/// Why a state cannot be restored. Contains no part of the state, which is personal data.
public struct StateError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// The state is shorter or longer than its own lengths say.
        case truncated
        /// The encoding or logic version is unknown to this program.
        case version
        /// A number, order, flag or text is invalid.
        case invalid
        /// It refers to circles, zones or memberships that are not in the configuration.
        case mismatch
    }

    public var code: Code
    /// What was being read, such as `people`.
    public var operation: String
    public var message: String

    init(_ code: Code, _ operation: String, _ message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    public var hint: String {
        switch code {
        case .version: "Run the version that wrote the state, or a newer one."
        case .truncated, .invalid, .mismatch:
            "Nothing is lost: the partition is rebuilt from an older checkpoint or the whole log."
        }
    }

    public var description: String {
        "restore \(operation): \(message) (\(code.rawValue)). \(hint)"
    }
}
