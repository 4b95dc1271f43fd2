/// Why a frame or record is rejected.
///
/// Never contains payload, which may be private.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// Shorter or longer than its lengths state.
        case truncated
        /// Longer than the protocol allows.
        case oversized
        /// Another protocol version.
        case version
        /// An unknown topic, type, verb or flag.
        case unknown
        /// The records do not match the frame's hash.
        case hash
        /// An event kind or schema of a newer program.
        case newer
        /// A payload that does not match its kind.
        case payload
    }

    public var code: Code
    /// The failed operation, such as `read batch`.
    public var operation: String
    public var message: String

    public init(_ code: Code, _ operation: String, _ message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    public var hint: String {
        switch code {
        case .version, .newer, .unknown: "Upgrade this program; upgrade readers before writers."
        case .truncated, .hash, .payload:
            "The record is requested again; if this repeats, check the publisher."
        case .oversized: "Send less data in one frame."
        }
    }

    public var description: String { "\(operation): \(message) (\(code.rawValue)). \(hint)" }
}
