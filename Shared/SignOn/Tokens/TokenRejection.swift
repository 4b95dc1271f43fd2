/// Why a token of a provider is rejected. Contains nothing of the token.
public enum TokenRejection: String, Error, Hashable, Sendable, CaseIterable {
    /// Not a compact JWS of three canonical base64url parts with a JSON payload, or too long.
    case malformed
    /// Signed with another algorithm than the provider's, or not at all.
    case algorithm
    /// Its header demands extensions (`crit`), which are not supported.
    case header
    /// The provider's keys do not contain the key: they may have been rotated.
    case unknownKey = "unknown-key"
    case signature
    case issuer
    /// Made for another client.
    case audience
    /// Made for several clients, and authorised to another one (`azp`).
    case authorizedParty = "authorized-party"
    case expired
    /// Issued in the future: the clock of this server or of the provider is wrong.
    case issuedInFuture = "issued-in-future"
    /// Issued too long ago.
    case issuedLongAgo = "issued-long-ago"
    /// Not made for this sign-in (ID token), or an ID token in place of a logout token.
    case nonce
    /// Has no subject, or a subject that is too long.
    case subject
    /// Has no token id (`jti`).
    case tokenID = "token-id"
    /// Not a logout event.
    case events

    /// What an operator or a developer can do about it.
    public var explanation: String {
        switch self {
        case .malformed: "the token is not a signed JSON Web Token"
        case .algorithm: "the token is not signed with the algorithm that is set for the provider"
        case .header: "the token requires an extension that is not supported"
        case .unknownKey: "the provider does not publish the key that signed the token"
        case .signature: "the signature of the token is wrong"
        case .issuer: "the token is of another issuer"
        case .audience: "the token is made for another client"
        case .authorizedParty: "the token is authorised to another client"
        case .expired: "the token has expired"
        case .issuedInFuture: "the token is issued in the future: compare the clocks"
        case .issuedLongAgo: "the token is issued too long ago"
        case .nonce: "the token is made for another sign-in"
        case .subject: "the token names no subject"
        case .tokenID: "the token has no id"
        case .events: "the token is not a logout token"
        }
    }
}
