/// A text that a QR code cannot contain.
public struct CodeError: Error, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable { case unusable, tooLong }

    public var code: Code
    public var operation: String
    public var message: String
    public var hint: String

    public var description: String { "\(operation): \(message); \(hint)" }

    static let unusable = CodeError(
        code: .unusable, operation: "make a QR code", message: "the text is empty or contains NUL",
        hint: "Give a text without NUL.")

    static func tooLong(bytes: Int) -> CodeError {
        CodeError(
            code: .tooLong, operation: "make a QR code",
            message: "a text of \(bytes) bytes does not fit",
            hint: "Shorten it to at most 2,953 bytes.")
    }
}
