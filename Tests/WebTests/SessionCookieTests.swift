import Testing

@testable import Web

@Suite struct `The cookie of a session` {
    private let token = String(repeating: "aB3-_", count: 8) + "xyz"

    private func request(_ headers: Headers, _ path: String = "/v1/me") -> Request {
        Request(id: 1, method: .get, path: path, headers: headers)
    }

    @Test func `is for this host alone and invisible to scripts over TLS`() throws {
        let secure = try #require(
            SessionCookie(
                for: request(["X-Forwarded-Proto": "https", "Host": "jaga.example"]),
                isPublicSecure: false))
        #expect(
            secure.header(token: token, seconds: 60)
                == "__Host-jaga=\(token); Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax")
        #expect(secure.removal.hasPrefix("__Host-jaga=; Path=/; Max-Age=0;"))
        let behind = SessionCookie(for: request(["Host": "jaga.example"]), isPublicSecure: true)
        #expect(behind == .secure)
    }

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:8080", "127.1.2.3:1", "localhost", "LOCALHOST:8080", "[::1]",
        "[::1]:8080",
    ])
    func `has another name on the loopback address without TLS`(host: String) {
        let plain = request(["Host": host, "X-Forwarded-Proto": "http"])
        #expect(SessionCookie(for: plain, isPublicSecure: false) == .local)
        #expect(SessionCookie.local.header(token: token, seconds: 1).hasPrefix("jaga-local="))
        #expect(!SessionCookie.local.header(token: token, seconds: 1).contains("Secure"))
        let headers: Headers = ["Host": host, "Cookie": "jaga-local=\(token)"]
        #expect(request(headers).sessionToken == token)
        var secure = headers
        secure["X-Forwarded-Proto"] = "https"
        #expect(request(secure).sessionToken == nil, "another host could have set it")
    }

    @Test(arguments: [
        "jaga.example", "10.0.0.1:8080", "127.0.0.1.evil.example", "localhost.evil.example",
        "127.0.0.256", "127.0.0", "[::2]", "[::1].evil.example", "", "127.0.0.1x", "128.0.0.1",
    ])
    func `does not exist without TLS elsewhere`(host: String) {
        #expect(SessionCookie(for: request(["Host": host]), isPublicSecure: false) == nil)
        let headers: Headers = ["Host": host, "Cookie": "jaga-local=\(token)"]
        #expect(request(headers).sessionToken == nil)
    }

    @Test func `is read from any line, and only if it is unambiguous`() {
        func read(_ lines: String...) -> String? {
            var headers: Headers = [:]
            for line in lines { headers.append("Cookie", line) }
            return request(headers).sessionToken
        }
        let good = "__Host-jaga=\(token)"
        let other = "__Host-jaga=" + String(token.reversed())
        #expect(read(good) == token)
        #expect(read("a=1;\(good);b=2") == token)
        #expect(read("a=1", "x; \(good)") == token)
        #expect(read(good, good) == token)
        #expect(read(good, other) == nil)
        #expect(read("\(good); \(other)") == nil)
        #expect(read("\(good)x") == nil)
        #expect(read("__Host-jaga=\"\(token)\"") == nil)
        #expect(read("x__Host-jaga=\(token)") == nil)
        #expect(read("__Host-jaga") == nil)
        #expect(read("__Host-jaga=") == nil)
        #expect(read() == nil)
    }

    @Test func `gives way to the header, and is nothing to phones' paths`() {
        let headers: Headers = ["Cookie": "__Host-jaga=\(token)"]
        #expect(request(headers).token == token)
        #expect(request(headers, "/pub").token == nil)
        #expect(request(headers, "/").token == nil)
        var both = headers
        both["Authorization"] = "Bearer other"
        #expect(request(both).token == "other" && request(both).sessionToken == nil)
        both["Authorization"] = "nonsense"
        #expect(request(both).token == nil)
    }
}
