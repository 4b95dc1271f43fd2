import Hashing
import Model
import Parsing

extension OwnTracks {
    /// The key of a device that encrypts what it sends.
    ///
    /// Its bytes are secret: a description never shows them.
    public struct Key: Hashable, Sendable, CustomStringConvertible {
        public let bytes: [UInt8]
        public var description: String { "a key" }

        public static let passphraseBytesMax = SecretBox.keyBytes

        /// The passphrase in UTF-8, filled up with zeros, as the apps do it.
        ///
        /// Nil for an empty one, and for one of more than 32 bytes: apps would cut it off.
        public init?(passphrase: String) {
            let text = Array(passphrase.utf8)
            guard (1...Self.passphraseBytesMax).contains(text.count) else { return nil }
            bytes = text + [UInt8](repeating: 0, count: SecretBox.keyBytes - text.count)
        }

        /// 32 bytes as ``bytes`` gave them; nil for another number of them.
        public init?(bytes: [UInt8]) {
            guard bytes.count == SecretBox.keyBytes else { return nil }
            self.bytes = bytes
        }
    }

    /// The whole answer encrypted, as it has to be where the message was.
    ///
    /// - Parameter nonce: 24 random bytes, never used twice
    public static func seal(_ answer: [UInt8], key: Key, nonce: [UInt8]) -> [UInt8] {
        let sealed = SecretBox.seal(answer, key: key.bytes, nonce: nonce)
        return Array(#"{"_type":"encrypted","data":""#.utf8) + Array(Base64.encode(sealed).utf8)
            + Array(#""}"#.utf8)
    }

    /// The message inside of an encrypted one; nil where the key does not open it, or it is none.
    static func unseal(_ json: JSON, key: Key) -> [UInt8]? {
        guard let data = json["data"]?.string, let sealed = decoded(data) else { return nil }
        return SecretBox.open(sealed, key: key.bytes)
    }

    /// Base64, also of writers that break it into lines.
    static func decoded(_ text: String) -> [UInt8]? {
        Base64.decode(text.filter { !$0.isWhitespace })
    }
}
