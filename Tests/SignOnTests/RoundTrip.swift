import Hashing
import Model
import Parsing
import SignOn

#if canImport(TestSupport)
    import TestSupport
#endif

/// Invariant of everything that a provider or an authenticator sends: what nobody signed is
/// rejected, and what is accepted says what was expected. Checked by tests with samples, and by the
/// fuzzer.
enum RoundTrip {
    /// What the bytes are.
    enum Form: UInt8, CaseIterable {
        /// An ID token, as received.
        case idToken
        /// Claims of an ID token, which the provider has signed.
        case idClaims
        /// A logout token, as received.
        case logoutToken
        /// Claims of a logout token, which the provider has signed.
        case logoutClaims
        /// Header of a token that has another token's payload and signature.
        case header
        /// A JWKS document.
        case keys
        /// A discovery document.
        case metadata
        /// Client data and authenticator data of a new passkey.
        case registration
        /// Client data, authenticator data and signature of a sign-in.
        case assertion
    }

    static let issuer = "https://id.example.org"
    static let now = Timestamp(seconds: 1_795_000_000)
    private static let challenge = Array(UInt8(100)..<132)
    private static let subjectBytesMax = 255
    private static let metadataTexts = ["authorize", "token", "keys", "logout"]

    /// An input: the form in the first byte, then the bytes.
    static func input(_ form: Form, _ bytes: [UInt8]) -> [UInt8] { [form.rawValue] + bytes }

    /// Describes a violation; nil if the input is rejected, or is accepted with good reason.
    static func complaint(about input: [UInt8]) -> String? {
        let forms = UInt8(Form.allCases.count)
        guard let first = input.first, let form = Form(rawValue: first % forms) else { return nil }
        let bytes = Array(input.dropFirst())
        switch form {
        case .idToken: return complaint(aboutIDToken: String(decoding: bytes, as: UTF8.self))
        case .idClaims: return complaint(aboutIDClaims: bytes)
        case .logoutToken: return complaint(aboutLogout: String(decoding: bytes, as: UTF8.self))
        case .logoutClaims: return complaint(aboutLogoutClaims: bytes)
        case .header: return complaint(aboutHeader: bytes)
        case .keys: return complaint(aboutKeys: bytes)
        case .metadata: return complaint(aboutMetadata: bytes)
        case .registration: return complaint(aboutRegistration: bytes)
        case .assertion: return complaint(aboutAssertion: bytes)
        }
    }

    // MARK: Tokens

    /// Keys and tokens of a provider.
    private struct Provider: Sendable {
        let signer: TokenSigner
        let keys: KeySet
        let idToken: String
        let logoutToken: String

        init?() {
            guard let signer = try? TokenSigner(.ec),
                let keys = KeySet(jwks: TokenSigner.keys(signer))
            else { return nil }
            self.signer = signer
            self.keys = keys
            idToken = signer.sign(idClaims)
            logoutToken = signer.sign(logoutClaims)
        }
    }

    private static let provider = Provider()

    private static let idClaims: JSON = [
        "iss": .string(issuer), "sub": "anna-1", "aud": "jaga", "iat": .integer(now.seconds),
        "exp": .integer(now.seconds + 300), "nonce": "n-1", "sid": "s-1",
    ]

    private static let logoutClaims: JSON = [
        "iss": .string(issuer), "aud": ["jaga"], "iat": .integer(now.seconds), "jti": "j-1",
        "sid": "s-1", "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
    ]

    private static func idToken(_ text: String) -> IDToken? {
        guard let provider else { return nil }
        return try? IDToken(
            text, algorithm: .es256, keys: provider.keys,
            expecting: .init(issuer: issuer, client: "jaga", nonce: "n-1"), at: now)
    }

    private static func logoutToken(_ text: String) -> LogoutToken? {
        guard let provider else { return nil }
        return try? LogoutToken(
            text, algorithm: .es256, keys: provider.keys, issuer: issuer, client: "jaga", at: now)
    }

    private static func complaint(aboutIDToken text: String) -> String? {
        guard idToken(text) != nil, text != provider?.idToken else { return nil }
        return "an ID token that nobody signed is accepted"
    }

    private static func complaint(aboutLogout text: String) -> String? {
        guard logoutToken(text) != nil, text != provider?.logoutToken else { return nil }
        return "a logout token that nobody signed is accepted"
    }

    private static func complaint(aboutIDClaims bytes: [UInt8]) -> String? {
        guard let provider, let claims = try? JSON.parse(bytes, valuesMax: 10_000),
            let token = idToken(provider.signer.sign(claims))
        else { return nil }
        guard token.expires > now, token.issued <= now + .seconds(60) else {
            return "a token of another time is accepted"
        }
        guard (1...subjectBytesMax).contains(token.subject.utf8.count) else {
            return "a subject of \(token.subject.utf8.count) bytes is accepted"
        }
        return claims["nonce"] == "n-1" && claims["iss"] == .string(issuer)
            ? nil : "a token for another sign-in is accepted"
    }

    private static func complaint(aboutLogoutClaims bytes: [UInt8]) -> String? {
        guard let provider, let claims = try? JSON.parse(bytes, valuesMax: 10_000),
            let token = logoutToken(provider.signer.sign(claims))
        else { return nil }
        guard claims["nonce"] == nil else { return "an ID token ends sessions" }
        guard token.forgotten > now else { return "a used token is forgotten while it is valid" }
        return token.id.isEmpty ? "a token without an id is accepted" : nil
    }

    /// A signature covers the header: none but the signed one is accepted, whatever it says.
    private static func complaint(aboutHeader bytes: [UInt8]) -> String? {
        guard let provider else { return nil }
        let parts = provider.idToken.split(separator: ".").map(String.init)
        let header = Base64.encode(bytes, alphabet: .url)
        let text = [header, parts[1], parts[2]].joined(separator: ".")
        return header == parts[0] ? nil : complaint(aboutIDToken: text)
    }

    private static func complaint(aboutKeys bytes: [UInt8]) -> String? {
        guard let keys = KeySet(jwks: bytes) else { return nil }
        return keys.count <= 64 ? nil : "\(keys.count) keys are accepted"
    }

    private static func complaint(aboutMetadata bytes: [UInt8]) -> String? {
        let metadata = try? ProviderMetadata(bytes, issuer: issuer, algorithm: .es256)
        guard let metadata else { return nil }
        let urls = [metadata.tokenEndpoint, metadata.endSessionEndpoint].compactMap(\.self)
        return urls.allSatisfy(ProviderMetadata.isUsable) ? nil : "an unsafe URL is accepted"
    }

    // MARK: Passkeys

    private static let party = RelyingParty(publicURL: "https://jaga.example.org/")

    private static func golden(_ name: String, _ part: String) -> [UInt8] {
        let text = (try? TokenSigner.golden("passkeys"))?[name]?[part]?.string
        return text.flatMap { Base64.decode($0, alphabet: .url) } ?? []
    }

    private static let key: PasskeyKey? = party.flatMap { party in
        try? PasskeyRegistration(
            clientData: golden("reg_es256", "cd"), authenticatorData: golden("reg_es256", "ad")
        ).verify(for: party, challenge: challenge)
    }

    private static let assertion = joined(["cd", "ad", "sig"].map { golden("get_es256", $0) })

    /// Parts with their lengths in two bytes.
    private static func joined(_ parts: [[UInt8]]) -> [UInt8] {
        parts.flatMap { [UInt8($0.count >> 8 & 255), UInt8($0.count & 255)] + $0 }
    }

    private static func parts(_ bytes: [UInt8], _ count: Int) -> [[UInt8]] {
        var rest = bytes[...]
        return (0..<count).map { _ in
            guard rest.count >= 2, let high = rest.popFirst(), let low = rest.popFirst() else {
                return []
            }
            let part = rest.prefix(Int(high) << 8 | Int(low))
            rest = rest.dropFirst(part.count)
            return Array(part)
        }
    }

    private static func complaint(aboutRegistration bytes: [UInt8]) -> String? {
        let parts = parts(bytes, 2)
        guard let party,
            let key = try? PasskeyRegistration(clientData: parts[0], authenticatorData: parts[1])
                .verify(for: party, challenge: challenge)
        else { return nil }
        return (1...1023).contains(key.id.count) ? nil : "an id of \(key.id.count) bytes"
    }

    private static func complaint(aboutAssertion bytes: [UInt8]) -> String? {
        let parts = parts(bytes, 3)
        guard let party, let key,
            let after = try? PasskeyAssertion(
                clientData: parts[0], authenticatorData: parts[1], signature: parts[2]
            ).verify(with: key, for: party, challenge: challenge)
        else { return nil }
        guard after.counter > key.counter else { return "the counter went back" }
        let signed = self.parts(assertion, 3)
        return parts[0] == signed[0] && parts[1] == signed[1]
            ? nil : "a response that nobody signed is accepted"
    }

    // MARK: Samples

    static var samples: [[UInt8]] {
        guard let provider else { return [] }
        let metadata: JSON = .object(
            [
                .init("issuer", .string(issuer)),
                .init("id_token_signing_alg_values_supported", ["RS256", "ES256"]),
                .init("code_challenge_methods_supported", ["S256"]),
                .init("token_endpoint_auth_methods_supported", ["client_secret_post"]),
            ]
                + zip(
                    [
                        "authorization_endpoint", "token_endpoint", "jwks_uri",
                        "end_session_endpoint",
                    ],
                    metadataTexts
                ).map { .init($0, .string("\(issuer)/\($1)")) })
        let headers = [
            #"{"alg":"none"}"#, #"{"alg":"HS256","kid":"test-ec"}"#,
            #"{"alg":"ES256","kid":"other"}"#, #"{"alg":"ES256","crit":["exp"],"exp":1}"#,
        ]
        let passkeys = ["es256", "rs256", "eddsa"].map { name in
            input(.registration, joined(["cd", "ad"].map { golden("reg_" + name, $0) }))
        }
        return [
            input(.idToken, Array(provider.idToken.utf8)),
            input(.idClaims, idClaims.serialized()),
            input(.logoutToken, Array(provider.logoutToken.utf8)),
            input(.logoutClaims, logoutClaims.serialized()),
            input(.keys, TokenSigner.keys(provider.signer)),
            input(.keys, TokenSigner.keys(with: (try? TokenSigner.golden("keys")) ?? .null)),
            input(.metadata, metadata.serialized()), input(.assertion, assertion),
        ] + headers.map { input(.header, Array($0.utf8)) } + passkeys
    }
}
