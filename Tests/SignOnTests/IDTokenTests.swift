import Model
import Parsing
import SignOn
import TestSupport
import Testing

private let issuer = "https://id.example.org"
private let now = Timestamp(seconds: 1_795_000_000)
private let expected = IDToken.Expectation(issuer: issuer, client: "jaga", nonce: "n-1")

/// The claims of a valid ID token, some of them changed; a null removes a claim.
private func claims(_ changes: [(String, JSON)] = []) -> JSON {
    var members: [(String, JSON)] = [
        ("iss", .string(issuer)), ("sub", "anna-1"), ("aud", "jaga"),
        ("iat", .integer(now.seconds)), ("exp", .integer(now.seconds + 300)), ("nonce", "n-1"),
        ("sid", "s-1"),
    ]
    for (name, value) in changes {
        members.removeAll { $0.0 == name }
        if !value.isNull { members.append((name, value)) }
    }
    return .object(members.map { JSON.Member($0.0, $0.1) })
}

private func rejection(_ body: () throws(TokenRejection) -> IDToken) -> TokenRejection? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

@Suite struct `An ID token` {
    let ec: TokenSigner
    let keys: KeySet

    init() throws {
        ec = try TokenSigner(.ec)
        keys = try #require(KeySet(jwks: TokenSigner.keys(ec)))
    }

    private func verify(
        _ token: String, _ algorithm: SignatureAlgorithm = .es256, at time: Timestamp = now
    ) throws(TokenRejection) -> IDToken {
        try IDToken(token, algorithm: algorithm, keys: keys, expecting: expected, at: time)
    }

    @Test(arguments: [("id_rs256", SignatureAlgorithm.rs256), ("id_es256", .es256)])
    func `made by PyJWT is accepted`(name: String, algorithm: SignatureAlgorithm) throws {
        let text = try #require(try TokenSigner.golden("tokens")[name]?.string)
        let golden = try #require(KeySet(jwks: TokenSigner.keys(with: TokenSigner.golden("keys"))))
        let token = try IDToken(
            text, algorithm: algorithm, keys: golden, expecting: expected, at: now)
        #expect(token.issuer == issuer)
        #expect(token.subject == "anna-1")
        #expect(token.session == "s-1")
        #expect(token.expires == now + .seconds(300))
        #expect(token.claims["email"] == "anna@example.org")
    }

    @Test func `cannot choose its algorithm`() throws {
        let golden = try TokenSigner.golden("tokens")
        let rsa = try #require(golden["id_rs256"]?.string)
        #expect(rejection { () throws(TokenRejection) in try verify(rsa) } == .algorithm)
        let forged = try #require(golden["hs"]?.string)
        #expect(rejection { () throws(TokenRejection) in try verify(forged, .rs256) } == .algorithm)
        // {"alg":"none"} with the claims of a valid token and no signature.
        let parts = try #require(golden["id_es256"]?.string).split(separator: ".")
        let unsigned = "eyJhbGciOiJub25lIn0." + parts[1] + "."
        #expect(rejection { () throws(TokenRejection) in try verify(unsigned) } == .algorithm)
    }

    @Test(
        arguments: [
            ("iss", "https://other.example.org", TokenRejection.issuer),
            ("iss", nil, .issuer),
            ("aud", "other", .audience),
            ("aud", ["other", "another"], .audience),
            ("aud", nil, .audience),
            ("aud", ["jaga", "other"], .authorizedParty),
            ("azp", "other", .authorizedParty),
            ("exp", .integer(1_795_000_000), .expired),
            ("exp", nil, .expired),
            ("exp", "soon", .expired),
            ("exp", 1e300, .expired),
            ("iat", .integer(1_795_000_061), .issuedInFuture),
            ("iat", nil, .issuedInFuture),
            ("nonce", "n-2", .nonce),
            ("nonce", nil, .nonce),
            ("sub", "", .subject),
            ("sub", 7, .subject),
            ("sub", nil, .subject),
            ("sub", .string(String(repeating: "x", count: 256)), .subject),
        ] as [(String, JSON, TokenRejection)])
    func `with a wrong claim is rejected`(
        name: String, value: JSON, reason: TokenRejection
    ) throws {
        let token = ec.sign(claims([(name, value)]))
        #expect(rejection { () throws(TokenRejection) in try verify(token) } == reason)
    }

    @Test func `for several clients names the one that it is for`() throws {
        let token = ec.sign(claims([("aud", ["other", "jaga"]), ("azp", "jaga")]))
        #expect(try verify(token).subject == "anna-1")
    }

    @Test func `may be issued a minute ahead of this clock`() throws {
        let token = ec.sign(claims([("iat", .integer(now.seconds + 60))]))
        #expect(try verify(token).issued == now + .seconds(60))
    }

    @Test func `signed by an unknown key is told from a wrong signature`() throws {
        let other = try TokenSigner(.ec2)
        let unknown = other.sign(claims())
        #expect(rejection { () throws(TokenRejection) in try verify(unknown) } == .unknownKey)
        let forged = other.sign(claims(), keyID: ec.id)
        #expect(rejection { () throws(TokenRejection) in try verify(forged) } == .signature)
    }

    @Test func `needs no key id if there is one key`() throws {
        let token = ec.sign(claims(), keyID: "")
        #expect(try verify(token).subject == "anna-1")
        let two = try #require(KeySet(jwks: TokenSigner.keys(ec, try TokenSigner(.ec2))))
        #expect(
            rejection { () throws(TokenRejection) in
                try IDToken(token, algorithm: .es256, keys: two, expecting: expected, at: now)
            } == .unknownKey)
    }

    @Test func `that demands an extension is rejected`() {
        let token = ec.sign(claims(), critical: true)
        #expect(rejection { () throws(TokenRejection) in try verify(token) } == .header)
    }

    @Test(arguments: 0..<20)
    func `that is changed anywhere is rejected`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\0".utf8)
        for _ in 0..<50 {
            var bytes = Array(ec.sign(claims()).utf8)
            let original = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(byte, at: index)
                case 2: bytes.removeLast(bytes.count - index)
                default: bytes[index] = byte
                }
                if bytes.isEmpty { break }
            }
            guard bytes != original else { continue }
            let token = String(decoding: bytes, as: UTF8.self)
            #expect(rejection { () throws(TokenRejection) in try verify(token) } != nil)
        }
    }

    @Test(arguments: 0..<20)
    func `of random bytes is rejected`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let token = String(decoding: bytes, as: UTF8.self)
            #expect(rejection { () throws(TokenRejection) in try verify(token) } != nil)
        }
    }

    @Test func `that is too long is rejected`() {
        let token = ec.sign(claims([("x", .string(String(repeating: "x", count: 20_000)))]))
        #expect(rejection { () throws(TokenRejection) in try verify(token) } == .malformed)
    }
}

@Suite struct `A set of keys` {
    @Test(arguments: [
        "", "[]", "{}", #"{"keys":7}"#, #"{"keys":{}}"#, "\u{0}",
    ])
    func `is a JWKS document`(text: String) {
        #expect(KeySet(jwks: Array(text.utf8)) == nil)
    }

    @Test func `skips keys that cannot sign`() throws {
        let ec = try TokenSigner(.ec).publicKey
        func with(_ name: String, _ value: JSON) -> JSON {
            .object((ec.object ?? []).filter { $0.key != name } + [.init(name, value)])
        }
        let list: [JSON] = [
            ec, with("use", "sig"), with("alg", "ES256"),
            // Encryption, another algorithm, another curve, a point beside the curve, no type.
            with("use", "enc"), with("alg", "ES384"), with("crv", "P-384"),
            with("x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), with("x", 7),
            with("kty", "oct"),
            with("kty", .null), ["kty": "RSA", "n": "AQAB", "e": "AQAB"], 7, .null,
        ]
        let keys = KeySet(jwks: JSON.object([.init("keys", .array(list))]).serialized())
        #expect(keys?.count == 3)
    }
}
