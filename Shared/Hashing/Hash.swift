import CSodium
import Model

/// Hash functions of the suite: BLAKE2b and SHA-256.
public enum Hash {
    /// BLAKE2b-128 of a list of parts, as an id.
    public static func id(_ parts: HashPart...) -> ID128 { id(of: parts) }

    /// BLAKE2b-128 of a list of parts.
    public static func id(of parts: [HashPart]) -> ID128 {
        id(bytes: parts.reduce(0) { $0 + $1.bytes }) { memory in
            var index = 0
            for part in parts { part.write(into: memory, at: &index) }
        }
    }

    /// Derives the id of an event from what it is about, so that a duplicate has the same id.
    ///
    /// - Parameters:
    ///   - person: the person it is about; nil if there is none
    ///   - subject: what else it is about, such as a zone or an emergency; `.parts` for several
    ///   - cause: id of the report, signal, deadline or request that led to it
    public static func derivedID(
        kind: EventKind, person: PersonID?, subject: HashPart = .none, cause: ID128
    ) -> EventID {
        EventID(derivedID(kind: kind.type, person: person, subject: subject, cause: cause))
    }

    /// Derives another id than an event's, such as a deadline's or a notification's.
    public static func derivedID(
        kind: String, person: PersonID?, subject: HashPart = .none, cause: ID128
    ) -> ID128 {
        let kind = HashPart.text(kind)
        let about = person.map { HashPart.id($0) } ?? .none
        let cause = HashPart.id(cause)
        return id(bytes: kind.bytes + about.bytes + subject.bytes + cause.bytes) { memory in
            var index = 0
            kind.write(into: memory, at: &index)
            about.write(into: memory, at: &index)
            subject.write(into: memory, at: &index)
            cause.write(into: memory, at: &index)
        }
    }

    /// BLAKE2b-128 of the bytes that `write` puts into memory. Up to about 1 KB it allocates
    /// nothing.
    private static func id(
        bytes count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void
    ) -> ID128 {
        Sodium.prepare()
        var digest: (high: UInt64, low: UInt64) = (0, 0)
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { memory in
            write(memory)
            withUnsafeMutableBytes(of: &digest) { digest in
                guard let first = digest.baseAddress else { return }
                crypto_generichash(
                    first, digest.count, memory.baseAddress, UInt64(count), nil, 0)
            }
        }
        return ID128(high: digest.high.bigEndian, low: digest.low.bigEndian)
    }

    /// The next chain hash of a stream: the first eight bytes, little endian, of BLAKE2b-128 over
    /// previous hash, event id, kind, schema and payload. Numbers are little endian.
    public static func chain(
        previous: UInt64, id: ID128, kind: UInt16, schema: UInt16, payload: [UInt8]
    ) -> UInt64 {
        // Eight, sixteen, two and two bytes, one after the other.
        var head = (
            previous.littleEndian, id.high.bigEndian, id.low.bigEndian, kind.littleEndian,
            schema.littleEndian
        )
        return withUnsafeBytes(of: &head) { head in
            blake2b128(UnsafeRawBufferPointer(rebasing: head[..<28]), payload).high.byteSwapped
        }
    }

    /// The hash of a partition's state: the first eight bytes, little endian, of its BLAKE2b-128.
    public static func state(_ bytes: [UInt8]) -> UInt64 { blake2b128(bytes).high.byteSwapped }

    /// SHA-256, 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        Sodium.prepare()
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    /// SHA-256 of a secret as 64 hexadecimal digits; stores contain it in place of the secret.
    public static func sha256Text(_ secret: String) -> String {
        Sodium.prepare()
        var secret = secret
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            guard let first = digest.baseAddress else {
                fatalError("a temporary allocation has an address")
            }
            secret.withUTF8 { _ = crypto_hash_sha256(first, $0.baseAddress, UInt64($0.count)) }
            return Hex.encode(digest)
        }
    }

    /// BLAKE2b-256, keyed if a key is given.
    ///
    /// - Parameter key: empty, or 16 to 64 bytes
    public static func blake2b256(_ bytes: [UInt8], key: [UInt8] = []) -> [UInt8] {
        blake2b(bytes, count: 32, key: key)
    }

    /// BLAKE2b-128.
    public static func blake2b128(_ bytes: [UInt8]) -> ID128 {
        blake2b128(UnsafeRawBufferPointer(start: nil, count: 0), bytes)
    }

    /// BLAKE2b-128 of a memory region, without allocation.
    public static func blake2b128(of memory: UnsafeRawBufferPointer) -> ID128 {
        Sodium.prepare()
        var digest: (high: UInt64, low: UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &digest) { digest in
            guard let first = digest.baseAddress else { return }
            crypto_generichash(
                first, digest.count, memory.baseAddress, UInt64(memory.count), nil, 0)
        }
        return ID128(high: digest.high.bigEndian, low: digest.low.bigEndian)
    }

    /// BLAKE2b-128 of two memory regions, without allocation.
    private static func blake2b128(_ head: UnsafeRawBufferPointer, _ tail: [UInt8]) -> ID128 {
        Sodium.prepare()
        var digest: (high: UInt64, low: UInt64) = (0, 0)
        withUnsafeTemporaryAllocation(
            byteCount: crypto_generichash_statebytes(), alignment: 64
        ) { memory in
            guard let address = memory.baseAddress else {
                fatalError("a temporary allocation has an address")
            }
            let state = OpaquePointer(address)
            crypto_generichash_init(state, nil, 0, 16)
            crypto_generichash_update(
                state, head.bindMemory(to: UInt8.self).baseAddress, UInt64(head.count))
            crypto_generichash_update(state, tail, UInt64(tail.count))
            withUnsafeMutableBytes(of: &digest) { digest in
                guard let first = digest.bindMemory(to: UInt8.self).baseAddress else { return }
                crypto_generichash_final(state, first, digest.count)
            }
        }
        return ID128(high: digest.high.bigEndian, low: digest.low.bigEndian)
    }

    /// BLAKE2b of any size, keyed if a key is given.
    private static func blake2b(_ bytes: [UInt8], count: Int, key: [UInt8] = []) -> [UInt8] {
        Sodium.prepare()
        invariant(key.isEmpty || (16...64).contains(key.count), "a BLAKE2b key has 16 to 64 bytes")
        var digest = [UInt8](repeating: 0, count: count)
        crypto_generichash(&digest, count, bytes, UInt64(bytes.count), key, key.count)
        return digest
    }
}

extension Partition {
    /// The partition of a person: the low 6 bits of the first byte of SHA-256(person's 16 bytes).
    public static func of(_ person: PersonID) -> Partition {
        Partition(firstDigestByte: Hash.sha256(person.raw.bytes)[0])
    }
}
