import Directory
import Model
import TestSupport
import Testing
import Web

@testable import Hosting
@testable import Runtime

@Suite struct `The request guard` {
    private func request(
        _ method: Web.Method = .get, _ path: String = "/v1/x", _ headers: Headers
    ) -> Request {
        var headers = headers
        headers["Host"] = "jaga.example.org"
        return Request(id: 1, method: method, path: path, headers: headers)
    }

    private static let basic = "Basic YW5uYTpzZWNyZXQ="

    private static let foreign: [[String: String]] = [
        ["Origin": "https://evil.example"], ["Origin": "null"], ["Origin": ""],
        ["Origin": "https://jaga.example.org.evil.example"], ["Origin": "file://"],
        ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
        ["Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"],
    ]

    @Test(arguments: foreign)
    func `rejects requests of another site's page`(marks: [String: String]) {
        var headers: Headers = ["Authorization": Self.basic]
        for (name, value) in marks { headers[name] = value }
        let problem = RequestGuard.originRefusal(of: request(.post, "/v1/x", headers))
        #expect(problem?.status == 403 && problem?.hint != nil)
        #expect(RequestGuard.originRefusal(of: request(.get, "/v1/x", headers)) != nil)
        #expect(
            RequestGuard.originRefusal(of: request(.post, "/v1/emergencies", headers)) != nil)
    }

    private static let own: [[String: String]] = [
        [:], ["Origin": "https://jaga.example.org"], ["Origin": "http://JAGA.example.org:80"],
        ["Origin": "https://jaga.example.org:443"],
        ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
        [
            "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        ],
    ]

    @Test(arguments: own)
    func `accepts own pages, apps and followed links`(marks: [String: String]) {
        var headers: Headers = ["Authorization": Self.basic]
        for (name, value) in marks { headers[name] = value }
        #expect(RequestGuard.originRefusal(of: request(.get, "/v1/x", headers)) == nil)
    }

    @Test func `rejects forms, frames and reports of another site`() {
        let link: Headers = [
            "Authorization": Self.basic, "Sec-Fetch-Site": "cross-site",
            "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
        ]
        var frame = link
        frame["Sec-Fetch-Dest"] = "iframe"
        #expect(RequestGuard.originRefusal(of: request(.post, "/v1/x", link)) != nil)
        #expect(RequestGuard.originRefusal(of: request(.get, "/v1/x", frame)) != nil)
        for path in ["/osmand", "/log/gpslogger", "/gprmc/Data", "/osmand/token", "/"] {
            #expect(RequestGuard.originRefusal(of: request(.get, path, link)) != nil, "\(path)")
        }
    }

    private static let odd = [
        "http://127.0.0.1:9999", "http://127.0.0.1", "https://127.0.0.1:9410",
        "http://127.0.0.1:9410.evil.example", "http://127.0.0.1:80@evil.example",
        "http://127.0.0.1:9410/", "http://127.0.0.1:9410?x", "http://127.0.0.1:",
        "http://127.0.0.1:9410 ", "http://[127.0.0.1]:9410", "capacitor://127.0.0.1:9410",
        "http://", "http://:9410", "http://127.0.0.1:09999999999999999999",
    ]

    @Test(arguments: odd)
    func `accepts an origin only if scheme, host and port are its own`(origin: String) {
        func refusal(_ origin: String) -> Problem? {
            var request = self.request(
                .post, "/v1/x",
                [
                    "Authorization": Self.basic, "Origin": origin, "X-Forwarded-Proto": "http",
                ])
            request.headers["Host"] = "127.0.0.1:9410"
            return RequestGuard.originRefusal(of: request)
        }
        #expect(refusal(origin)?.status == 403)
        #expect(refusal("http://127.0.0.1:9410") == nil)
    }

    @Test func `knows its public address behind a proxy`() throws {
        let headers: Headers = [
            "Authorization": Self.basic, "Origin": "https://public.example:8443",
        ]
        let post = request(.post, "/v1/x", headers)
        #expect(RequestGuard.originRefusal(of: post) != nil)
        let origin = try #require(Origin(url: "https://Public.example:8443/jaga/"))
        #expect(RequestGuard.originRefusal(of: post, publicOrigin: origin) == nil)
        #expect(Origin("http://[2001:db8::1]:81")?.port == 81)
    }

    @Test func `accepts tokens that no browser adds from anywhere`() {
        for origin in ["capacitor://localhost", "https://evil.example", "null"] {
            let bearer: Headers = ["Origin": origin, "Authorization": "Bearer token"]
            for path in ["/v1/emergencies", "/v1/reports", "/osmand"] {
                #expect(RequestGuard.originRefusal(of: request(.post, path, bearer)) == nil)
            }
            let phone = request(.post, "/osmand/token", ["Origin": origin])
            #expect(RequestGuard.originRefusal(of: phone) == nil)
            let basic: Headers = ["Origin": origin, "Authorization": Self.basic]
            #expect(RequestGuard.originRefusal(of: request(.post, "/osmand/t", basic)) != nil)
        }
    }

    private static let cookie = "__Host-jaga=" + String(repeating: "a", count: 43)

    @Test(arguments: [
        Web.Method.post, .put, .patch, .delete, .options,
    ])
    func `demands proof that its own page sent a change with a cookie`(method: Web.Method) {
        func refusal(_ more: [String: String], _ path: String = "/v1/x") -> Problem? {
            var headers: Headers = ["Cookie": Self.cookie, "X-Forwarded-Proto": "https"]
            for (name, value) in more { headers[name] = value }
            return RequestGuard.originRefusal(of: request(method, path, headers))
        }
        for path in ["/v1/x", "/v1/emergencies", "/v1/sessions"] {
            #expect(refusal([:], path)?.status == 403)
            #expect(refusal(["Sec-Fetch-Site": "none"], path)?.status == 403)
            #expect(refusal(["Sec-Fetch-Site": "same-site"], path)?.status == 403)
            #expect(refusal(["Sec-Fetch-Site": "cross-site"], path)?.status == 403)
            #expect(refusal(["Origin": "https://evil.example"], path)?.status == 403)
            #expect(refusal(["Origin": "http://jaga.example.org"], path)?.status == 403)
            #expect(refusal(["Origin": "null"], path)?.status == 403)
            #expect(
                refusal(
                    ["Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"], path)?
                    .status == 403)
            #expect(refusal(["Sec-Fetch-Site": "same-origin"], path) == nil)
            #expect(refusal(["Origin": "https://jaga.example.org"], path) == nil)
            #expect(refusal(["Authorization": "Bearer token"], path) == nil, "no cookie is used")
        }
    }

    @Test func `lets a page read with a cookie, but no page of another site`() {
        func refusal(_ more: [String: String]) -> Problem? {
            var headers: Headers = ["Cookie": Self.cookie]
            for (name, value) in more { headers[name] = value }
            return RequestGuard.originRefusal(of: request(.get, "/v1/x", headers))
        }
        #expect(refusal([:]) == nil)
        #expect(refusal(["Sec-Fetch-Site": "same-origin"]) == nil)
        #expect(refusal(["Sec-Fetch-Site": "same-site"])?.status == 403)
        #expect(refusal(["Sec-Fetch-Site": "cross-site"])?.status == 403)
    }

    private func guarded(_ settings: [String: String]) throws -> RequestGuard {
        RequestGuard(
            try Configuration(
                settings: CommonSettings.all, environment: settings, service: "timer"), Metrics())
    }

    @Test func `limits each principal, and wrong credentials by address`() throws {
        var limits = try guarded([
            "JAGA_CREDENTIAL_CALLS_PER_SECOND": "1", "JAGA_AUTH_FAILURES_PER_MINUTE": "2",
        ])
        let now = Timestamp("2026-11-20T10:20:00.000Z")!
        var request = self.request(.get, "/v1/x", [:])
        request.remote = "192.0.2.1"
        let anna = Principal.person(PersonID(ID128(high: 1, low: 1)))
        let ben = Principal.person(PersonID(ID128(high: 1, low: 2)))
        func ask(_ principal: Principal?) -> Problem? {
            limits.limitRefusal(of: request, by: principal, needsNone: false, at: now)
        }
        for _ in 0..<60 { #expect(ask(anna) == nil) }
        let refusal = ask(anna)
        #expect(refusal?.status == 429 && refusal?.retryAfterSeconds == 1)
        #expect(ask(ben) == nil && ask(.operator) == nil)
        #expect(ask(nil) == nil && ask(nil) == nil)
        #expect(ask(nil)?.status == 429)
        // Valid credentials from that address are still accepted.
        #expect(ask(ben) == nil)
    }

    @Test func `counts a large body as several requests`() throws {
        var limits = try guarded(["JAGA_CREDENTIAL_CALLS_PER_SECOND": "1"])
        var request = self.request(.get, "/v1/x", [:])
        request.body = [UInt8](repeating: 0, count: 59 * HostLimits.bytesPerRequest)
        let anna = Principal.person(PersonID(ID128(high: 1, low: 1)))
        #expect(
            limits.limitRefusal(of: request, by: anna, needsNone: false, at: .zero) == nil)
        #expect(
            limits.limitRefusal(of: request, by: anna, needsNone: false, at: .zero) != nil)
    }

    @Test func `checks every request of a service`() throws {
        let stage = try Stage()
        stage.httpServer.requests.append(
            Request(
                id: 900, method: .get, path: "/v1/anything",
                headers: ["Host": "a", "Origin": "https://b"]))
        try stage.run(until: { stage.httpServer.answers[900] != nil })
        #expect(stage.httpServer.answers[900]?.status == 403)
        stage.httpServer.requests.append(
            Request(
                id: 901, method: .get, path: "/v1/status/timer",
                headers: ["Host": "a", "Sec-Fetch-Site": "cross-site"]))
        try stage.run(until: { stage.httpServer.answers[901] != nil })
        #expect(stage.httpServer.answers[901]?.status == 403)
    }
}
