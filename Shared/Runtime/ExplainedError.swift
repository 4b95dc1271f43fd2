/// An error that tells its reader what happened, to what, and what to do about it.
///
/// Texts hold no position, name, number, message or secret: they go to logs.
public protocol ExplainedError: Error, Sendable, CustomStringConvertible {
    /// Stable word for programs, such as `disk-full`.
    var code: String { get }
    /// What was being done, such as `open store`.
    var operation: String { get }
    /// What went wrong, in words.
    var message: String { get }
    /// What its reader can do; empty when nothing sensible can be said.
    var hint: String { get }
}

extension ExplainedError {
    public var description: String {
        let text = "\(operation): \(message) (\(code))"
        return hint.isEmpty ? text : text + ". " + hint
    }
}
