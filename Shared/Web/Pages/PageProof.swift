import Hashing
import Model
import Parsing

/// Proofs that a request comes from somebody who was shown a page: the token in its forms and the
/// cookie for its path.
///
/// Scanners of mail and previews of messages open links, and some send forms that they guess. Only
/// somebody who read the page can send its token. Both proofs are keyed hashes, so that nothing is
/// stored for them; they are compared in constant time.
public struct PageProof: Sendable {
    /// What a form of the page may do.
    public enum Purpose: String, Sendable {
        /// Show what the link is about.
        case show
        /// Act on it.
        case act
    }

    /// Name of the form field with the token.
    public static let field = "page"
    /// Name of the cookie.
    public static let cookie = "jaga-shown"
    /// How long a form of a page can be sent. Phones keep pages open for days.
    public static let tokenAgeMax = Duration.seconds(24 * 3600)
    /// How long a browser keeps the cookie. What it shows may end earlier.
    public static let cookieAge = Duration.seconds(24 * 3600)

    private let link: LinkHash
    private let key: [UInt8]

    /// - Parameter key: 32 secret bytes
    public init(of link: LinkHash, key: [UInt8]) {
        self.link = link
        self.key = key
    }

    /// The token for the forms of a page.
    public func token(for purpose: Purpose, at now: Timestamp) -> String {
        let time = String(now.seconds)
        return time + "." + mac("form", purpose.rawValue, time)
    }

    /// Whether a token was given for this purpose, and not too long ago.
    public func isValid(_ token: String?, for purpose: Purpose, at now: Timestamp) -> Bool {
        guard let parts = token?.split(separator: ".", omittingEmptySubsequences: false),
            parts.count == 2, let seconds = UntrustedNumber.integer(parts[0], in: 0...1 << 40),
            Hash.isEqual(
                Array(parts[1].utf8),
                Array(mac("form", purpose.rawValue, String(parts[0])).utf8))
        else { return false }
        let age = now - Timestamp.zero - .seconds(seconds)
        return age < PageProof.tokenAgeMax && age > .seconds(-60)
    }

    /// The `Set-Cookie` header for the path of a link.
    ///
    /// The cookie holds no token of the link. Browsers send it with links that other pages and
    /// mails contain, so `Lax`.
    public func cookieHeader(path: String, isSecure: Bool) -> String {
        let seconds = PageProof.cookieAge.milliseconds / 1000
        return "\(PageProof.cookie)=\(mac("cookie")); Path=\(path); Max-Age=\(seconds); HttpOnly; "
            + (isSecure ? "Secure; " : "") + "SameSite=Lax"
    }

    /// The `Set-Cookie` header that removes the cookie of a path.
    public static func cookieRemoval(path: String) -> String {
        "\(cookie)=; Path=\(path); Max-Age=0; HttpOnly; SameSite=Lax"
    }

    /// Whether a request has the cookie of this link.
    public func hasCookie(_ headers: Headers) -> Bool {
        let expected = Array(mac("cookie").utf8)
        return headers.all("Cookie").contains { line in
            line.split(separator: ";").contains { pair in
                let pair = pair.utf8.drop { $0 == UInt8(ascii: " ") }
                let prefix = Array("\(PageProof.cookie)=".utf8)
                return pair.starts(with: prefix)
                    && Hash.isEqual(Array(pair.dropFirst(prefix.count)), expected)
            }
        }
    }

    private func mac(_ parts: String...) -> String {
        let subject = Hash.id(of: [.bytes(link.bytes)] + parts.map { .text($0) }).bytes
        let digest = Hash.blake2b256(Array("page".utf8) + subject, key: key)
        return Base64.encode(Array(digest.prefix(LinkToken.bytesCount)), alphabet: .url)
    }
}
