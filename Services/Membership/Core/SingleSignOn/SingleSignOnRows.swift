import Model

/// A sign-in at a provider that was started and has not come back.
public struct SignInFlow: Hashable, Sendable, Codable {
    /// What it is for.
    public enum Purpose: Hashable, Sendable, Codable {
        case signIn
        /// Joins the identity to the account of a person with a session.
        case join(PersonID)
    }

    /// SHA-256 of `state`, hexadecimal: the state itself is only in the browser's hands.
    public var id: String
    public var provider: String
    public var purpose: Purpose
    public var nonce: String
    /// Secret of PKCE.
    public var verifier: String
    /// SHA-256 of the cookie of the browser that started it, hexadecimal.
    public var browser: String
    /// Path of the page to show afterwards.
    public var page: String
    public var expires: Timestamp
}

/// Somebody at a provider: issuer and subject, which never change.
public struct IdentityKey: Hashable, Sendable, Codable, Comparable {
    public var issuer: String
    public var subject: String

    public init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }

    public static func < (left: IdentityKey, right: IdentityKey) -> Bool {
        (left.issuer, left.subject) < (right.issuer, right.subject)
    }
}

/// The person behind an identity at a provider.
public struct Identity: Hashable, Sendable, Codable {
    public var key: IdentityKey
    public var person: PersonID
    public var joined: Timestamp
    /// Addresses of contact points that came from the provider.
    public var addresses: [String]
    /// Circles that a group of the provider invited the person to; ascending.
    public var circles: [CircleID]
}

/// A session that was opened by a provider, which can end it.
public struct ProviderSession: Hashable, Sendable, Codable {
    /// Id of the session: that of its first credential.
    public var id: CredentialID
    public var person: PersonID
    public var provider: String
    public var key: IdentityKey
    /// `sid` at the provider; nil = it has none.
    public var session: String?
    /// The ID token, by which the provider recognises the session at logout.
    public var hint: String
}

/// A logout token that was used. It must not be used again as long as it is valid.
public struct UsedLogoutToken: Hashable, Sendable, Codable {
    /// SHA-256 over issuer and `jti`, hexadecimal.
    public var id: String
    public var forgotten: Timestamp
}

/// A change of the rows of ``SingleSignOn``.
public enum SingleSignOnChange: Hashable, Sendable {
    case saveFlow(SignInFlow)
    case removeFlow(String)
    case saveIdentity(Identity)
    case removeIdentity(IdentityKey)
    case saveSession(ProviderSession)
    case removeSession(CredentialID)
    case saveToken(UsedLogoutToken)
    case removeToken(String)
}
