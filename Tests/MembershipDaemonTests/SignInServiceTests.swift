import Foundation
import MembershipCore
import Model
import Parsing
import Store
import TestSupport
import Testing

@testable import MembershipDaemon

/// Signing in over the real HTTP and store.
@Suite(.serialized) struct SignInServiceTests {
    private func post(
        _ jaga: RunningMembership, _ path: String, _ body: String,
        headers: [String: String] = [:]
    ) throws -> PlainHTTP.Answer {
        try PlainHTTP(port: jaga.portBase + 2).send(
            "POST", path, body: Array(body.replacing("'", with: "\"").utf8), headers: headers)
    }

    private func request(_ jaga: RunningMembership, _ contact: String) throws -> PlainHTTP.Answer {
        try post(jaga, "/v1/sign-in/codes", "{'contact': '\(contact)'}")
    }

    private func enter(
        _ jaga: RunningMembership, _ contact: String, _ code: String
    ) throws -> PlainHTTP.Answer {
        try post(jaga, "/v1/sessions", "{'contact': '\(contact)', 'code': '\(code)'}")
    }

    private func addAnna(_ jaga: RunningMembership) throws {
        let contacts = "[{'channel': 'sms', 'address': '+15550000101', 'vouched': true}]"
        let made = try jaga.ask("POST", "/v1/people", "{'name': 'Anna', 'contacts': \(contacts)}")
        #expect(made.json["contacts"]?[0]?["verified"]?.string != nil)
        #expect(made.json["contacts"]?[0]?["vouched"] == true)
    }

    @Test func `known and unknown contacts get the same bytes`() async throws {
        let jaga = try await RunningMembership()
        try addAnna(jaga)
        let (known, unknown) = ("+15550000101", "+15550000999")
        let codes = [try request(jaga, known), try request(jaga, unknown)]
        #expect(codes.map(\.status) == [202, 202])
        #expect(codes[0].body == codes[1].body)
        let sessions = [try enter(jaga, known, "000000"), try enter(jaga, unknown, "000000")]
        #expect(sessions.map(\.status) == [401, 401])
        #expect(sessions[0].body == sessions[1].body)
        #expect(!sessions[0].headers.keys.contains("set-cookie"))
        // Nobody asked for a code.
        #expect(try enter(jaga, "+15550000777", "000000").body == sessions[0].body)
        #expect(!jaga.storeBytes().contains(unknown), "a stranger's number is not stored")
    }

    @Test func `limits hold after a restart`() async throws {
        let jaga = try await RunningMembership()
        for _ in 1...5 { #expect(try request(jaga, "+15550000999").status == 202) }
        #expect(try request(jaga, "+15550000999").status == 429)
        await jaga.kill()
        try await jaga.startAgain(["JAGA_SIGN_IN_CODES_PER_NETWORK": "6"])
        let again = try request(jaga, "+15550000999")
        #expect(again.status == 429)
        #expect(again.headers["retry-after"] != nil)
        #expect(try request(jaga, "+15550000998").status == 202)
        #expect(try request(jaga, "+15550000997").status == 429, "the limit of the network")
    }

    @Test(arguments: [
        ("{}", "contact"), ("{'contact': 'anna'}", "contact"), ("{'contact': 5}", "contact"),
        ("{'contact': '+15550000101', 'x': 1}", "x"),
    ])
    func `a request for a code needs a number or an address`(
        body: String, field: String
    ) async throws {
        let jaga = try await RunningMembership()
        let answer = try post(jaga, "/v1/sign-in/codes", body)
        #expect(answer.status == 400 && answer.field == field)
    }

    @Test func `a page of another site cannot sign a browser in`() async throws {
        let jaga = try await RunningMembership()
        let answer = try post(
            jaga, "/v1/sessions", "{'contact': '+15550000101', 'code': '000000'}",
            headers: ["Origin": "https://evil.example"])
        #expect(answer.status == 403)
    }

    @Test func `a person tests and verifies their own contact points only`() async throws {
        let jaga = try await RunningMembership()
        let id = try jaga.person("Anna")
        let anna = try jaga.ask(
            "PUT", "/v1/people/\(id)",
            "{'contacts': [{'channel': 'sms', 'address': '+15550000101'}]}")
        let contact = try #require(anna.json["contacts"]?[0]?["id"]?.string)
        #expect(anna.json["contacts"]?[0]?["verified"] == .null)
        let path = "/v1/people/\(id)/contacts/\(contact)"
        #expect(try jaga.ask("POST", path + "/code").status == 403, "not the operator")
        let token = try jaga.token(of: id)
        #expect(try jaga.ask("POST", path + "/test", as: token).status == 409)
        let sent = try jaga.ask("POST", path + "/code", as: token)
        #expect(sent.status == 202 && sent.json["expires"]?.string != nil)
        let wrong = try jaga.ask("POST", path + "/verification", "{'code': '12345'}", as: token)
        #expect(wrong.status == 400 && wrong.field == "code")
        let vouched =
            "{'contacts': [{'channel': 'sms', 'address': '+15550000101', 'vouched': true}]}"
        #expect(try jaga.ask("PUT", "/v1/people/\(id)", vouched, as: token).status == 403)
        #expect(try jaga.ask("PUT", "/v1/people/\(id)", vouched).status == 200)
        let last = try jaga.ask("PUT", "/v1/people/\(id)", "{'contacts': []}", as: token)
        #expect(last.json["warning"]?["reason"] == "no-contact-point")
    }

    @Test func `people of a store from before are to be asked, those of a new one are not`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let anna = PersonID(ID128(high: 1, low: 1))
        do {
            let former = Tables.migrations.filter { $0.component != "" || $0.number < 6 }
            let store = try Database(path: path, migrations: former)
            try store.run("INSERT INTO person VALUES (?, ?)", .id(anna), .blob(Array("{}".utf8)))
        }
        let store = try Database(path: path, migrations: Tables.migrations)
        let now = Timestamp(seconds: 1_800_000_000)
        let rows = ContactReminderRows(database: store)
        #expect(try rows.load(at: now).nextDue == now + Limits.contactReminderInterval)
        try rows.remove(anna)
        #expect(try rows.load(at: now).nextDue == nil)
    }
}
