import Hashing
import Runtime

/// Encrypted bytes as base64 text.
public enum SealedText {
    /// Encrypts bytes.
    ///
    /// - Parameter key: 32 bytes
    public static func seal(_ bytes: [UInt8], key: [UInt8]) -> String {
        let nonce = SecureRandom.bytes(SecretBox.nonceBytes)
        return Base64.encode(SecretBox.seal(bytes, key: key, nonce: nonce))
    }

    /// Decrypts the output of ``seal(_:key:)``; nil if the key is wrong or the text is invalid.
    public static func open(_ sealed: String, key: [UInt8]) -> [UInt8]? {
        Base64.decode(sealed).flatMap { SecretBox.open($0, key: key) }
    }
}
