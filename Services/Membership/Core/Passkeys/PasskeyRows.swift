import Model
import SignOn

/// A passkey of a person.
public struct Passkey: Hashable, Sendable, Codable {
    public var id: PasskeyID
    public var person: PersonID
    /// Chosen by its person, such as "My phone"; may be empty.
    public var name: String
    public var key: PasskeyKey
    public var created: Timestamp
}

/// A challenge that an authenticator has to sign, once.
public struct PasskeyChallenge: Hashable, Sendable, Codable {
    /// What it is for.
    public enum Purpose: Hashable, Sendable, Codable {
        case signIn
        /// A new passkey of a person.
        case register(PersonID)
    }

    /// SHA-256 of the challenge, hexadecimal.
    public var id: String
    public var purpose: Purpose
    public var expires: Timestamp
}

/// A change of the rows of ``Passkeys``.
public enum PasskeyChange: Hashable, Sendable {
    case save(Passkey)
    case remove(PasskeyID)
    case saveChallenge(PasskeyChallenge)
    case removeChallenge(String)
}

/// Why a request about passkeys was rejected. Nothing was changed, but its challenge is used.
public enum PasskeyDenial: Hashable, Sendable {
    /// The person does not exist, or is somebody else.
    case notYours
    /// Passkeys do not work at the address of this server.
    case unavailable
    case tooMany
    case full
    /// The challenge is unknown, used, or has expired.
    case challenge
    /// No such passkey.
    case unknown
    /// Somebody has registered it already.
    case known
    case rejected(PasskeyRejection)

    /// Short form for logs.
    public var reason: String {
        switch self {
        case .notYours: "not-yours"
        case .unavailable: "unavailable"
        case .tooMany: "too-many"
        case .full: "full"
        case .challenge: "challenge"
        case .unknown: "unknown"
        case .known: "known"
        case .rejected(let rejection): rejection.rawValue
        }
    }
}
