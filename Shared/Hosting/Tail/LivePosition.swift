import Hashing
import Runtime

/// Position in a person's live stream: that of its sources, and the last thing that was sent of a
/// record which changes several.
///
/// As a text it is sealed: sequences of a stream would show a reader when somebody else changes
/// something that they must not know about.
public struct LivePosition: Hashable, Sendable {
    public var cursor: StreamCursor
    /// Empty if everything up to the cursor was sent.
    public var item: String

    public init(cursor: StreamCursor, item: String = "") {
        self.cursor = cursor
        self.item = item
    }

    /// Separates the texts from others that are sealed with the same key.
    private static let label = "live"

    /// Opens the output of ``sealed(with:)``; nil for any other text.
    public init?(_ sealed: String, key: [UInt8]) {
        guard let bytes = Base64.decode(sealed, alphabet: .url),
            let text = SecretBox.open(bytes, key: key)
        else { return nil }
        let parts = String(decoding: text, as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == LivePosition.label else { return nil }
        if parts[1].isEmpty {
            cursor = StreamCursor()
        } else {
            guard let known = StreamCursor(parts[1]) else { return nil }
            cursor = known
        }
        item = String(parts[2])
    }

    /// Returns the position as a text for `id:` and `Last-Event-ID`, another one at each call.
    ///
    /// - Parameter key: 32 bytes, which membership and the notifier share
    public func sealed(with key: [UInt8]) -> String {
        let text = "\(LivePosition.label) \(cursor) \(item)"
        let nonce = SecureRandom.bytes(SecretBox.nonceBytes)
        return Base64.encode(
            SecretBox.seal(Array(text.utf8), key: key, nonce: nonce), alphabet: .url)
    }
}
