import Hashing
import Runtime

/// Bytes that only those can read who have a key, as text.
public enum SealedText {
    /// Makes bytes unreadable for whoever has not the key.
    ///
    /// - Parameter key: 32 bytes
    public static func seal(_ bytes: [UInt8], key: [UInt8]) -> String {
        let nonce = SecureRandom.bytes(SecretBox.nonceBytes)
        return Base64.encode(SecretBox.seal(bytes, key: key, nonce: nonce))
    }

    /// What ``seal(_:key:)`` was given; nil for another key, or for what is none.
    public static func open(_ sealed: String, key: [UInt8]) -> [UInt8]? {
        Base64.decode(sealed).flatMap { SecretBox.open($0, key: key) }
    }
}
