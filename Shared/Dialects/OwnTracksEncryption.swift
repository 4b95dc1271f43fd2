import Hashing
import Model
import Parsing

extension OwnTracks {
    /// Symmetric key of a device that encrypts its messages.
    ///
    /// The bytes are secret and never part of a description.
    public struct Key: Hashable, Sendable, CustomStringConvertible {
        public let bytes: [UInt8]
        public var description: String { "a key" }

        public static let passphraseBytesMax = SecretBox.keyBytes

        /// Derives the key as the apps do: the passphrase in UTF-8, padded with zeros.
        ///
        /// Returns nil if the passphrase is empty or exceeds 32 bytes, because apps would truncate
        /// it.
        public init?(passphrase: String) {
            let text = Array(passphrase.utf8)
            guard (1...Self.passphraseBytesMax).contains(text.count) else { return nil }
            bytes = text + [UInt8](repeating: 0, count: SecretBox.keyBytes - text.count)
        }

        /// Restores a key from its ``bytes``; nil unless there are exactly 32.
        public init?(bytes: [UInt8]) {
            guard bytes.count == SecretBox.keyBytes else { return nil }
            self.bytes = bytes
        }
    }

    /// Encrypts an answer. An encrypted message requires an encrypted answer.
    ///
    /// - Parameter nonce: 24 random bytes, never used twice
    public static func seal(_ answer: [UInt8], key: Key, nonce: [UInt8]) -> [UInt8] {
        let sealed = SecretBox.seal(answer, key: key.bytes, nonce: nonce)
        return Array(#"{"_type":"encrypted","data":""#.utf8) + Array(Base64.encode(sealed).utf8)
            + Array(#""}"#.utf8)
    }

    /// Decrypts a message. Returns nil if the key is wrong or the message is malformed.
    static func unseal(_ json: JSON, key: Key) -> [UInt8]? {
        guard let data = json["data"]?.string, let sealed = decoded(data) else { return nil }
        return SecretBox.open(sealed, key: key.bytes)
    }

    /// Decodes base64 that may contain line breaks.
    static func decoded(_ text: String) -> [UInt8]? {
        Base64.decode(text.filter { !$0.isWhitespace })
    }
}
