/// Why a frame, or a record in it, is not taken.
///
/// Nothing of a payload is in here: it may be private.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// Ends before its own lengths say so, or goes on after.
        case truncated
        /// Longer than the protocol allows.
        case oversized
        /// Another version of the protocol.
        case version
        /// A topic, type, verb or flag that nobody knows.
        case unknown
        /// The records do not give the hash that the frame promises.
        case hash
        /// A kind or schema of event from a newer program.
        case newer
        /// A payload that is not what its kind says.
        case payload
    }

    public var code: Code
    /// Such as `read batch`.
    public var operation: String
    public var message: String

    public init(_ code: Code, _ operation: String, _ message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    public var hint: String {
        switch code {
        case .version, .newer, .unknown: "Upgrade this program: readers before writers."
        case .truncated, .hash, .payload: "It is fetched again; if that repeats, check the writer."
        case .oversized: "Send less in one piece."
        }
    }

    public var description: String { "\(operation): \(message) (\(code.rawValue)). \(hint)" }
}
