/// An error with code, operation, message and hint.
///
/// Texts must not contain positions, names, numbers, messages or secrets, since they are logged.
public protocol ExplainedError: Error, Sendable, CustomStringConvertible {
    /// Stable code for programs, such as `disk-full`.
    var code: String { get }
    /// The failed operation, such as `open store`.
    var operation: String { get }
    /// What went wrong.
    var message: String { get }
    /// What the reader can do; empty if unknown.
    var hint: String { get }
}

extension ExplainedError {
    public var description: String {
        let text = "\(operation): \(message) (\(code))"
        return hint.isEmpty ? text : text + ". " + hint
    }
}
