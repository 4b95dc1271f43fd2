import Model

/// A code that was requested for a contact, known or not, and not entered yet.
public struct SignInCode: Hashable, Sendable, Codable {
    public var contact: ContactPointKey
    public var code: OneTimeCode
}

/// A request that counts against limits. Kept for a day.
public struct SignInAttempt: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A code was requested.
        case code
        /// A wrong code was entered.
        case wrong
    }

    public var kind: Kind
    public var contact: ContactPointKey
    public var network: NetworkKey
    public var at: Timestamp
    /// Whether a code was sent by SMS.
    public var isText: Bool
}

/// Identifies the network of a client without revealing its address.
public struct NetworkKey: Hashable, Sendable, Codable {
    public var hash: String

    public init(_ hash: String) { self.hash = hash }
}

/// A change of rows.
public enum SignInChange: Hashable, Sendable {
    case save(SignInCode)
    case remove(ContactPointKey)
    case attempted(SignInAttempt)
    /// Attempts up to this time are forgotten.
    case forgotten(until: Timestamp)
}

/// The attempts of the last day, by what limits count.
struct SignInAttempts: Sendable {
    /// What is limited.
    enum Key: Hashable {
        case contact(ContactPointKey)
        case network(NetworkKey)
    }

    private struct Counted: Hashable {
        let kind: SignInAttempt.Kind
        let key: Key
    }

    /// Ascending by time.
    private var all: [SignInAttempt] = []
    private var times: [Counted: [Timestamp]] = [:]
    private var texts: [Timestamp] = []

    /// Up to which time attempts have to be forgotten to make room; nil = there is room. Nobody can
    /// lock others out by many requests: a limit is forgotten only after as many of them.
    var surplus: Timestamp? {
        all.count < Limits.signInAttemptsMax ? nil : all[all.count / 10].at
    }

    mutating func append(_ attempt: SignInAttempt) {
        all.append(attempt)
        for key in [Key.contact(attempt.contact), .network(attempt.network)] {
            times[Counted(kind: attempt.kind, key: key), default: []].append(attempt.at)
        }
        if attempt.isText { texts.append(attempt.at) }
    }

    /// SMS sent since a time.
    func texts(since start: Timestamp) -> Int {
        texts.count - (texts.firstIndex { $0 > start } ?? texts.endIndex)
    }

    /// How long to wait until fewer than `max` attempts are within a window; nil = not at all.
    func wait(
        _ kind: SignInAttempt.Kind, _ key: Key, max: Int, within window: Duration,
        at now: Timestamp
    ) -> Duration? {
        guard max > 0 else { return nil }
        let recent = (times[Counted(kind: kind, key: key)] ?? []).suffix(max)
        guard recent.count == max, let first = recent.first, now - first < window else {
            return nil
        }
        // A clock that was set back does not prolong the wait.
        return min(first + window - now, window)
    }

    mutating func removeAll(until end: Timestamp) {
        guard let first = all.first, first.at <= end else { return }
        all.removeAll { $0.at <= end }
        texts.removeAll { $0 <= end }
        times = times.compactMapValues { times in
            let rest = times.filter { $0 > end }
            return rest.isEmpty ? nil : rest
        }
    }
}
