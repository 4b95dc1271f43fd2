import Hashing
import Model
import Testing

@testable import Web

@Suite struct PageTests {
    private let key = [UInt8](repeating: 5, count: 32)
    private let now = Timestamp("2026-11-20T02:20:00Z")!

    private func link(_ byte: UInt8) -> LinkToken {
        LinkToken(random: [UInt8](repeating: byte, count: LinkToken.bytesCount))
    }

    @Test func `interpolated text is escaped, in elements and attributes`() {
        let text = #"<script>alert('1')</script> & "x""#
        let html: HTML = "<p title=\"\(text)\">\(text)</p>"
        let escaped = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;x&quot;"
        #expect(html.text == "<p title=\"\(escaped)\">\(escaped)</p>")
        let nested: HTML = "<b>\(html)</b>\(7)"
        #expect(nested.text == "<b>\(html.text)</b>7")
        let hidden: HTML = "\("a\u{0}b\u{202E}c\u{9B}d")"
        #expect(hidden.text == "a b c d")
    }

    @Test func `a page is stored, indexed, framed and referred to by nobody`() {
        let response = HTMLPage(title: "<T>", language: "en", body: "<p>x</p>").response(
            cookie: "a=b")
        #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(response.headers["Cache-Control"] == "no-store")
        #expect(response.headers["Referrer-Policy"] == "no-referrer")
        #expect(response.headers["X-Robots-Tag"]?.hasPrefix("noindex") == true)
        #expect(response.headers["X-Frame-Options"] == "DENY")
        #expect(response.headers["Set-Cookie"] == "a=b")
        let policy = response.headers["Content-Security-Policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(!policy.contains("script") && !policy.contains("unsafe"))
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(text.contains("<title>&lt;T&gt;</title>"))
        #expect(!text.contains("<script") && !text.contains("src=") && !text.contains("style=\""))
    }

    @Test func `the policy allows the style of the page, and no other`() throws {
        let response = HTMLPage(title: "T", language: "en", body: "").response()
        let text = String(decoding: response.body, as: UTF8.self)
        let start = try #require(text.firstRange(of: "<style>")).upperBound
        let end = try #require(text.firstRange(of: "</style>")).lowerBound
        let hash = Base64.encode(Hash.sha256(Array(text[start..<end].utf8)))
        #expect(response.headers["Content-Security-Policy"]?.contains("'sha256-\(hash)'") == true)
    }

    @Test func `a link token has 22 characters in one form only`() {
        let token = link(255)
        #expect(token.text.utf8.count == LinkToken.charactersCount)
        #expect(LinkToken(token.text) == token)
        // The last character has two unused bits.
        let last = String(token.text.dropLast()) + "x"
        for text in ["", token.text + "A", String(token.text.dropLast()), last, token.text + "=="] {
            #expect(LinkToken(text) == nil)
        }
        #expect("\(token)" == "…")
        #expect(
            LinkToken(of: "a", .number(1), key: key) == LinkToken(of: "a", .number(1), key: key))
        #expect(
            LinkToken(of: "a", .number(1), key: key) != LinkToken(of: "a", .number(2), key: key))
        #expect(
            LinkToken(of: "a", key: key)
                != LinkToken(of: "a", key: [UInt8](repeating: 6, count: 32)))
    }

    @Test func `a form counts for its link, its purpose and a day`() {
        let proof = PageProof(of: link(1).hash, key: key)
        let other = PageProof(of: link(2).hash, key: key)
        let token = proof.token(for: .show, at: now)
        #expect(proof.isValid(token, for: .show, at: now + .seconds(3600)))
        #expect(!proof.isValid(token, for: .act, at: now))
        #expect(!other.isValid(token, for: .show, at: now))
        #expect(!proof.isValid(token, for: .show, at: now + PageProof.tokenAgeMax))
        #expect(!proof.isValid(token, for: .show, at: now + .seconds(-120)))
        let later = proof.token(for: .show, at: now + .seconds(1))
        let mixed = later.prefix { $0 != "." } + token.drop { $0 != "." }
        for wrong in [nil, "", ".", "1.2.3", "x.y", token + "A", String(mixed), "9" + token] {
            #expect(!proof.isValid(wrong, for: .show, at: now))
        }
    }

    @Test func `a cookie counts for its link and path, and holds no token`() throws {
        let token = link(1)
        let proof = PageProof(of: token.hash, key: key)
        let header = proof.cookieHeader(path: "/e/x", isSecure: true)
        #expect(header.contains("; Path=/e/x; "))
        #expect(header.contains("; HttpOnly; Secure; SameSite=Lax"))
        #expect(!header.contains(token.text))
        #expect(!proof.cookieHeader(path: "/", isSecure: false).contains("Secure"))
        let pair = try #require(header.split(separator: ";").first.map(String.init))
        #expect(proof.hasCookie(["Cookie": pair]))
        #expect(proof.hasCookie(["Cookie": "a=b; \(pair); c=d"]))
        #expect(!proof.hasCookie(["Cookie": pair + "x"]))
        #expect(!proof.hasCookie(["Cookie": "x" + pair]))
        #expect(!proof.hasCookie([:]))
        #expect(!PageProof(of: link(2).hash, key: key).hasCookie(["Cookie": pair]))
    }
}
