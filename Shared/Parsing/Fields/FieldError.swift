/// Why a field of a JSON object was rejected.
public struct FieldError: Error, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case missing, value, range, duplicate, misplaced, unsupported
    }

    public var kind: Kind
    /// Path of the field, such as `contacts[1].address`; empty = the body itself.
    public var path: String
    /// What is wrong, such as `name must be a string`. Contains no value, which may be private.
    public var message: String
    /// The rejected value, if it is short, such as `"x"` or `a list`.
    public var given: String?
    /// Instruction for the sender.
    public var hint: String?

    public init(
        _ kind: Kind, at path: String, _ message: String, given: String? = nil,
        hint: String? = nil
    ) {
        self.kind = kind
        self.path = path
        self.message = message
        self.given = given
        self.hint = hint
    }

    /// The message with the value, for the sender of the value.
    public var detail: String { given.map { "\(message), not \($0)" } ?? message }

    /// An error of the form `name must be a string`.
    public static func must(
        _ requirement: String, at path: String, not value: JSON? = nil, _ kind: Kind = .value,
        hint: String? = nil
    ) -> FieldError {
        FieldError(
            kind, at: path, "\(subject(of: path)) must \(requirement)",
            given: value.flatMap(FieldError.short), hint: hint)
    }

    public static func missing(_ path: String, hint: String? = nil) -> FieldError {
        FieldError(.missing, at: path, "\(subject(of: path)) is required", hint: hint)
    }

    /// The name of the field as the subject of a sentence.
    private static func subject(of path: String) -> String {
        path.isEmpty ? "the body" : String(path.split(separator: ".").last ?? "")
    }

    /// A value as a short text; nil for long and unprintable texts.
    private static func short(_ value: JSON) -> String? {
        switch value {
        case .array: "a list"
        case .object: "an object"
        case .string(let text):
            text.unicodeScalars.count <= 40 && PlainText.firstHidden(in: text) == nil
                ? "\"\(text)\"" : nil
        case .null, .bool, .integer, .number: value.serializedText
        }
    }
}

extension JSON {
    fileprivate var serializedText: String { String(decoding: serialized(), as: UTF8.self) }
}
