import Model

/// A pending code of six digits. Only its digest is stored.
public struct OneTimeCode: Hashable, Sendable, Codable {
    /// Keyed digest of the code.
    public var digest: CodeDigest
    public var expires: Timestamp
    /// Wrong attempts left before the code is void.
    public var triesLeft: Int

    public init(_ digest: CodeDigest, expires: Timestamp) {
        self.digest = digest
        self.expires = expires
        triesLeft = Limits.codeTriesMax
    }

    /// Result of entering a code.
    enum Entry: Hashable {
        case right
        case wrong(triesLeft: Int)
        case expired
        /// Too many wrong codes were entered before.
        case void
    }

    /// Whether the code can still be entered.
    ///
    /// - Parameter age: its validity. A clock that was set back since makes the code void, so that
    ///   it is not valid for longer.
    func isValid(at now: Timestamp, for age: Duration) -> Bool {
        triesLeft > 0 && isCurrent(at: now, for: age)
    }

    private func isCurrent(at now: Timestamp, for age: Duration) -> Bool {
        now < expires && expires - now <= age + Limits.codeClockStepMax
    }

    /// Enters a code; a wrong one costs a try.
    mutating func enter(_ typed: CodeDigest, at now: Timestamp, for age: Duration) -> Entry {
        guard isCurrent(at: now, for: age) else { return .expired }
        guard triesLeft > 0 else { return .void }
        if digest.equals(typed) { return .right }
        triesLeft -= 1
        return .wrong(triesLeft: triesLeft)
    }
}

/// Digest of a code: 64 hexadecimal digits of a hash over code and subject. The key is in no store.
/// The daemon computes it, so that no code reaches the core.
public struct CodeDigest: Hashable, Sendable, Codable {
    public var text: String

    public init(_ text: String) { self.text = text }

    /// Compares in a time that depends on the lengths only.
    func equals(_ other: CodeDigest) -> Bool {
        guard text.utf8.count == other.text.utf8.count else { return false }
        return zip(text.utf8, other.text.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
