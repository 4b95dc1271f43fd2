import Hashing
import Model
import Parsing
import Testing
import Web

@testable import IngestDaemon

@Suite struct PhoneTests {
    static let location =
        #"{"_type":"location","lat":3.1,"lon":101.7,"tst":1795169990,"batt":61,"_id":"a1"}"#

    @Test func `an OwnTracks report is stored, sequenced and answered with friends`() throws {
        let world = try World()
        try world.send(.post, "/pub", Self.location, token: "phone-2")
        let answer = try world.send(
            .post, "/pub", Self.location, headers: ["Authorization": "Basic dTpwaG9uZS0x"])
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "application/json")
        let types = answer.json.array?.map { [$0["_type"]?.string, $0["tid"]?.string] }
        #expect(
            types == [["card", "T1"], ["location", "T1"], ["card", "T2"], ["location", "T2"]])
        #expect(world.records(.inputReport).count == 2)
        let stored = try world.database.scalar("SELECT count(*) FROM report")
        #expect(stored == .integer(2))
        let seen = try world.database.scalar("SELECT count(*) FROM access")
        #expect(seen == .integer(1))
    }

    @Test(arguments: ["token=phone-1", "key=phone-1", "id=phone-1", "u=anna&dev=phone-1"])
    func `a token in the URL gets no friends, the same in a header does`(query: String) throws {
        let world = try World()
        try world.send(.post, "/pub", Self.location, token: "phone-2")
        let answer = try world.send(.post, "/pub?" + query, Self.location)
        #expect(answer.status == 200)
        for secret in ["card", "lat", "T1", "T2"] { #expect(!answer.text.contains(secret)) }
        let both = try world.send(.post, "/pub?" + query, Self.location, token: "phone-1")
        #expect(!both.text.contains("lat"), "it is still in the URL")
        #expect(try world.database.scalar("SELECT count(*) FROM access") == .integer(0))
        let shown = try world.send(.post, "/pub", Self.location, token: "phone-1")
        #expect(shown.text.contains("lat") && shown.text.contains("T2"))
    }

    @Test func `phones' paths accept no other kind of credential, and no expired one`() throws {
        let world = try World()
        func add(_ token: String, _ kind: CredentialKind, expires: Timestamp? = nil) {
            world.replica.apply(
                .credentialChanged(
                    Credential(
                        id: CredentialID(Hash.id(.text(token))), hash: Hash.sha256Text(token),
                        kind: kind, person: person(1), device: kind == .report ? device(1) : nil,
                        created: start, expires: expires)))
        }
        for kind in CredentialKind.allCases where kind != .report {
            add("other-\(kind)", kind)
            let answer = try world.send(.post, "/pub", Self.location, token: "other-\(kind)")
            #expect(answer.status == 403)
            #expect(answer.text.contains("kind \(kind)") && answer.text.contains("device"))
        }
        add("brief", .report, expires: world.now + .seconds(60))
        #expect(try world.send(.post, "/pub", Self.location, token: "brief").status == 200)
        world.now = world.now + .seconds(60)
        #expect(try world.send(.post, "/pub", Self.location, token: "brief").status == 401)
        #expect(world.records(.inputReport).count == 1)
    }

    @Test func `a repeated report is a success and stored once, also after a restart`() throws {
        let world = try World()
        for _ in 0..<2 {
            let answer = try world.send(.post, "/pub", Self.location, token: "phone-1")
            #expect(answer.status == 200)
        }
        try world.restart()
        try world.send(.post, "/pub", Self.location, token: "phone-1")
        #expect(world.records(.inputReport).count == 1)
        #expect(world.service.runner.counts.duplicates == 1)
    }

    @Test(arguments: [
        "", "not json", "[]", #"{"_type":"location","lat":91,"lon":2,"tst":1}"#,
        #"{"_type":"transition"}"#, #"{"_type":"encrypted","data":""}"#, #"{"_type":"status"}"#,
    ])
    func `valid credentials never get a 4xx for content`(body: String) throws {
        let world = try World()
        let answer = try world.send(.post, "/pub", body, token: "phone-1")
        #expect(answer.status == 200)
        #expect(answer.text == "[]")
        #expect(world.records(.inputReport).isEmpty)
    }

    @Test func `wrong credentials are 401 only while the directory is fresh`() throws {
        let world = try World()
        #expect(try world.send(.post, "/pub", "{}").status == 401)
        #expect(try world.send(.post, "/pub", "{}", token: "wrong").status == 401)
        world.isDirectoryFresh = false
        let answer = try world.send(.post, "/pub", "{}", token: "wrong")
        #expect(answer.status == 503)
        #expect(answer.headers["Retry-After"] != nil)
        #expect(try world.send(.post, "/pub", "{}").status == 401)
        #expect(try world.send(.post, "/pub", Self.location, token: "phone-1").status == 200)
    }

    @Test(arguments: ["person-1", "operator"])
    func `only devices report`(token: String) throws {
        let world = try World()
        #expect(try world.send(.post, "/pub", Self.location, token: token).status == 403)
        #expect(try world.send(.post, "/v1/reports", "{}", token: token).status == 403)
    }

    @Test func `the word SOS in a report calls for help`() throws {
        let world = try World()
        let body = #"{"_type":"location","lat":3.1,"lon":101.7,"tst":1795169990,"poi":"sos"}"#
        try world.send(.post, "/pub", body, token: "phone-1")
        try world.send(.post, "/pub", body, token: "phone-1")
        #expect(world.records(.sosRaised).count == 1)
        #expect(world.records(.inputSignal).count == 1)
    }

    @Test func `own reports are counted, and rejected ones are listed`() throws {
        let world = try World()
        let good = #"{"lat":1,"lon":2,"time":"2026-11-20T10:19:00Z"}"#
        let answer = try world.send(
            .post, "/v1/reports", #"{"reports":[\#(good),\#(good),{"lat":1}]}"#, token: "phone-1")
        #expect(answer.status == 202)
        let expected =
            #"{"accepted":1,"duplicates":1,"quarantined":[{"index":2,"reason":"bad-time"}]}"#
        #expect(answer.text == expected)
    }

    @Test(arguments: [
        (#"{"lat":"#, "not-json"), ("", "not-json"), ("[]", "not-an-object"),
        (#"{"reports":7}"#, "not-an-object"),
    ])
    func `invalid reports are quarantined, visible to their person`(
        body: String, reason: String
    ) throws {
        let world = try World()
        let answer = try world.send(.post, "/v1/reports", body, token: "phone-1")
        #expect(answer.status == 202)
        let left = #"[{"index":0,"reason":"\#(reason)"}]"#
        #expect(answer.text == #"{"accepted":0,"duplicates":0,"quarantined":\#(left)}"#)
        let kept = try world.send(.get, "/v1/quarantine", token: "person-1").json["items"]
        #expect(kept?[0]?["reason"]?.string == reason)
        let deviceLog = try world.send(.get, "/v1/devices/\(device(1))/log", token: "person-1").json
        #expect(deviceLog["items"]?[0]?["outcome"] == "quarantined")
    }

    @Test func `too many reports in one request are a 400 with a reason`() throws {
        let world = try World()
        let body = #"{"reports":["# + String(repeating: "{},", count: 2000) + "{}]}"
        let answer = try world.send(.post, "/v1/reports", body, token: "phone-1")
        #expect(answer.status == 400)
        #expect(answer.headers["Content-Type"] == "application/problem+json")
        #expect(answer.json["detail"]?.string?.isEmpty == false)
        #expect(answer.json["hint"]?.string?.isEmpty == false)
        #expect(answer.json["field"]?.string == "reports")
        #expect(try world.database.scalar("SELECT count(*) FROM quarantine") == .integer(0))
    }

    @Test func `a repeated request with a key gets the stored response`() throws {
        let world = try World()
        let body = #"{"lat":1,"lon":2,"time":"2026-11-20T10:19:00Z"}"#
        func send(_ token: String) throws -> String {
            try world.send(
                .post, "/v1/reports", body, token: token, headers: ["Idempotency-Key": "k"]
            ).text
        }
        let first = try send("phone-1")
        #expect(first.contains(#""accepted":1"#))
        #expect(try send("phone-1") == first)
        #expect(try send("phone-2").contains(#""accepted":1"#))
        world.now = start + .seconds(25 * 3600)
        try world.turn {}
        #expect(try send("phone-1").contains(#""duplicates":1"#))
    }

    @Test func `a turn that was rolled back has stored nothing`() throws {
        let world = try World()
        let count = world.records.count
        let request = world.request(.post, "/pub", Self.location, token: "phone-1")
        try world.failingTurn { try world.service.handle(request) }
        #expect(world.answers[request.id] == nil)
        #expect(world.records.count == count)
        try world.send(.post, "/pub", Self.location, token: "phone-1")
        #expect(world.records(.inputReport).count == 1)
        #expect(world.service.runner.counts.duplicates == 0)
        let leader = world.records.first { record in
            guard case .inputPerson(let placed) = record.event.body else { return false }
            return placed.primaryDevice == device(1)
        }
        #expect(leader != nil)
    }

    @Test func `everything is as it was after a restart`() throws {
        let world = try World()
        let old = #"{"lat":1,"lon":2,"time":"2026-11-20T10:00:00Z","altitude":7,"charging":true}"#
        try world.send(.post, "/v1/reports", old, token: "phone-1")
        try world.send(.post, "/pub", Self.location, token: "phone-2")
        try world.send(.post, "/v1/emergencies", "", token: "phone-2")
        let request = world.request(.post, "/v1/reports", old, token: "phone-2")
        try world.database.transaction { try world.service.handle(request) }
        let before = try Writer(database: world.database).load()
        #expect(before.waiting.count == 1)
        #expect(before.waiting.first?.report.fix.altitudeCentimetres == 700)
        #expect(before.waiting.first?.report.charging == true)
        #expect(before.waiting.first?.report.trace == request.trace)
        #expect(before.devices.count == 2 && before.emergencies.count == 1)
        #expect(before.time == start)
        let count = world.records(.inputReport).count
        try world.restart()
        #expect(world.records(.inputReport).count == count + 1)
        #expect(try Writer(database: world.database).load().waiting.isEmpty)
        #expect(world.records(.inputLogic).count == Set(world.records.map(\.stream)).count - 1)
    }
}
