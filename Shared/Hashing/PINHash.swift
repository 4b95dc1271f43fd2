import CSodium
import Model

/// Slow hash of a PIN: Argon2id with 4 MiB and 2 passes, about 5 ms.
///
/// One hash decides about PIN and duress PIN, since both have the salt of their person. It is
/// computed for every entered PIN, right or wrong, so its time tells nothing.
public enum PINHash {
    public static let saltBytes = Int(crypto_pwhash_argon2id_SALTBYTES)
    public static let hashBytes = 32
    private static let passes: UInt64 = 2
    private static let memoryBytes = 4 << 20

    /// Hashes a PIN.
    ///
    /// - Parameter salt: 16 bytes
    /// - Returns: 32 bytes
    public static func of(_ digits: String, person: PersonID, salt: [UInt8]) -> [UInt8] {
        Sodium.prepare()
        invariant(salt.count == saltBytes, "the salt of a PIN has \(saltBytes) bytes")
        let secret = (person.raw.bytes + Array(digits.utf8)).map { CChar(bitPattern: $0) }
        var hash = [UInt8](repeating: 0, count: hashBytes)
        let result = crypto_pwhash_argon2id(
            &hash, UInt64(hashBytes), secret, UInt64(secret.count), salt, passes, memoryBytes,
            crypto_pwhash_argon2id_ALG_ARGON2ID13)
        invariant(result == 0, "there is memory for the hash of a PIN")
        return hash
    }
}
