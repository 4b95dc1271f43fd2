import Directory
import Model
import TestSupport
import Testing
import Web

@testable import Hosting
@testable import Runtime

@Suite struct `The guard before a service` {
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
    func `refuses what a page of another site asks for`(marks: [String: String]) {
        var headers: Headers = ["Authorization": Self.basic]
        for (name, value) in marks { headers[name] = value }
        let problem = RequestGuard.originRefusal(of: request(.post, "/v1/x", headers))
        #expect(problem?.status == 403 && problem?.hint != nil)
        #expect(RequestGuard.originRefusal(of: request(.get, "/v1/x", headers)) != nil)
        #expect(
            RequestGuard.originRefusal(of: request(.post, "/v1/emergencies", headers)) != nil)
    }

    private static let own: [[String: String]] = [
        [:], ["Origin": "https://jaga.example.org"], ["Origin": "https://JAGA.example.org:8443"],
        ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
        ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"],
    ]

    @Test(arguments: own)
    func `lets own pages, apps and followed links pass`(marks: [String: String]) {
        var headers: Headers = ["Authorization": Self.basic]
        for (name, value) in marks { headers[name] = value }
        #expect(RequestGuard.originRefusal(of: request(.get, "/v1/x", headers)) == nil)
    }

    @Test func `a form of another site is no followed link`() {
        let headers: Headers = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"]
        #expect(RequestGuard.originRefusal(of: request(.post, "/v1/x", headers)) != nil)
    }

    @Test func `hears a call for help with a token from anywhere`() {
        let headers: Headers = [
            "Origin": "capacitor://localhost", "Authorization": "Bearer token",
        ]
        #expect(RequestGuard.originRefusal(of: request(.post, "/v1/emergencies", headers)) == nil)
        #expect(RequestGuard.originRefusal(of: request(.post, "/v1/reports", headers)) != nil)
    }

    private func guarded(_ settings: [String: String]) throws -> RequestGuard {
        RequestGuard(
            try Configuration(
                settings: CommonSettings.all, environment: settings, service: "timer"), Metrics())
    }

    @Test func `counts each caller, and wrong credentials by address`() throws {
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
        // Right credentials from there are heard all the same.
        #expect(ask(ben) == nil)
    }

    @Test func `counts large bodies as more requests`() throws {
        var limits = try guarded(["JAGA_CREDENTIAL_CALLS_PER_SECOND": "1"])
        var request = self.request(.get, "/v1/x", [:])
        request.body = [UInt8](repeating: 0, count: 59 * HostLimits.bytesPerCall)
        let anna = Principal.person(PersonID(ID128(high: 1, low: 1)))
        #expect(
            limits.limitRefusal(of: request, by: anna, needsNone: false, at: .zero) == nil)
        #expect(
            limits.limitRefusal(of: request, by: anna, needsNone: false, at: .zero) != nil)
    }

    @Test func `is asked for every request of a service`() throws {
        let stage = try Stage()
        stage.door.requests.append(
            Request(
                id: 900, method: .get, path: "/v1/anything",
                headers: ["Host": "a", "Origin": "https://b"]))
        try stage.run(until: { stage.door.answers[900] != nil })
        #expect(stage.door.answers[900]?.status == 403)
        stage.door.requests.append(
            Request(
                id: 901, method: .get, path: "/v1/status/timer",
                headers: ["Host": "a", "Sec-Fetch-Site": "cross-site"]))
        try stage.run(until: { stage.door.answers[901] != nil })
        #expect(stage.door.answers[901]?.status == 403)
    }
}
