import CSodium

extension Hash {
    /// HMAC-SHA256, 32 bytes (RFC 2104).
    ///
    /// - Parameter key: of any length
    public static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        Sodium.prepare()
        var state = crypto_auth_hmacsha256_state()
        var digest = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        crypto_auth_hmacsha256_final(&state, &digest)
        return digest
    }

    /// Whether two secrets are equal, in a time that depends on their lengths only.
    public static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && sodium_memcmp(one, other, one.count) == 0
    }
}
