import IngestCore
import Model
import Parsing
import Testing
import Web

@testable import IngestDaemon

@Suite struct AlarmTests {
    private let path = "/v1/people/\(person(1))/alarm"
    private let zone = ZoneID(ID128(high: 5, low: 1))
    private let fix = Fix(
        time: start, position: Coordinate(latitude: 3.139, longitude: 101.6869)!,
        accuracyCentimetres: 1200)

    private func alarm(rings: Int = 1) -> AlarmChange {
        AlarmChange(
            alarm: AlarmID(ID128(high: 7, low: 1)), person: person(1), zone: zone,
            zoneName: "River", category: "water", priority: 3, circle: circle(1), vibrates: true,
            sound: "Bell", presence: .near, rings: rings, fix: fix)
    }

    private func compute(_ world: World, _ body: EventBody, id: UInt64) throws {
        try world.receive(body, id: id, on: .events(.of(person(1))))
    }

    @Test func `an alarm is shown, answered once and for all repetitions of the request`() throws {
        let world = try World()
        try compute(world, .alarmStarted(alarm()), id: 1)
        try world.restart()
        let shown = try world.send(.get, path, token: "phone-1")
        #expect(shown.status == 200 && shown.json["armed"] == true)
        let first = try #require(shown.json["alarms"]?[0])
        #expect(first["zone"]?["name"] == "River" && first["zone"]?["priority"] == 3)
        #expect(first["presence"] == "near" && first["rings"] == 1 && first["answer"] == .null)
        func close() throws -> Response {
            try world.send(
                .post, path + "/close", #"{"zone":"\#(zone)"}"#, token: "phone-1",
                headers: ["Idempotency-Key": "k"])
        }
        let answer = try close()
        #expect(answer.status == 202 && answer.json["alarms"]?[0]?["answer"] == "close")
        #expect(try close().text == answer.text)
        #expect(world.records(.inputAlarmAnswer).count == 1)
    }

    @Test func `arming is stored before the response`() throws {
        let world = try World()
        let request = world.request(.post, path + "/disarm", token: "person-1")
        try world.failingTurn { try world.service.handle(request) }
        #expect(world.answers[request.id] == nil && world.records(.inputArming).isEmpty)
        #expect(try world.send(.post, path + "/disarm", token: "person-1").status == 202)
        try world.restart()
        #expect(try world.send(.get, path, token: "person-1").json["armed"] == false)
        #expect(try world.send(.post, path + "/arm", token: "phone-1").json["armed"] == true)
        #expect(world.records(.inputArming).count == 2)
    }

    @Test func `an invalid request is rejected with its field`() throws {
        let world = try World()
        #expect(try world.send(.post, path + "/explode", token: "phone-1").status == 404)
        #expect(try world.send(.post, path + "/close", token: "phone-2").status == 403)
        #expect(try world.send(.get, path, token: "operator").status == 403)
        for body in [#"{"zone":"x"}"#, #"{"zone":7}"#] {
            let answer = try world.send(.post, path + "/sleep", body, token: "phone-1")
            #expect(answer.status == 400 && answer.json["field"] == "zone")
        }
        #expect(try world.send(.post, path + "/sleep", "{", token: "phone-1").status == 400)
        #expect(
            try world.send(.post, path + "/sleep", #"{"zone":null}"#, token: "phone-1").status
                == 202)
        #expect(world.records(.inputAlarmAnswer).count == 1)
    }

    @Test func `an OwnTracks phone gets each ring once, as a complete transition`() throws {
        let world = try World()
        try compute(world, .alarmStarted(alarm()), id: 1)
        func ring() throws -> [JSON] {
            let answer = try world.send(
                .post, "/pub",
                #"{"_type":"location","lat":3,"lon":101,"tst":\#(world.now.seconds)}"#,
                token: "phone-1")
            world.now = world.now + .seconds(1)
            return (answer.json.array ?? []).filter { $0["_type"] == "transition" }
        }
        let transition = try #require(try ring().first)
        #expect(transition["event"] == "enter" && transition["desc"] == "River")
        #expect(transition["tid"] == "T1" && transition["acc"] == 12 && transition["t"] == "c")
        #expect(transition["lat"] == 3.139 && transition["lon"] == 101.6869)
        #expect(transition["tst"]?.int == Int(start.seconds))
        #expect(transition["wtst"]?.int == Int(start.seconds))
        try world.restart()
        #expect(try ring().isEmpty)
        try compute(world, .alarmRepeated(alarm(rings: 2)), id: 2)
        #expect(try ring().count == 1)
    }

    @Test func `the response to reports has the policy until a report confirms it`() throws {
        let world = try World()
        let hints = "/v1/people/\(person(1))/policy"
        #expect(try world.send(.get, hints, token: "phone-1").status == 404)
        let report = #""lat":3,"lon":101,"time":"2026-11-20T10:20:00Z""#
        func policy(_ extra: String = "") throws -> JSON? {
            try world.send(.post, "/v1/reports", "{\(report)\(extra)}", token: "phone-1")
                .json["policy"]
        }
        #expect(try policy() == nil)
        let region = WatchedRegion(zone: zone, center: fix.position, radiusMetres: 5300)
        try compute(
            world,
            .policyChanged(
                ReportingPolicy(
                    person: person(1), device: device(1), mode: .region, intervalSeconds: 180,
                    contactTimeoutSeconds: 1800, regions: [region])), id: 1)
        let hint = try #require(try policy())
        #expect(hint["mode"] == "region" && hint["contactTimeout"] == 1800)
        #expect(hint["regions"]?[0]?["radius"] == 5300)
        let mark = try #require(hint["mark"]?.string)
        try world.restart()
        #expect(try policy() == hint)
        #expect(try policy(#","policy":"\#(mark)""#) == nil)
        #expect(try policy() == nil)
        let watch = Watch(
            id: WatchID(.zero), person: person(1), started: start,
            deadline: start + .seconds(600))
        try world.receive(.watchChanged(watch), id: 9, on: .deadlines)
        try world.restart()
        #expect(try policy()?["mode"] == "event")
        #expect(try world.send(.get, hints, token: "person-1").json["interval"] == 60)
        #expect(try world.send(.get, hints, token: "person-2").status == 403)
    }
}
