import CSodium
import Model

/// Authenticated encryption with a key of 32 bytes: libsodium's secretbox, XSalsa20-Poly1305.
public enum SecretBox {
    public static let keyBytes = 32
    public static let nonceBytes = 24
    private static let tagBytes = 16

    /// Encrypts bytes.
    ///
    /// - Parameters:
    ///   - key: 32 bytes
    ///   - nonce: 24 random bytes, never used twice with the same key
    /// - Returns: nonce, tag and ciphertext
    public static func seal(_ bytes: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        Sodium.prepare()
        invariant(key.count == keyBytes, "the key of a secret box has \(keyBytes) bytes")
        invariant(nonce.count == nonceBytes, "the nonce of a secret box has \(nonceBytes) bytes")
        var sealed = [UInt8](repeating: 0, count: bytes.count + tagBytes)
        crypto_secretbox_easy(&sealed, bytes, UInt64(bytes.count), nonce, key)
        return nonce + sealed
    }

    /// Decrypts the output of ``seal(_:key:nonce:)``; nil if the key is wrong or a byte was
    /// changed.
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
