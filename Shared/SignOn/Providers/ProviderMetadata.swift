import Model
import Parsing

/// Endpoints and abilities of a provider, from its discovery document (OpenID Connect Discovery).
public struct ProviderMetadata: Hashable, Sendable {
    public var issuer: String
    public var authorizationEndpoint: String
    public var tokenEndpoint: String
    public var keysEndpoint: String
    /// For logout that starts here; nil if the provider does not offer it.
    public var endSessionEndpoint: String?
    /// How this client authenticates at the token endpoint.
    public var authentication: ClientAuthentication
    /// Whether responses name their issuer (RFC 9207).
    public var namesIssuer: Bool

    /// How a client proves its secret at the token endpoint.
    public enum ClientAuthentication: String, Hashable, Sendable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
    }

    /// Why a discovery document is rejected.
    public enum Rejection: String, Error, Hashable, Sendable {
        case malformed
        /// It names another issuer: a provider must not speak for another one.
        case issuer
        /// An endpoint is missing, or is neither https nor http on this machine.
        case endpoint
        /// The provider does not sign with the algorithm that is set for it.
        case algorithm
        /// The provider supports neither of the ways to authenticate a client.
        case authentication
        /// The provider lists methods of PKCE, but not `S256`.
        case pkce

        public var explanation: String {
            switch self {
            case .malformed: "the discovery document is not a JSON object"
            case .issuer: "the discovery document names another issuer"
            case .endpoint:
                "an endpoint is missing or neither https nor http on this machine"
            case .algorithm: "the provider does not sign with the algorithm that is set for it"
            case .authentication:
                "the provider supports neither client_secret_basic nor client_secret_post"
            case .pkce: "the provider does not support S256 of PKCE"
            }
        }
    }

    /// Parses a discovery document.
    ///
    /// - Throws: ``Rejection``
    public init(
        _ document: [UInt8], issuer: String, algorithm: SignatureAlgorithm
    ) throws(Rejection) {
        guard let json = try? JSON.parse(document, valuesMax: 10_000), json.object != nil else {
            throw .malformed
        }
        guard json["issuer"]?.string == issuer else { throw .issuer }
        func endpoint(_ name: String) throws(Rejection) -> String {
            guard let url = json[name]?.string, ProviderMetadata.isUsable(url) else {
                throw .endpoint
            }
            return url
        }
        func list(_ name: String) -> [String]? { json[name]?.array?.compactMap(\.string) }
        guard list("id_token_signing_alg_values_supported")?.contains(algorithm.rawValue) ?? true
        else { throw .algorithm }
        guard list("code_challenge_methods_supported")?.contains("S256") ?? true else {
            throw .pkce
        }
        let ways = list("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
        let known: [ClientAuthentication] = [.basic, .post]
        guard let way = known.first(where: { ways.contains($0.rawValue) }) else {
            throw .authentication
        }
        self.issuer = issuer
        authorizationEndpoint = try endpoint("authorization_endpoint")
        tokenEndpoint = try endpoint("token_endpoint")
        keysEndpoint = try endpoint("jwks_uri")
        endSessionEndpoint =
            json["end_session_endpoint"] == nil ? nil : try endpoint("end_session_endpoint")
        authentication = way
        namesIssuer = json["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    /// The address of an issuer's discovery document.
    public static func discoveryURL(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer)
            + "/.well-known/openid-configuration"
    }

    /// Whether tokens and secrets may travel to a URL: by https, or by http without leaving this
    /// machine.
    public static func isUsable(_ url: String) -> Bool {
        guard url.utf8.allSatisfy({ $0 > 32 && $0 < 127 }), !url.contains("#") else { return false }
        if url.hasPrefix("https://") { return url.utf8.count > "https://".utf8.count }
        return ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains { prefix in
            guard url.hasPrefix(prefix) else { return false }
            return url.dropFirst(prefix.count).first.map { $0 == ":" || $0 == "/" } ?? true
        } && !url.dropFirst("http://".count).prefix { $0 != "/" }.contains("@")
    }
}
