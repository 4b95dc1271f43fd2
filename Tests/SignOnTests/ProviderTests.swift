import Model
import Parsing
import SignOn
import Testing

private let issuer = "https://id.example.org"

private func document(_ changes: [(String, JSON)] = []) -> [UInt8] {
    var members: [(String, JSON)] = [
        ("issuer", .string(issuer)), ("authorization_endpoint", .string(issuer + "/authorize")),
        ("token_endpoint", .string(issuer + "/token")), ("jwks_uri", .string(issuer + "/keys")),
        ("end_session_endpoint", .string(issuer + "/logout")),
        ("id_token_signing_alg_values_supported", ["RS256", "ES256"]),
        ("code_challenge_methods_supported", ["plain", "S256"]),
    ]
    for (name, value) in changes {
        members.removeAll { $0.0 == name }
        if !value.isNull { members.append((name, value)) }
    }
    return JSON.object(members.map { JSON.Member($0.0, $0.1) }).serialized()
}

@Suite struct `A discovery document` {
    private func read(
        _ bytes: [UInt8]
    ) throws(ProviderMetadata.Rejection) -> ProviderMetadata {
        try ProviderMetadata(bytes, issuer: issuer, algorithm: .rs256)
    }

    @Test func `names the endpoints`() throws {
        let metadata = try read(document())
        #expect(metadata.tokenEndpoint == issuer + "/token")
        #expect(metadata.endSessionEndpoint == issuer + "/logout")
        #expect(metadata.authentication == .basic)
        #expect(!metadata.namesIssuer)
        let post = try read(
            document([("token_endpoint_auth_methods_supported", ["client_secret_post"])]))
        #expect(post.authentication == .post)
        #expect(try read(document([("end_session_endpoint", .null)])).endSessionEndpoint == nil)
    }

    @Test(
        arguments: [
            ("issuer", "https://id.example.org/", ProviderMetadata.Rejection.issuer),
            ("token_endpoint", nil, .endpoint),
            ("token_endpoint", "http://id.example.org/token", .endpoint),
            ("jwks_uri", "file:///etc/passwd", .endpoint),
            ("jwks_uri", "http://localhost@evil.test/", .endpoint),
            ("jwks_uri", "http://localhost.evil.test/", .endpoint),
            ("authorization_endpoint", "https://id.example.org/a b", .endpoint),
            ("id_token_signing_alg_values_supported", ["HS256"], .algorithm),
            ("code_challenge_methods_supported", ["plain"], .pkce),
            ("token_endpoint_auth_methods_supported", ["private_key_jwt"], .authentication),
        ] as [(String, JSON, ProviderMetadata.Rejection)])
    func `with a fault is rejected`(
        name: String, value: JSON, reason: ProviderMetadata.Rejection
    ) {
        #expect(throws: reason) { () throws(ProviderMetadata.Rejection) in
            try read(document([(name, value)]))
        }
        #expect(throws: ProviderMetadata.Rejection.malformed) {
            () throws(ProviderMetadata.Rejection) in try read(Array("<html>".utf8))
        }
    }

    @Test func `may name endpoints on this machine without TLS`() {
        #expect(ProviderMetadata.isUsable("http://127.0.0.1:8080/token"))
        #expect(ProviderMetadata.isUsable("http://localhost"))
        #expect(ProviderMetadata.isUsable("http://[::1]:80/"))
        #expect(!ProviderMetadata.isUsable("http://127.0.0.10/"))
    }

    @Test func `is below its issuer`() {
        let path = "https://id.example.org/a/.well-known/openid-configuration"
        #expect(ProviderMetadata.discoveryURL(of: "https://id.example.org/a") == path)
        #expect(ProviderMetadata.discoveryURL(of: "https://id.example.org/a/") == path)
    }
}

@Suite struct `An authorization request` {
    private let request = AuthorizationRequest(
        client: "jaga", redirect: "https://jaga.example.org/back", scopes: ["openid", "email"],
        state: "s&1", nonce: "n", verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")

    @Test func `hides its verifier`() {
        // The example of RFC 7636, appendix B.
        #expect(request.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        let url = request.url(at: "https://id.example.org/authorize?tenant=1")
        #expect(url.hasPrefix("https://id.example.org/authorize?tenant=1&response_type=code&"))
        #expect(url.contains("state=s%261"))
        #expect(url.contains("code_challenge_method=S256"))
        #expect(!url.contains(request.verifier))
    }

    @Test func `exchanges its code with the verifier`() {
        let form = request.exchange(of: "c", secret: nil)
        #expect(form["code_verifier"] == request.verifier)
        #expect(form["client_secret"] == nil)
        #expect(request.exchange(of: "c", secret: "x")["client_secret"] == "x")
    }
}
