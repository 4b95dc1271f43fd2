import Parsing

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

    /// The error of a field in JSON. Its value is left out: it may be private.
    public init(_ error: FieldError, _ operation: String = "read GeoJSON") {
        let code: Code =
            switch error.kind {
            case .missing: .missing
            case .value: .value
            case .range: .range
            case .duplicate: .duplicate
            case .misplaced: .misplaced
            case .unsupported: .unsupported
            }
        let hint = error.hint ?? "correct or remove it"
        self.init(
            code, operation, at: .path(error.path), error.message,
            hint: hint.prefix(1).uppercased() + hint.dropFirst()
                + (hint.hasSuffix(".") || hint.hasSuffix("?") ? "" : "."))
    }

    public var description: String {
        "\(operation): \(location.map { "\($0): " } ?? "")\(message)"
    }
}
