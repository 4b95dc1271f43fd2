/// Why the response of an authenticator is rejected.
public enum PasskeyRejection: String, Error, Hashable, Sendable, CaseIterable {
    /// Not a response of an authenticator, or data that does not belong together.
    case malformed
    /// A registration in place of a sign-in, or the reverse.
    case ceremony
    /// Made for another challenge.
    case challenge
    /// Made on a page of another site.
    case origin
    /// Made for another relying party.
    case relyingParty = "relying-party"
    /// Nobody touched the authenticator.
    case userPresence = "user-presence"
    /// The authenticator did not verify who touched it, by PIN or biometrics.
    case userVerification = "user-verification"
    /// The key has an algorithm that is not supported.
    case algorithm
    case signature
    /// The counter did not increase: the authenticator may have been copied.
    case counter

    public var explanation: String {
        switch self {
        case .malformed: "the response of the authenticator cannot be read"
        case .ceremony: "the response of the authenticator is of another kind"
        case .challenge: "the response of the authenticator belongs to another request"
        case .origin: "the response of the authenticator was made on another site"
        case .relyingParty: "the passkey belongs to another site"
        case .userPresence: "the authenticator was not touched"
        case .userVerification: "the authenticator did not verify its user"
        case .algorithm: "the algorithm of the passkey is not supported"
        case .signature: "the signature of the passkey is wrong"
        case .counter: "the counter of the passkey did not increase: it may have been copied"
        }
    }
}
