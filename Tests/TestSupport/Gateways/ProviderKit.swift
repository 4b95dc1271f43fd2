import Foundation

/// An OpenID provider of idpyoidc, for the client `jaga` and the provider id `test`; see
/// `Tests/Providers/README.md`.
public final class ProviderKit: GatewayKit {
    public static let isInstalled = GatewayKit.isInstalled(
        Programs.top.appending(path: ".build/idpyoidc/bin/python").path)
    public static let secret = "not-a-secret-0123456789-0123456789"

    /// - Parameters:
    ///   - url: public URL of the suite
    ///   - user: claims of the user, JSON
    public init(url: String, user: String) throws {
        try super.init(
            "idpyoidc", in: "Providers", ports: ["PORT"],
            settings: ["URL": url, "SECRET": ProviderKit.secret, "USER_JSON": user])
    }

    public var port: Int { port("PORT") }
    public var issuer: String { "http://127.0.0.1:\(port)" }

    /// Replaces its keys.
    public func rotateKeys() throws { _ = try PlainHTTP(port: port).send("POST", "/rotate") }

    /// Changes claims of the next ID token, JSON; `iat` and `exp` are seconds from now.
    public func breakNextToken(_ claims: String) throws {
        _ = try PlainHTTP(port: port).send("POST", "/fault", body: Array(claims.utf8))
    }
}
