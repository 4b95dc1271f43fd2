import Hashing
import Model
import Parsing

/// A request that sends a browser to a provider to sign in (authorization code with PKCE).
public struct AuthorizationRequest: Hashable, Sendable {
    /// The id of this client at the provider.
    public var client: String
    /// Where the provider sends the browser back to.
    public var redirect: String
    public var scopes: [String]
    /// Ties the response to this request.
    public var state: String
    /// Ties the ID token to this request.
    public var nonce: String
    /// Secret of PKCE, of which the provider gets the SHA-256 only.
    public var verifier: String

    public init(
        client: String, redirect: String, scopes: [String], state: String, nonce: String,
        verifier: String
    ) {
        self.client = client
        self.redirect = redirect
        self.scopes = scopes
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
    }

    /// `S256` of the verifier (RFC 7636).
    public var challenge: String {
        Base64.encode(Hash.sha256(Array(verifier.utf8)), alphabet: .url)
    }

    /// The address that the browser goes to.
    public func url(at endpoint: String) -> String {
        URLs.adding(
            Query([
                .init("response_type", "code"), .init("client_id", client),
                .init("redirect_uri", redirect), .init("scope", scopes.joined(separator: " ")),
                .init("state", state), .init("nonce", nonce),
                .init("code_challenge", challenge), .init("code_challenge_method", "S256"),
            ]), to: endpoint)
    }

    /// The form that exchanges a code at the token endpoint.
    ///
    /// - Parameter secret: the client's secret if it is sent in the form; nil if sent by Basic
    public func exchange(of code: String, secret: String?) -> Query {
        var form = Query([
            .init("grant_type", "authorization_code"), .init("code", code),
            .init("redirect_uri", redirect), .init("code_verifier", verifier),
        ])
        if let secret {
            form.items += [.init("client_id", client), .init("client_secret", secret)]
        }
        return form
    }
}

/// Addresses of other servers.
public enum URLs {
    /// Adds parameters to an address that may have some already.
    public static func adding(_ query: Query, to url: String) -> String {
        url + (url.contains("?") ? "&" : "?") + query.encoded
    }
}
