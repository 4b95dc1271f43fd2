import Hashing
import Hosting
import Model
import NotifierCore
import Parsing
import Testing
import Web

@testable import NotifierDaemon

/// Requests about an emergency of Aisha that goes on after her duress PIN. Budi is the guardian.
@Suite struct `Requests about an emergency under duress` {
    private let host: TestHost
    private static let covert = EmergencyID(ID128(high: 9, low: 99))

    init() throws {
        host = try TestHost(publicURL: "https://jaga.example")
        let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)
        let hashes = ["4711", "0815"].map {
            Hex.encode(PINHash.of($0, person: person(1), salt: salt))
        }
        host.replica.apply(
            .pinChanged(PersonPIN(person: person(1), salt: Hex.encode(salt), hashes: hashes)))
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
    }

    private func end(underDuress: Bool) throws {
        if underDuress {
            try host.receive(
                .sosRaised(
                    EmergencySignal(
                        id: Self.covert, person: person(1), trigger: .panic, raised: host.now,
                        received: host.now, countdownEnds: host.now,
                        underDuress: emergency(1))))
        }
        try host.receive(
            .sosCancelled(
                EmergencyCancel(
                    id: EventID(ID128(high: 66, low: 1)), person: person(1),
                    emergency: emergency(1), received: host.now, endsOpen: true)))
    }

    /// The page of Budi's link in the message that was sent first, after *Show*.
    private func page() throws -> String {
        let texts = try host.database.all(
            "SELECT text FROM sink WHERE address = 'Budi@example.org' ORDER BY seq"
        ) { $0.text(0) }
        let text = try #require(texts.first)
        let start = try #require(text.firstRange(of: "https://jaga.example")).upperBound
        let path = String(text[start...].prefix { !$0.isWhitespace })
        let cover = try response(.get, path)
        let name = "name=\"page\" value=\""
        guard let form = cover.firstRange(of: name) else { return cover }
        let token = String(cover[form.upperBound...].prefix { $0 != "\"" })
        let query = Query([.init("page", token), .init("do", "show")])
        return try response(.post, path, query.encoded)
    }

    private func response(
        _ method: Web.Method, _ path: String, _ body: String = ""
    ) throws -> String {
        let id = try host.send(
            method, path, body, as: nil,
            headers: [("Content-Type", "application/x-www-form-urlencoded")])
        return String(decoding: try #require(host.answers[id]).body, as: UTF8.self)
    }

    private var looks: [AccessRecord] {
        host.published.compactMap {
            if case .accessRecorded(let record) = $0.body { record } else { nil }
        }
    }

    @Test func `the page of an older link has no number and says not to call`() throws {
        #expect(try page().contains("tel:+60111000001"))
        try end(underDuress: true)
        host.published = []
        let page = try page()
        #expect(page.contains("do not call or text them"))
        #expect(!page.contains("tel:") && !page.contains("+60111000001"))
        #expect(page.contains("I am responding"))
        #expect(looks.isEmpty, "no row in the access log of the person, for good")
    }

    @Test func `after a true end an older link is not valid`() throws {
        try end(underDuress: false)
        #expect(try page().contains("This link is not valid"))
    }

    @Test func `looks at its timeline and messages are not recorded`() throws {
        try end(underDuress: true)
        let count = try host.database.first("SELECT count(*) FROM timeline") { $0.int64(0) }
        #expect(count != 0)
        try host.database.run(
            "DELETE FROM timeline WHERE json_extract(body, '$.isCovert') IS NULL")
        try host.database.run(
            "DELETE FROM notifications WHERE json_extract(body, '$.emergency') != ?1",
            .text(Self.covert.description))
        host.published = []
        let timeline = try host.get("/v1/circles/\(family)/timeline", as: "person-2")
        #expect(timeline.json["items"]?.array?.isEmpty == false)
        let messages = try host.get("/v1/people/\(person(2))/notifications", as: "person-2")
        #expect(messages.json["items"]?.array?.isEmpty == false)
        _ = try host.get("/v1/escalations/\(Self.covert)", query: "reason=case%2012345")
        #expect(!looks.contains { $0.person == person(1) })
        for path in ["/v1/circles/\(family)/timeline", "/v1/people/\(person(1))/notifications"] {
            let items = try host.get(path, as: "person-1").json["items"]?.array
            #expect(items?.isEmpty == true, "\(path)")
        }
    }

    @Test func `confirming an end asks for the PIN, and answers at one time`() throws {
        var team = try #require(host.replica.circle(family))
        team.id = CircleID(ID128(high: 3, low: 7))
        team.members = [
            Membership(person: person(1), role: .member, joined: .zero, trackerID: "A1"),
            Membership(person: person(4), role: .guardian, joined: .zero, trackerID: "D1"),
        ]
        host.replica.apply(.circleChanged(team))
        try host.turn { try $0.runner.submit(.directory(.circleChanged(team))) }
        _ = try host.post("/v1/emergencies/\(emergency(1))/acknowledgement", as: "person-2")
        _ = try host.post("/v1/emergencies/\(emergency(1))/resolution", as: "person-2")
        let path = "/v1/emergencies/\(emergency(1))/confirmation"
        for (body, status) in [
            ("", 403), ("{}", 403), (#"{"pin":"1111"}"#, 403), (#"{"pin":"0815"}"#, 200),
        ] {
            let id = try host.send(.post, path, body, as: "person-1")
            #expect(try host.answer(to: id).status == status, "\(body)")
            #expect(host.delays[id] == PINResponses.delay)
        }
        for body in [#"{"pin":4711}"#, #"{"pin":"x"}"#] {
            #expect(try host.post(path, body, as: "person-1").status == 400)
        }
        #expect(host.service.core.escalation.count(in: .open) == 1, "it goes on")
        #expect(!host.storeText().contains("0815"))
    }
}
