/// Why a file cannot be read: then nothing of it is taken.
///
/// Neither positions nor names of the file are in here: both are private.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes are no text, or not of this format at all.
        case malformed
        /// Something stands where it may not.
        case misplaced
        /// Something that is needed is not there.
        case missing
        /// A value is none of its kind.
        case value
        /// A number is outside of what it may be.
        case range
        /// Something is there twice.
        case duplicate
        /// Well-formed, but nothing that Jaga can make a zone of.
        case unsupported
        /// More than is taken at once.
        case tooMuch = "too-much"
    }

    public var code: Code
    /// What was being done, such as `read PAD`.
    public var operation: String
    /// Nil where the fault is the whole file's.
    public var place: FilePlace?
    public var message: String
    /// What to do about it.
    public var hint: String

    public init(
        _ code: Code, _ operation: String, at place: FilePlace? = nil, _ message: String,
        hint: String
    ) {
        self.code = code
        self.operation = operation
        self.place = place
        self.message = message
        self.hint = hint
    }

    public var description: String {
        "\(operation): \(place.map { "\($0): " } ?? "")\(message)"
    }
}
