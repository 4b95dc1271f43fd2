/// Why a text is no JSON, or a JSON value not what was asked for.
///
/// Neither the text nor values of it are in here: both may be private.
public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Not JSON.
        case malformed
        /// More values than whoever reads it takes.
        case tooMany
        /// JSON, but a member is missing.
        case missing
        /// JSON, but a value has another type or range than expected.
        case mismatch
        /// A value that JSON cannot say, such as an infinite number.
        case inexpressible
    }

    public var code: Code
    /// What was being done: `parse`, `decode`, `encode`.
    public var operation: String
    public var message: String
    /// Where in the text the fault was noticed, in bytes from its start; nil if not known.
    public var offset: Int?
    /// Which value, as in `members[1].role`; empty for the whole.
    public var path: String

    public init(
        code: Code, operation: String, message: String, offset: Int? = nil, path: String = ""
    ) {
        self.code = code
        self.operation = operation
        self.message = message
        self.offset = offset
        self.path = path
    }

    /// What its sender can do about it.
    public var hint: String {
        switch code {
        case .malformed: "send one JSON text in UTF-8"
        case .tooMany: "send it in parts: smaller batches"
        case .missing: "add the member"
        case .mismatch: "correct the value"
        case .inexpressible: "write a finite number"
        }
    }

    public var description: String {
        let place = path.isEmpty ? offset.map { " at byte \($0)" } ?? "" : " at \(path)"
        return "\(operation): \(message)\(place)"
    }
}
