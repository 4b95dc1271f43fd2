import Foundation

/// The portal of Debian's LemonLDAP::NG as an OpenID provider, for the client `jaga` and the
/// provider id `test`; see `Tests/Providers/README.md`.
public final class LemonLDAPKit: GatewayKit {
    public static let isInstalled =
        GatewayKit.isInstalled("/usr/bin/starman")
        && FileManager.default.fileExists(
            atPath: "/usr/share/perl5/Lemonldap/NG/Portal/Issuer/OpenIDConnect.pm")
        && FileManager.default.fileExists(atPath: "/usr/share/perl5/String/Random.pm")
        && FileManager.default.fileExists(atPath: "/usr/share/perl5/IO/String.pm")
    public static let secret = "not-a-secret-0123456789-0123456789"

    /// - Parameter url: public URL of the suite
    public init(url: String) throws {
        try super.init(
            "lemonldap", in: "Providers", ports: ["PORT"],
            settings: ["URL": url, "SECRET": LemonLDAPKit.secret])
    }

    public var issuer: String { "http://localhost:\(port("PORT"))" }

    /// What the portal has logged.
    public var log: String { text(of: "portal.out") }
}
