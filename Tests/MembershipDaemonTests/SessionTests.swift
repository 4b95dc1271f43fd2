import Hashing
import MembershipCore
import Model
import Parsing
import Runtime
import Store
import TestSupport
import Testing

@testable import MembershipDaemon

/// Sessions and credentials over the real process. Signing in is tested elsewhere: here a session
/// is written into the store.
@Suite(.serialized) struct `Sessions over HTTP` {
    private let token = String(repeating: "s", count: 43)
    private static let own = ["Sec-Fetch-Site": "same-origin"]

    private func cookie(_ token: String) -> [String: String] {
        ["Cookie": "a=b; jaga-local=\(token)"]
    }

    /// Opens a session of a person that ends after a time without use.
    private func open(
        _ jaga: RunningMembership, _ person: String, _ number: UInt64, endsIn days: Int64
    ) async throws -> String {
        await jaga.kill()
        let id = CredentialID(ID128(high: 77, low: number))
        let token = String(repeating: "s", count: 42) + "\(number)"
        do {
            let store = try Database(path: jaga.home + "/membership/store.sqlite", migrations: nil)
            let now = SystemClock().now
            let who = try #require(PersonID(person))
            try DirectoryRows(database: store, rights: .standard).record(
                .credentialChanged(
                    Credential(
                        id: id, hash: Hash.sha256Text(token), kind: .session, person: who,
                        created: now, expires: now + .seconds(days * 86_400))))
            try SessionRows(database: store).record(
                .save(
                    Session(
                        id: id, person: who, name: "Firefox on Linux", opened: now,
                        credential: id)))
        }
        try await jaga.startAgain()
        return token
    }

    private func send(
        _ jaga: RunningMembership, _ method: String, _ path: String, _ headers: [String: String],
        _ body: String = ""
    ) throws -> PlainHTTP.Answer {
        try PlainHTTP(port: jaga.portBase + 2).send(
            method, path, body: Array(body.utf8), headers: headers)
    }

    @Test func `a browser reads with its cookie, and changes from its own page only`()
        async throws
    {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let cookie = cookie(try await open(jaga, anna, 1, endsIn: 80))
        let path = "/v1/people/\(anna)"
        let read = try send(jaga, "GET", path, cookie)
        #expect(read.status == 200 && read.json["name"] == "Anna")
        #expect(read.headers["set-cookie"] == nil, "too early to renew it")
        #expect(try send(jaga, "GET", path, ["Cookie": "__Host-jaga=" + token]).status == 401)
        for proof in [[:], ["Sec-Fetch-Site": "same-site"], ["Origin": "http://127.0.0.1:1"]] {
            let headers = cookie.merging(proof) { $1 }
            let refused = try send(jaga, "PUT", path, headers, #"{"name":"Eve"}"#)
            #expect(refused.status == 403, "\(proof)")
        }
        let origin = ["Origin": "http://127.0.0.1:\(jaga.portBase + 2)"]
        for proof in [Self.own, origin] {
            let headers = cookie.merging(proof) { $1 }
            #expect(try send(jaga, "PUT", path, headers, #"{"name":"Anna T"}"#).status == 200)
        }
        // The operator's token takes precedence.
        let both = try jaga.ask("GET", "/v1/people", headers: cookie)
        #expect(both.status == 200)
        #expect(try send(jaga, "GET", "/v1/people", cookie).status == 403)
    }

    @Test func `the cookie of an erased person opens nothing, and changes nothing`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let ben = try jaga.person("Ben")
        let cookie = cookie(try await open(jaga, anna, 1, endsIn: 80))
        #expect(try send(jaga, "GET", "/v1/me", cookie).status == 200)
        #expect(try jaga.ask("DELETE", "/v1/people/\(anna)").status == 200)
        let own = cookie.merging(Self.own) { $1 }
        for path in ["/v1/me", "/v1/sessions", "/v1/people/\(anna)", "/v1/people/\(ben)"] {
            let answer = try send(jaga, "GET", path, cookie)
            #expect(answer.status == 401, "\(path)")
            #expect(answer.headers["set-cookie"] == nil)
        }
        let changed = try send(jaga, "PUT", "/v1/people/\(anna)", own, #"{"name":"Eve"}"#)
        #expect(changed.status == 401)
        #expect(try send(jaga, "POST", "/v1/circles", own, #"{"name":"Left"}"#).status == 401)
        #expect(try jaga.ask("GET", "/v1/circles").json["items"]?.array?.isEmpty == true)
        #expect(jaga.membership?.text.contains(token) == false)
    }

    @Test func `a session is listed, renewed in its second half, and ended`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let old = try await open(jaga, anna, 1, endsIn: 40)
        let renewed = try send(jaga, "GET", "/v1/sessions", cookie(old))
        let line = try #require(renewed.headers["set-cookie"])
        #expect(line.contains("HttpOnly") && line.contains("SameSite=Lax"))
        #expect(line.contains("Max-Age=7776000") && renewed.headers["cache-control"] == "no-store")
        let new = try #require(line.firstMatch(of: /jaga-local=([A-Za-z0-9_-]{43});/)?.output.1)
        let again = try send(jaga, "GET", "/v1/sessions", cookie(old))
        #expect(again.status == 200 && again.headers["set-cookie"] == nil)
        let list = try send(jaga, "GET", "/v1/sessions", cookie(String(new))).json["items"]?.array
        #expect(list?.count == 1 && list?.first?["current"] == true)
        #expect(list?.first?["name"] == "Firefox on Linux")
        #expect(!jaga.storeBytes().contains(new))

        let id = try #require(list?.first?["id"]?.string)
        let headers = cookie(String(new)).merging(Self.own) { $1 }
        let ended = try send(jaga, "DELETE", "/v1/sessions/\(id)", headers)
        #expect(ended.status == 204)
        #expect(ended.headers["set-cookie"]?.hasPrefix("jaga-local=; Path=/; Max-Age=0") == true)
        for token in [old, String(new)] {
            #expect(try send(jaga, "GET", "/v1/sessions", cookie(token)).status == 401)
        }
    }

    @Test func `credentials are listed with kind, use and expiry, and revoked`() async throws {
        let jaga = try await RunningMembership()
        let anna = try jaga.person("Anna")
        let token = try jaga.token(of: anna)
        let path = "/v1/people/\(anna)/credentials"
        #expect(try jaga.activate(anna).status == 400, "the code works once")
        #expect(try jaga.ask("POST", path).status == 403, "the operator creates none")
        let made = try jaga.ask("POST", path, "{'kind': 'help', 'name': 'old phone'}", as: token)
        #expect(made.status == 201)
        let help = try made.text("credential", "token")
        #expect(try jaga.ask("GET", path, as: help).status == 403)
        #expect(try jaga.ask("POST", path, "{'kind': 'session'}", as: token).field == "kind")
        #expect(try jaga.ask("POST", path, "{'expires': 'soon'}", as: token).field == "expires")
        try jaga.ask("POST", "/v1/people/\(anna)/devices", "{'name': 'Phone'}", as: token)
        let items = try #require(try jaga.ask("GET", path, as: token).json["items"]?.array)
        #expect(Set(items.compactMap { $0["kind"]?.string }) == ["person", "help", "report"])
        for item in items {
            #expect(item["hash"] == nil && item["token"] == nil)
            #expect((item["expires"] == .null) == (item["kind"]?.string != "person"))
        }
        #expect(try jaga.ask("GET", path).json["items"]?.array?.count == 3, "for the operator too")
        let id = try made.text("credential", "id")
        #expect(try jaga.ask("DELETE", path + "/" + id, as: token).status == 204)
        #expect(try jaga.ask("GET", path, as: help).status == 401)
        let wasUsed = try await eventually(within: 90) {
            let items = try jaga.ask("GET", path, as: token).json["items"]?.array
            let own = items?.first { $0["kind"] == "person" }
            let today = String(SystemClock().now.description.prefix(10))
            return own?["lastUsed"]?.string == today
        }
        #expect(wasUsed)
    }
}
