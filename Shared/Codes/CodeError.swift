/// A text that no code can hold.
public struct CodeError: Error, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable { case unusable, tooLong }

    public var code: Code
    public var operation: String
    public var message: String
    public var hint: String

    public var description: String { "\(operation): \(message); \(hint)" }

    static let unusable = CodeError(
        code: .unusable, operation: "make a QR code", message: "the text is empty or contains NUL",
        hint: "give it a text")

    static func tooLong(bytes: Int) -> CodeError {
        CodeError(
            code: .tooLong, operation: "make a QR code",
            message: "a text of \(bytes) bytes does not fit",
            hint: "the limit is 2,953 bytes; shorten it")
    }
}
