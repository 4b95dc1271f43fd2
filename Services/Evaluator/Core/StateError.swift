/// Why a state cannot be taken. Nothing of the state is in here: it is about people.
public struct StateError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Ends before its own lengths say so, or goes on after.
        case truncated
        /// In a form, or of a logic, that this program does not have.
        case version
        /// A number, order, flag or text that no state has.
        case invalid
        /// It speaks of circles, zones or people's links that the configuration does not have.
        case mismatch
    }

    public var code: Code
    /// What was being read, such as `person`.
    public var operation: String
    public var message: String

    init(_ code: Code, _ operation: String, _ message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    public var hint: String {
        switch code {
        case .version: "Run a program of the version that wrote it, or a newer one."
        case .truncated, .invalid, .mismatch:
            "The log has all of it: it is decided anew from an older state or the first record."
        }
    }

    public var description: String {
        "restore \(operation): \(message) (\(code.rawValue)). \(hint)"
    }
}
