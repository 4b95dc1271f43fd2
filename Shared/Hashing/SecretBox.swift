import CSodium
import Model

/// Bytes that only the holder of a key of 32 bytes can read or change unnoticed: XSalsa20-Poly1305,
/// libsodium's secretbox.
public enum SecretBox {
    public static let keyBytes = 32
    public static let nonceBytes = 24
    private static let tagBytes = 16

    /// The nonce, then tag and ciphertext.
    ///
    /// - Parameters:
    ///   - key: 32 bytes
    ///   - nonce: 24 random bytes, never used twice with one key
    public static func seal(_ bytes: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        Sodium.prepare()
        invariant(key.count == keyBytes, "the key of a secret box has \(keyBytes) bytes")
        invariant(nonce.count == nonceBytes, "the nonce of a secret box has \(nonceBytes) bytes")
        var sealed = [UInt8](repeating: 0, count: bytes.count + tagBytes)
        crypto_secretbox_easy(&sealed, bytes, UInt64(bytes.count), nonce, key)
        return nonce + sealed
    }

    /// What ``seal(_:key:nonce:)`` was given; nil for another key, or when anything was changed.
    public static func open(_ sealed: [UInt8], key: [UInt8]) -> [UInt8]? {
        Sodium.prepare()
        invariant(key.count == keyBytes, "the key of a secret box has \(keyBytes) bytes")
        guard sealed.count >= nonceBytes + tagBytes else { return nil }
        let content = Array(sealed[nonceBytes...])
        var bytes = [UInt8](repeating: 0, count: content.count - tagBytes)
        let result = crypto_secretbox_open_easy(
            &bytes, content, UInt64(content.count), Array(sealed[..<nonceBytes]), key)
        return result == 0 ? bytes : nil
    }
}
