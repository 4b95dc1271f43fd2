import Hashing
import Model
import Parsing
import Runtime
import TestSupport
import Testing

@testable import NotifierDaemon

struct IncomingReplyTests {
    private static let number = "+60129999999"
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Files.write(Array("secret\n".utf8), to: folder.file("password"), mode: 0o600)
    }

    private func host(_ gateway: String) throws -> TestHost {
        try TestHost([
            "JAGA_SMS_GATEWAY": gateway, "JAGA_SMS_USER": "jaga",
            "JAGA_SMS_PASSWORD_FILE": folder.file("password"), "JAGA_SMS_REPLIES": "on",
        ])
    }

    /// Callback path of the gateway for incoming SMS, as shown to the operator.
    private func path(_ host: TestHost) throws -> String {
        let item = try host.get("/v1/gateways").json["items"]?[0]
        let address = try #require(item?["replies"]?.string)
        #expect(address.hasPrefix("http://127.0.0.1:8105/v1/replies/"))
        return String(address.dropFirst("http://127.0.0.1:8105".count))
    }

    private func stopped(_ host: TestHost) throws -> [String] {
        try host.get("/v1/opt-outs").json["items"]?.array?.compactMap { $0["number"]?.string }
            ?? []
    }

    @Test func `Kannel reports by query, repeatedly, and it counts once`() throws {
        let host = try host("kannel")
        let path = try path(host)
        for _ in 1...2 {
            let request = try host.send(
                .get, path, as: nil, query: "from=%2B60129999999&text=STOP&id=a-1")
            let answer = try #require(host.answers[request])
            #expect(answer.status == 200 && answer.body.isEmpty)
            try host.restart()
        }
        #expect(try stopped(host) == [Self.number])
        #expect(host.transfers.isEmpty, "what was under way when it died is not sent again")
        _ = try host.send(.get, path, as: nil, query: "from=+60129999999&text=START&id=a-2")
        #expect(try stopped(host).isEmpty)
        // A late repetition of an old report.
        _ = try host.send(.get, path, as: nil, query: "from=+60129999999&text=STOP&id=a-1")
        #expect(try stopped(host).isEmpty)
    }

    @Test func `a later part of a long text is no command`() throws {
        let host = try host("jasmin")
        let path = try path(host)
        func receive(_ id: Int, _ hex: String) throws {
            let form = "id=\(id)&from=60129999999&content=x&binary=\(hex)&coding=8"
            try host.send(
                .post, path, form, as: nil,
                headers: [("Content-Type", "application/x-www-form-urlencoded")])
        }
        try receive(1, "0500032a0202" + "00530054004f0050")
        #expect(try stopped(host).isEmpty)
        try receive(2, "0500032b0201" + "00530054004f0050")
        #expect(try stopped(host) == [Self.number])
    }

    @Test func `Twilio reports by form and gets its empty response`() throws {
        let host = try host("twilio")
        let request = try host.send(
            .post, try path(host), "From=%2B60129999999&Body=stop&MessageSid=SM1", as: nil,
            headers: [("Content-Type", "application/x-www-form-urlencoded")])
        let answer = try #require(host.answers[request])
        #expect(String(decoding: answer.body, as: UTF8.self) == "<Response/>")
        #expect(answer.headers["Content-Type"] == "text/xml")
        #expect(try stopped(host) == [Self.number])
    }

    @Test func `only the gateway's own address is accepted`() throws {
        let host = try host("kannel")
        let query = "from=%2B60129999999&text=STOP&id=a-1"
        let wrong = try host.send(
            .get, "/v1/replies/" + String(repeating: "A", count: 22), as: nil,
            query: query)
        #expect(host.answers[wrong]?.status == 404)
        #expect(try stopped(host).isEmpty)
        #expect(try host.get("/v1/gateways", as: "person-2").status == 403)
    }

    @Test(arguments: [
        "from=40404&text=STOP", "from=Bank&text=STOP", "text=STOP", "from=60129999999",
    ])
    func `a text without a number is answered and ignored`(query: String) throws {
        let host = try host("kannel")
        let request = try host.send(.get, try path(host), as: nil, query: query)
        #expect(host.answers[request]?.status == 200)
        #expect(try stopped(host).isEmpty)
    }

    @Test func `the built-in sink accepts no texts`() throws {
        let host = try TestHost()
        #expect(try host.get("/v1/gateways").json["items"]?[0]?["replies"] == .null)
    }

    @Test func `OK by SMS is in the timeline with its sender, and other texts, too`() throws {
        let host = try host("kannel")
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        let path = try path(host)
        _ = try host.send(.get, path, as: nil, query: "from=+60111000002&text=On+my+way&id=b-1")
        let sent = try NotifierStore(database: host.database)
            .notifications(of: emergency(1), limit: 10)
        let code = try #require(sent.first { $0.address == "+60111000002" }).reference
        _ = try host.send(.get, path, as: nil, query: "from=+60111000002&text=OK+\(code)&id=b-2")
        let items = try host.get("/v1/circles/\(family)/timeline").json["items"]?.array ?? []
        let lines = Dictionary(
            items.map { ($0["kind"]?.string ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        #expect(lines["reply"]?["text"] == "On my way")
        #expect(lines["acknowledged"]?["by"]?["name"] == "Budi")
    }
}
