import Model
import Web

/// Web origin: scheme, host and port of a page (RFC 6454).
///
/// ```swift
/// Origin("https://jaga.example.org")        // port 443
/// Origin("http://127.0.0.1:80@evil.test")   // nil: an origin has no user
/// ```
struct Origin: Hashable {
    let scheme: String
    let host: String
    let port: Int

    /// Parses an `Origin` header. Nil for `null`, for schemes of apps, and for everything else than
    /// `scheme://host` or `scheme://host:port`.
    init?(_ text: String) {
        let text = text.lowercased()
        guard
            let scheme = Self.defaultPorts.keys.sorted().first(where: {
                text.hasPrefix($0 + "://")
            }), let authority = Authority(text.dropFirst(scheme.utf8.count + 3))
        else { return nil }
        self.scheme = scheme
        host = authority.host
        port = authority.port ?? Self.defaultPorts[scheme, default: 0]
    }

    /// The origin of a URL, without its path.
    init?(url: String) {
        guard let colon = url.firstRange(of: "://") else { return nil }
        let end = url[colon.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        self.init(String(url[..<end]))
    }

    /// Whether a request was sent to this origin, by its `Host` header and the scheme that the
    /// proxy reports. Without a proxy the scheme is unknown and not compared.
    func isHost(of request: Request) -> Bool {
        let isScheme = request.headers["X-Forwarded-Proto"].map { $0 == scheme } ?? true
        return isScheme && isAuthority(of: request)
    }

    /// Whether the `Host` header of a request has this host and port, whatever the scheme.
    func isAuthority(of request: Request) -> Bool {
        guard let text = request.headers["Host"]?.lowercased(), let target = Authority(text[...])
        else { return false }
        return target.host == host && (target.port ?? Self.defaultPorts[scheme]) == port
    }

    private static let defaultPorts = ["http": 80, "https": 443]

    /// `host` or `host:port`, strictly.
    private struct Authority {
        let host: String
        let port: Int?

        init?(_ text: Substring) {
            let isBracketed = text.hasPrefix("[")
            let end =
                isBracketed
                ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
            let host = text[..<(end ?? text.endIndex)]
            guard !isBracketed || end != nil, Self.isName(host, isBracketed) else { return nil }
            self.host = String(host)
            let rest = text[host.endIndex...]
            guard !rest.isEmpty else {
                port = nil
                return
            }
            guard rest.hasPrefix(":"),
                let port = UntrustedNumber.integer(rest.dropFirst(), in: 1...65_535)
            else { return nil }
            self.port = port
        }

        private static func isName(_ host: Substring, _ isBracketed: Bool) -> Bool {
            let inner = isBracketed ? host.dropFirst().dropLast() : host
            return !inner.isEmpty
                && inner.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
                        true
                    case UInt8(ascii: "-"), UInt8(ascii: "_"): !isBracketed
                    case UInt8(ascii: ":"): isBracketed
                    default: false
                    }
                }
        }
    }
}
