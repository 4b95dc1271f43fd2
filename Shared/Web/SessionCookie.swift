import Model

/// The cookie that holds the token of a browser's session.
///
/// Over TLS its name is ``name``: browsers accept that prefix only with `Secure`, for the whole
/// host and from no other host. Browsers do not store such a cookie of a page on plain HTTP, so
/// pages on the loopback address get ``localName``. On plain HTTP elsewhere there are no sessions.
public enum SessionCookie: Sendable {
    /// Over TLS.
    case secure
    /// On plain HTTP, on the loopback address.
    case local

    public static let name = "__Host-jaga"
    public static let localName = "jaga-local"
    /// Length of a token, in characters of base64url.
    static let tokenCharacters = 43

    /// The form in which a request's sender can store the cookie; nil if it cannot.
    ///
    /// - Parameter isPublicSecure: whether the request was sent to the public URL of this suite,
    ///   and that uses TLS
    public init?(for request: Request, isPublicSecure: Bool) {
        if isPublicSecure || request.headers["X-Forwarded-Proto"] == "https" {
            self = .secure
        } else if SessionCookie.isLocal(request.headers) {
            self = .local
        } else {
            return nil
        }
    }

    /// The `Set-Cookie` header that stores a token.
    ///
    /// - Parameter seconds: how long the browser keeps it
    public func header(token: String, seconds: Int64) -> String {
        // `Lax`, because the page that a provider's sign-in returns to must know the session.
        switch self {
        case .secure:
            "\(SessionCookie.name)=\(token); Path=/; Max-Age=\(seconds); HttpOnly; Secure; "
                + "SameSite=Lax"
        case .local:
            "\(SessionCookie.localName)=\(token); Path=/; Max-Age=\(seconds); HttpOnly; "
                + "SameSite=Lax"
        }
    }

    /// The `Set-Cookie` header that removes the cookie.
    public var removal: String { header(token: "", seconds: 0) }

    /// The token in the headers of a request. Nil if there is none, if the text is no token, or if
    /// the cookie occurs more than once with different values.
    static func token(in headers: Headers) -> String? {
        guard headers["Cookie"] != nil else { return nil }
        let lines = headers.all("Cookie")
        if let token = value(of: name, in: lines) { return token }
        // Pages of other hosts could set this name over TLS.
        return isLocal(headers) ? value(of: localName, in: lines) : nil
    }

    private static func value(of name: String, in lines: [String]) -> String? {
        var found: String?
        for line in lines {
            for pair in line.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard pair.starts(with: name.utf8) else { continue }
                let rest = pair.dropFirst(name.utf8.count)
                guard rest.first == UInt8(ascii: "=") else { continue }
                let value = rest.dropFirst()
                guard isToken(value) else { return nil }
                let text = String(Substring(value))
                guard found == nil || found == text else { return nil }
                found = text
            }
        }
        return found
    }

    private static func isToken(_ text: some Collection<UInt8>) -> Bool {
        text.count == tokenCharacters
            && text.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Whether a request was sent over plain HTTP to a loopback address, by its `Host` header.
    private static func isLocal(_ headers: Headers) -> Bool {
        guard headers["X-Forwarded-Proto"].map({ $0 == "http" }) ?? true,
            let host = headers["Host"]?.lowercased()
        else { return false }
        if host.hasPrefix("[") { return host == "[::1]" || host.hasPrefix("[::1]:") }
        let name = host.prefix { $0 != ":" }
        if name == "localhost" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UntrustedNumber.integer($0, in: 0...255) != nil }
    }
}

extension Request {
    /// The token with which the sender of an API request authenticates: that of `Authorization`, or
    /// without that header the one in the session's cookie.
    public var token: String? {
        headers["Authorization"] != nil ? Credentials(headers)?.token : sessionToken
    }

    /// The token in the session's cookie.
    ///
    /// Nil on phones' paths, which accept no cookie, and if the request has `Authorization`, which
    /// takes precedence.
    public var sessionToken: String? {
        guard path.utf8.starts(with: "/v1/".utf8), headers["Authorization"] == nil else {
            return nil
        }
        return SessionCookie.token(in: headers)
    }
}
