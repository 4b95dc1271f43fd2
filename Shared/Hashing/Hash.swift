import CSodium
import Model

/// The hashes of the suite: BLAKE2b and SHA-256.
public enum Hash {
    /// BLAKE2b-128 of a list of parts: the id of whatever the parts mean.
    public static func id(_ parts: HashPart...) -> ID128 { id(of: parts) }

    /// BLAKE2b-128 of a list of parts.
    public static func id(of parts: [HashPart]) -> ID128 {
        let digest = blake2b(parts.flatMap(\.encoded), count: 16)
        return id(digest)
    }

    /// The id of an event: two tellings of one thing have the same.
    ///
    /// - Parameters:
    ///   - person: whom it is about; nil where it is about nobody.
    ///   - subject: what it is about besides: a zone, an emergency; `.parts` for several.
    ///   - cause: id of the report, signal, clock or request that led to it.
    public static func meaning(
        kind: EventKind, person: PersonID?, subject: HashPart = .none, cause: ID128
    ) -> EventID {
        EventID(meaning(kind: kind.type, person: person, subject: subject, cause: cause))
    }

    /// An id of a meaning of another kind than an event's, such as a clock's or a notification's.
    public static func meaning(
        kind: String, person: PersonID?, subject: HashPart = .none, cause: ID128
    ) -> ID128 {
        let whom = person.map { HashPart.id($0) } ?? .none
        return id(.text(kind), whom, subject, .id(cause))
    }

    /// The next link of a stream's chain: the first eight bytes, little endian, of BLAKE2b-128 over
    /// previous hash, event id, kind, schema and payload, numbers little endian.
    public static func chain(
        previous: UInt64, id: ID128, kind: UInt16, schema: UInt16, payload: some Sequence<UInt8>
    ) -> UInt64 {
        var head: [UInt8] = []
        head.reserveCapacity(28)
        head.appendLittleEndian(previous)
        id.appendBytes(to: &head)
        head.appendLittleEndian(kind)
        head.appendLittleEndian(schema)
        let digest = blake2b(head, payload, count: 16)
        return digest[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What the state of a partition is told by: the first eight bytes, little endian, of
    /// BLAKE2b-128 over it.
    public static func state(_ bytes: [UInt8]) -> UInt64 { blake2b128(bytes).high.byteSwapped }

    /// 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        Sodium.prepare()
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    /// 32 bytes, keyed with a secret if one is given.
    ///
    /// - Parameter key: empty, or 16 to 64 bytes.
    public static func blake2b256(_ bytes: [UInt8], key: [UInt8] = []) -> [UInt8] {
        blake2b(bytes, count: 32, key: key)
    }

    /// 16 bytes.
    public static func blake2b128(_ bytes: [UInt8]) -> ID128 { id(blake2b(bytes, count: 16)) }

    private static func id(_ digest: [UInt8]) -> ID128 {
        guard let id = ID128(bytes: digest) else { fatalError("a digest of 16 bytes is an id") }
        return id
    }

    private static func blake2b(_ bytes: [UInt8], count: Int, key: [UInt8] = []) -> [UInt8] {
        blake2b(bytes, EmptyCollection(), count: count, key: key)
    }

    private static func blake2b(
        _ head: [UInt8], _ tail: some Sequence<UInt8>, count: Int, key: [UInt8] = []
    ) -> [UInt8] {
        Sodium.prepare()
        invariant(key.isEmpty || (16...64).contains(key.count), "a BLAKE2b key has 16 to 64 bytes")
        var digest = [UInt8](repeating: 0, count: count)
        withUnsafeTemporaryAllocation(
            byteCount: crypto_generichash_statebytes(), alignment: 64
        ) { memory in
            guard let address = memory.baseAddress else { fatalError("there is memory to hash in") }
            let state = OpaquePointer(address)
            crypto_generichash_init(state, key, key.count, count)
            crypto_generichash_update(state, head, UInt64(head.count))
            let isContiguous: Void? = tail.withContiguousStorageIfAvailable { bytes in
                _ = crypto_generichash_update(state, bytes.baseAddress, UInt64(bytes.count))
            }
            if isContiguous == nil {
                let copy = Array(tail)
                crypto_generichash_update(state, copy, UInt64(copy.count))
            }
            crypto_generichash_final(state, &digest, count)
        }
        return digest
    }
}

extension Partition {
    /// The partition of a person: low 6 bits of the first byte of SHA-256(its 16 bytes).
    public static func of(_ person: PersonID) -> Partition {
        Partition(firstDigestByte: Hash.sha256(person.raw.bytes)[0])
    }
}
