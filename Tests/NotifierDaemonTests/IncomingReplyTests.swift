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

    private func house(_ gateway: String) throws -> House {
        try House([
            "JAGA_SMS_GATEWAY": gateway, "JAGA_SMS_USER": "jaga",
            "JAGA_SMS_PASSWORD_FILE": folder.file("password"), "JAGA_SMS_REPLIES": "on",
        ])
    }

    /// Where the gateway is to tell of texts, as the operator sees it.
    private func path(_ house: House) throws -> String {
        let item = try house.get("/v1/gateways").json["items"]?[0]
        let address = try #require(item?["replies"]?.string)
        #expect(address.hasPrefix("http://127.0.0.1:8105/v1/replies/"))
        return String(address.dropFirst("http://127.0.0.1:8105".count))
    }

    private func stopped(_ house: House) throws -> [String] {
        try house.get("/v1/stops").json["items"]?.array?.compactMap { $0["number"]?.string } ?? []
    }

    @Test func `Kannel tells by its query, again and again, and it counts once`() throws {
        let house = try house("kannel")
        let path = try path(house)
        for _ in 1...2 {
            let request = try house.send(
                .get, path, as: nil, query: "from=%2B60129999999&text=STOP&id=a-1")
            let answer = try #require(house.answers[request])
            #expect(answer.status == 200 && answer.body.isEmpty)
            try house.restart()
        }
        #expect(try stopped(house) == [Self.number])
        #expect(house.transfers.isEmpty, "what was under way when it died is not sent again")
        _ = try house.send(.get, path, as: nil, query: "from=+60129999999&text=START&id=a-2")
        #expect(try stopped(house).isEmpty)
        // Told again, late: it was done long ago.
        _ = try house.send(.get, path, as: nil, query: "from=+60129999999&text=STOP&id=a-1")
        #expect(try stopped(house).isEmpty)
    }

    @Test func `a later part of a long text is no command`() throws {
        let house = try house("jasmin")
        let path = try path(house)
        func tell(_ id: Int, _ hex: String) throws {
            let form = "id=\(id)&from=60129999999&content=x&binary=\(hex)&coding=8"
            try house.send(
                .post, path, form, as: nil,
                headers: [("Content-Type", "application/x-www-form-urlencoded")])
        }
        try tell(1, "0500032a0202" + "00530054004f0050")
        #expect(try stopped(house).isEmpty)
        try tell(2, "0500032b0201" + "00530054004f0050")
        #expect(try stopped(house) == [Self.number])
    }

    @Test func `Twilio tells by a form and gets its empty response`() throws {
        let house = try house("twilio")
        let request = try house.send(
            .post, try path(house), "From=%2B60129999999&Body=stop&MessageSid=SM1", as: nil,
            headers: [("Content-Type", "application/x-www-form-urlencoded")])
        let answer = try #require(house.answers[request])
        #expect(String(decoding: answer.body, as: UTF8.self) == "<Response/>")
        #expect(answer.headers["Content-Type"] == "text/xml")
        #expect(try stopped(house) == [Self.number])
    }

    @Test func `only the gateway's own address is believed`() throws {
        let house = try house("kannel")
        let query = "from=%2B60129999999&text=STOP&id=a-1"
        let wrong = try house.send(
            .get, "/v1/replies/" + String(repeating: "A", count: 22), as: nil,
            query: query)
        #expect(house.answers[wrong]?.status == 404)
        #expect(try stopped(house).isEmpty)
        #expect(try house.get("/v1/gateways", as: "person-2").status == 403)
    }

    @Test(arguments: [
        "from=40404&text=STOP", "from=Bank&text=STOP", "text=STOP", "from=60129999999",
    ])
    func `a text of no number is answered and passed over`(query: String) throws {
        let house = try house("kannel")
        let request = try house.send(.get, try path(house), as: nil, query: query)
        #expect(house.answers[request]?.status == 200)
        #expect(try stopped(house).isEmpty)
    }

    @Test func `the built-in sink takes no texts`() throws {
        let house = try House()
        #expect(try house.get("/v1/gateways").json["items"]?[0]?["replies"] == .null)
    }

    @Test func `OK by SMS stands in the timeline with whoever wrote it, words too`() throws {
        let house = try house("kannel")
        try house.tell(House.opened(), on: .events(.of(person(1))))
        let path = try path(house)
        _ = try house.send(.get, path, as: nil, query: "from=+60111000002&text=On+my+way&id=b-1")
        let code = 1000 + Hash.id("reference", .id(emergency(1))).low % 9000
        _ = try house.send(.get, path, as: nil, query: "from=+60111000002&text=OK+\(code)&id=b-2")
        let items = try house.get("/v1/circles/\(family)/timeline").json["items"]?.array ?? []
        let lines = Dictionary(
            items.map { ($0["kind"]?.string ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        #expect(lines["reply"]?["words"] == "On my way")
        #expect(lines["taken"]?["by"]?["name"] == "Budi")
    }
}
