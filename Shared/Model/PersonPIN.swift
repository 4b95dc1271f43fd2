/// Hashes of a person's PIN and duress PIN. Only its person may learn whether a PIN is set, and
/// nobody whether a duress PIN is.
///
/// Every service that asks for a PIN needs it, so it travels on `directory`, but `jaga tail` shows
/// no such record, not even masked.
public struct PersonPIN: DirectoryPayload {
    /// Number of hashes in ``hashes``.
    public static let slots = 4

    public var person: PersonID
    /// 16 random bytes in hexadecimal digits; stays the same until the PIN is removed.
    public var salt: String
    /// Hexadecimal digits: that of the PIN, then those of duress PINs. Unused ones are random
    /// bytes, so that neither the store nor the stream shows which are in use. Empty = no PIN.
    public var hashes: [String]
    /// Whether the person is shown that a PIN is set. A person who removes the PIN with a duress
    /// PIN is shown that there is none; from then on what needs no PIN counts as under duress.
    public var isShown: Bool

    public init(person: PersonID, salt: String = "", hashes: [String] = [], isShown: Bool = true) {
        self.person = person
        self.salt = salt
        self.hashes = hashes
        self.isShown = isShown
    }

    /// Whether a text can be a PIN: 4 to 8 digits.
    public static func isValid(_ digits: String) -> Bool {
        (4...8).contains(digits.utf8.count) && digits.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// The PIN of the person.
    public var entity: ID128 { person.raw }

    /// Whether there is no PIN. Such a record is not stored.
    public var isEmpty: Bool { hashes.isEmpty }
}
