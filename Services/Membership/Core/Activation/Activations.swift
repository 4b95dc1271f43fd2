import Model

/// A code with which a new account gets its first credential. Only its digest is stored.
public struct Activation: Hashable, Sendable, Codable {
    public var person: PersonID
    /// SHA-256 of the code's text, as 64 lower-case hexadecimal digits.
    public var hash: String
    public var expires: Timestamp

    public init(person: PersonID, hash: String, expires: Timestamp) {
        self.person = person
        self.hash = hash
        self.expires = expires
    }
}

/// Changes of rows of activation codes.
public enum ActivationChange: Hashable, Sendable {
    case save(Activation)
    case remove(PersonID)
}

/// Activation codes of accounts that the operator created.
///
/// Only people create credentials that act as them, so a new account needs a way to its first one.
/// The operator gets a code once, when they create the account, and passes it on. It works once,
/// for ``Limits/activationAgeMax``, and only while the account has no credential of its own: nobody
/// can use it to get into an account that is in use.
public struct Activations: Sendable {
    private var rows: [PersonID: Activation] = [:]

    public init(_ rows: [Activation] = []) {
        for row in rows { apply(.save(row)) }
    }

    /// Whether a code is valid. Unknown people and wrong codes take the same time.
    func accepts(_ hash: String, of person: PersonID, at now: Timestamp) -> Bool {
        let row = rows[person]
        let expected = row?.hash ?? String(repeating: "0", count: 64)
        let difference = zip(expected.utf8, hash.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        let isEqual = difference == 0 && expected.utf8.count == hash.utf8.count
        return isEqual && row.map { $0.expires > now } ?? false
    }

    /// The change that an event of the directory causes: the code is void once its person is gone
    /// or has a credential. Nil if there is none.
    func change(after event: EventBody) -> ActivationChange? {
        var person: PersonID?
        if case .personRemoved(let removal) = event { person = removal.person }
        if case .credentialChanged(let credential) = event, credential.kind != .report {
            person = credential.person
        }
        return person.flatMap { rows[$0] }.map { .remove($0.person) }
    }

    /// The rows that have expired.
    func expired(at now: Timestamp) -> [ActivationChange] {
        rows.values.filter { $0.expires <= now }.map { .remove($0.person) }
    }

    mutating func apply(_ change: ActivationChange) {
        switch change {
        case .save(let row): rows[row.person] = row
        case .remove(let person): rows[person] = nil
        }
    }
}
