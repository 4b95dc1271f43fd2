import Model
import Parsing

/// Verified logout token (OpenID Connect Back-Channel Logout, section 2.4): a provider ends
/// sessions.
public struct LogoutToken: Hashable, Sendable {
    /// Which sessions end.
    public enum Target: Hashable, Sendable {
        /// All of a subject.
        case subject(String)
        /// Those of one session at the provider.
        case session(String)
    }

    public let target: Target
    /// `jti`. A token counts once: remember it until ``forgotten``.
    public let id: String
    /// When the token is too old to be accepted again.
    public let forgotten: Timestamp

    /// How old a token may be.
    public static let ageMax = Duration.seconds(600)
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Verifies a token. Whether its id was used before is up to the caller.
    ///
    /// - Throws: ``TokenRejection``: the first reason, the signature before the claims
    public init(
        _ text: String, algorithm: SignatureAlgorithm, keys: KeySet, issuer: String,
        client: String, at now: Timestamp
    ) throws(TokenRejection) {
        let claims = Claims(
            try SignedToken(text).payload(algorithm: algorithm, keys: keys))
        try claims.check(issuer: issuer, client: client)
        guard let issued = claims.time("iat"), issued <= now + IDToken.clockTolerance else {
            throw .issuedInFuture
        }
        guard issued > now - LogoutToken.ageMax else { throw .issuedLongAgo }
        // Older versions of the specification have no expiry.
        guard claims.json["exp"] == nil || claims.time("exp").map({ $0 > now }) == true else {
            throw .expired
        }
        guard claims.json["events"]?[LogoutToken.event]?.object != nil else { throw .events }
        // An ID token must not end sessions.
        guard claims.json["nonce"] == nil else { throw .nonce }
        guard let id = claims.json["jti"]?.string,
            (1...IDToken.subjectBytesMax).contains(id.utf8.count)
        else { throw .tokenID }
        if let session = claims.session {
            target = .session(session)
        } else if let subject = try claims.subject {
            target = .subject(subject)
        } else {
            throw .subject
        }
        self.id = id
        forgotten = issued + LogoutToken.ageMax + IDToken.clockTolerance
    }
}
