import Model
import Parsing
import SignOn
import TestSupport
import Testing

private let issuer = "https://id.example.org"
private let now = Timestamp(seconds: 1_795_000_000)
private let event = "http://schemas.openid.net/event/backchannel-logout"

private func claims(_ changes: [(String, JSON)] = []) -> JSON {
    var members: [(String, JSON)] = [
        ("iss", .string(issuer)), ("aud", "jaga"), ("iat", .integer(now.seconds)),
        ("jti", "j-1"), ("sid", "s-1"), ("sub", "anna-1"),
        ("events", .object([.init(event, .object([]))])),
    ]
    for (name, value) in changes {
        members.removeAll { $0.0 == name }
        if !value.isNull { members.append((name, value)) }
    }
    return .object(members.map { JSON.Member($0.0, $0.1) })
}

@Suite struct `A logout token` {
    let ec: TokenSigner
    let keys: KeySet

    init() throws {
        ec = try TokenSigner(.ec)
        keys = try #require(
            KeySet(jwks: TokenSigner.keys(ec, with: TokenSigner.golden("keys"))))
    }

    private func verify(_ token: String) throws(TokenRejection) -> LogoutToken {
        try LogoutToken(
            token, algorithm: .es256, keys: keys, issuer: issuer, client: "jaga", at: now)
    }

    private func rejection(_ token: String) -> TokenRejection? {
        do {
            _ = try verify(token)
            return nil
        } catch {
            return error
        }
    }

    @Test func `made by PyJWT is accepted`() throws {
        let text = try #require(try TokenSigner.golden("tokens")["logout"]?.string)
        let token = try verify(text)
        #expect(token.target == .session("s-1"))
        #expect(token.id == "j-1")
        #expect(token.forgotten > now + LogoutToken.ageMax)
    }

    @Test func `without a session ends all of its subject`() throws {
        #expect(try verify(ec.sign(claims([("sid", .null)]))).target == .subject("anna-1"))
    }

    @Test(
        arguments: [
            ("iss", "https://other.example.org", TokenRejection.issuer),
            ("aud", "other", .audience),
            ("iat", .integer(1_795_000_061), .issuedInFuture),
            ("iat", .integer(1_794_999_400), .issuedLongAgo),
            ("exp", .integer(1_795_000_000), .expired),
            ("exp", "soon", .expired),
            ("events", nil, .events),
            ("events", "x", .events),
            ("events", ["http://schemas.openid.net/event/other": [:]], .events),
            ("nonce", "n-1", .nonce),
            ("jti", nil, .tokenID),
            ("jti", "", .tokenID),
        ] as [(String, JSON, TokenRejection)])
    func `with a wrong claim is rejected`(name: String, value: JSON, reason: TokenRejection) {
        #expect(rejection(ec.sign(claims([(name, value)]))) == reason)
    }

    @Test func `names a session or a subject`() {
        #expect(rejection(ec.sign(claims([("sid", .null), ("sub", .null)]))) == .subject)
    }

    @Test func `is no ID token`() throws {
        let text = try #require(try TokenSigner.golden("tokens")["id_es256"]?.string)
        #expect(rejection(text) == .events)
    }
}
