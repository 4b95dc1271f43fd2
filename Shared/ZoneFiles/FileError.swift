/// Why a file was rejected. A rejected file has no effect.
///
/// Contains neither positions nor names of the file, because both are private.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes are not text, or not of this format.
        case malformed
        /// An element is in a place where it is not allowed.
        case misplaced
        /// A required element is missing.
        case missing
        /// A value has the wrong type or form.
        case value
        /// A number is out of range.
        case range
        /// An element occurs twice.
        case duplicate
        /// Well-formed, but not convertible to a zone.
        case unsupported
        /// The file exceeds a limit.
        case tooMuch = "too-much"
    }

    public var code: Code
    /// The failed operation, such as `read PAD`.
    public var operation: String
    /// Where the error is; nil = the whole file.
    public var location: FileLocation?
    public var message: String
    /// Instruction for the user.
    public var hint: String

    public init(
        _ code: Code, _ operation: String, at location: FileLocation? = nil, _ message: String,
        hint: String
    ) {
        self.code = code
        self.operation = operation
        self.location = location
        self.message = message
        self.hint = hint
    }

    public var description: String {
        "\(operation): \(location.map { "\($0): " } ?? "")\(message)"
    }
}
