import Model

/// Credentials by id, by hash and by person.
///
/// Hashes are stored compactly: 100,000 of them as text take 11 MB, here each is 32 bytes in its
/// row.
struct CredentialTable: Hashable, Sendable {
    /// A credential without its id, which is the key.
    private struct Row: Hashable, Sendable {
        /// Nil for a hash that is not 64 digits; ``texts`` contains it then.
        var digest: Digest?
        var person: PersonID?
        var device: DeviceID?
        var kind: CredentialKind
        var name: String
        var created: Timestamp
        var expires: Timestamp?

        func credential(_ id: CredentialID, hash: String) -> Credential {
            Credential(
                id: id, hash: hash, kind: kind, person: person, device: device, name: name,
                created: created, expires: expires)
        }
    }

    private var rows = Table<CredentialID, Row>()
    /// Ids by the first 16 bytes of the hash; the row has all of it.
    private var idOfHash = Table<ID128, CredentialID>()
    /// Hashes that are not 64 digits, as text.
    private var texts: [CredentialID: String] = [:]
    private var idsOfPerson = Lists<PersonID, CredentialID>()

    var count: Int { rows.count }
    var isEmpty: Bool { rows.isEmpty }
    /// In arbitrary order.
    var keys: [CredentialID] { rows.keys }
    /// In arbitrary order.
    var values: [Credential] { rows.keys.compactMap { self[$0] } }

    /// The ids of expired credentials, in arbitrary order.
    func expired(at now: Timestamp) -> [CredentialID] {
        rows.keys.filter { id in
            rows.read(id) { row in row.expires.map { $0 <= now } ?? false } ?? false
        }
    }

    /// The credential with an id. Setting it to nil removes it.
    subscript(id: CredentialID) -> Credential? {
        get {
            guard let row = rows[id] else { return nil }
            return row.credential(id, hash: row.digest?.text ?? texts[id] ?? "")
        }
        set {
            if let old = self[id] {
                let key = CredentialTable.key(old.hash, Digest(old.hash))
                if idOfHash[key] == id { idOfHash[key] = nil }
                texts[id] = nil
                if let person = old.person { idsOfPerson.remove(id, under: person) }
            }
            guard let newValue else {
                rows[id] = nil
                return
            }
            let digest = Digest(newValue.hash)
            rows[id] = Row(
                digest: digest, person: newValue.person, device: newValue.device,
                kind: newValue.kind, name: newValue.name, created: newValue.created,
                expires: newValue.expires)
            if digest == nil { texts[id] = newValue.hash }
            idOfHash[CredentialTable.key(newValue.hash, digest)] = id
            if let person = newValue.person { idsOfPerson.insert(id, under: person) }
        }
    }

    /// The ids of the credentials of a person and of all their devices, ascending.
    func ids(of person: PersonID) -> [CredentialID] { idsOfPerson[person] ?? [] }

    /// Returns the credential with a hash.
    func credential(hash: String) -> Credential? {
        let digest = Digest(hash)
        guard let id = idOfHash[CredentialTable.key(hash, digest)], let row = rows[id],
            row.digest == digest, digest != nil || texts[id] == hash
        else { return nil }
        return row.credential(id, hash: hash)
    }

    private static func key(_ hash: String, _ digest: Digest?) -> ID128 {
        if let digest { return digest.beginning }
        return ID128(high: 0, low: hash.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    }
}

/// 32 bytes, written as 64 lower-case hexadecimal digits.
private struct Digest: Hashable, Sendable {
    /// The first sixteen bytes.
    let beginning: ID128
    private let rest: ID128

    /// Nil for any other text.
    init?(_ text: String) {
        guard text.utf8.count == 64 else { return nil }
        let found =
            text.utf8.withContiguousStorageIfAvailable { Digest.read($0) }
            ?? Array(text.utf8).withUnsafeBufferPointer { Digest.read($0) }
        guard let found else { return nil }
        (beginning, rest) = found
    }

    private static func read(_ digits: UnsafeBufferPointer<UInt8>) -> (ID128, ID128)? {
        var isRead = true
        func word(_ start: Int) -> UInt64 {
            var word: UInt64 = 0
            for digit in digits[start..<start + 16] {
                switch digit {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): word = word << 4 | UInt64(digit - 48)
                case UInt8(ascii: "a")...UInt8(ascii: "f"): word = word << 4 | UInt64(digit - 87)
                default: isRead = false
                }
            }
            return word
        }
        let beginning = ID128(high: word(0), low: word(16))
        let rest = ID128(high: word(32), low: word(48))
        return isRead ? (beginning, rest) : nil
    }

    var text: String {
        let words = [beginning.high, beginning.low, rest.high, rest.low]
        return String(unsafeUninitializedCapacity: 64) { digits in
            for index in 0..<64 {
                let value = UInt8(words[index / 16] >> (60 - UInt64(index % 16) * 4) & 15)
                digits[index] = value < 10 ? 48 + value : 87 + value
            }
            return 64
        }
    }
}
