import Model
import Parsing

/// Verified ID token (OpenID Connect Core, section 2): who has signed in at a provider.
///
/// ```swift
/// let token = try IDToken(
///     text, algorithm: .rs256, keys: keys,
///     expecting: .init(issuer: "https://id.example.org", client: "jaga", nonce: nonce), at: now)
/// let person = identities[token.issuer, token.subject]
/// ```
public struct IDToken: Hashable, Sendable {
    public let issuer: String
    /// `sub`: the person at this issuer, for ever. Everything else may change.
    public let subject: String
    /// `sid`: the session at the provider, for logout; nil if the provider has none.
    public let session: String?
    public let issued: Timestamp
    public let expires: Timestamp
    /// All claims.
    public let claims: JSON

    /// What a token must say to be accepted.
    public struct Expectation: Hashable, Sendable {
        public var issuer: String
        /// The id of this client at the provider.
        public var client: String
        public var nonce: String

        public init(issuer: String, client: String, nonce: String) {
            self.issuer = issuer
            self.client = client
            self.nonce = nonce
        }
    }

    /// How far the provider's clock may be ahead.
    public static let clockTolerance = Duration.seconds(60)
    static let subjectBytesMax = 255
    /// Some providers seal the state of a session in its id.
    static let sessionBytesMax = 2048

    /// Verifies a token.
    ///
    /// - Throws: ``TokenRejection``: the first reason, the signature before the claims
    public init(
        _ text: String, algorithm: SignatureAlgorithm, keys: KeySet,
        expecting expected: Expectation, at now: Timestamp
    ) throws(TokenRejection) {
        let claims = Claims(
            try SignedToken(text).payload(algorithm: algorithm, keys: keys))
        try claims.check(issuer: expected.issuer, client: expected.client)
        guard let expires = claims.time("exp"), expires > now else { throw .expired }
        guard let issued = claims.time("iat"), issued <= now + IDToken.clockTolerance else {
            throw .issuedInFuture
        }
        guard claims.json["nonce"]?.string == expected.nonce else { throw .nonce }
        guard let subject = try claims.subject else { throw .subject }
        issuer = expected.issuer
        self.subject = subject
        session = claims.session
        self.issued = issued
        self.expires = expires
        self.claims = claims.json
    }
}

/// Claims of a token whose signature is verified.
struct Claims {
    let json: JSON

    init(_ json: JSON) { self.json = json }

    /// Checks who issued the token, and for whom.
    func check(issuer: String, client: String) throws(TokenRejection) {
        guard json["iss"]?.string == issuer else { throw .issuer }
        let audiences =
            json["aud"]?.array?.compactMap(\.string) ?? [json["aud"]?.string].compactMap(\.self)
        guard audiences.contains(client) else { throw .audience }
        let authorized = json["azp"]
        guard audiences.count == 1 || authorized != nil else { throw .authorizedParty }
        guard authorized.map({ $0.string == client }) ?? true else { throw .authorizedParty }
    }

    /// A time in seconds since 1970; nil if it is missing or not a plausible time.
    func time(_ name: String) -> Timestamp? {
        guard let seconds = json[name]?.double, abs(seconds) < 1e11 else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }

    /// Nil if the token has none.
    ///
    /// - Throws: ``TokenRejection/subject`` if it is no text of 1 to 255 bytes
    var subject: String? {
        get throws(TokenRejection) { try text("sub", bytesMax: IDToken.subjectBytesMax) }
    }

    /// `sid`; nil if it is missing or not usable.
    var session: String? { try? text("sid", bytesMax: IDToken.sessionBytesMax) }

    private func text(_ name: String, bytesMax: Int) throws(TokenRejection) -> String? {
        guard let value = json[name] else { return nil }
        guard let text = value.string, (1...bytesMax).contains(text.utf8.count)
        else { throw .subject }
        return text
    }
}
