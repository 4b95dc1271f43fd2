/// Why a text is not JSON, or why a JSON value does not have the expected form.
///
/// Contains neither the text nor values from it, because both may be private.
public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// The text is not JSON.
        case malformed
        /// The text has more values than allowed.
        case tooMany
        /// A member is missing.
        case missing
        /// A value has another type or range than expected.
        case mismatch
        /// A value that JSON cannot represent, such as an infinite number.
        case inexpressible
    }

    public var code: Code
    /// The failed operation: `parse`, `decode` or `encode`.
    public var operation: String
    public var message: String
    /// Byte offset of the error in the text; nil if unknown.
    public var offset: Int?
    /// Path of the value, such as `members[1].role`; empty for the root.
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

    /// Instruction for the sender.
    public var hint: String {
        switch code {
        case .malformed: "Send one JSON text in UTF-8."
        case .tooMany: "Send smaller batches."
        case .missing: "Add the member."
        case .mismatch: "Correct the value."
        case .inexpressible: "Send a finite number."
        }
    }

    public var description: String {
        let location = path.isEmpty ? offset.map { " at byte \($0)" } ?? "" : " at \(path)"
        return "\(operation): \(message)\(location)"
    }
}
