import CSodium

/// Incremental SHA-256, for input such as a large file.
///
/// ```swift
/// var digest = SHA256Digest()
/// try Files.pieces(of: path) { digest.add($0) }
/// let text = Hex.encode(digest.finish())
/// ```
public struct SHA256Digest {
    private var state = crypto_hash_sha256_state()

    public init() {
        Sodium.prepare()
        crypto_hash_sha256_init(&state)
    }

    public mutating func add(_ piece: ArraySlice<UInt8>) {
        piece.withUnsafeBufferPointer {
            _ = crypto_hash_sha256_update(&state, $0.baseAddress, UInt64($0.count))
        }
    }

    /// Returns the 32 bytes of the hash. Nothing can be added afterwards.
    public mutating func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256_final(&state, &digest)
        return digest
    }
}
