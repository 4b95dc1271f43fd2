import IngestCore
import Model
import Parsing
import Runtime
import Testing
import Web

@testable import IngestDaemon

@Suite struct `Limits of calls` {
    private let limits = IngestLimits(
        callsOfDevicePerSecond: 1, callsOfAddressPerSecond: 100, failuresOfAddressPerMinute: 2)
    private let fix = "lat=3.1&lon=101.7"

    /// Takes the secret of the first phone out of the directory.
    private func replaceSecret(_ world: World) throws {
        let former = try #require(world.replica.credentials(of: device(1)).first)
        let removal = EventBody.credentialRemoved(CredentialRemoval(credential: former.id))
        try world.turn {
            try world.service.directoryWillChange(
                Event(id: EventID(ID128(high: 7, low: 1)), time: world.now, body: removal))
        }
        world.replica.apply(removal)
    }

    /// With a device that has used up its minute.
    private func exhausted() throws -> World {
        let world = try World(limits: limits)
        for number in 1...60 {
            let answer = try world.send(.post, "/osmand?id=phone-1&\(fix)&timestamp=\(number)")
            #expect(answer.status == 200)
        }
        return world
    }

    @Test(arguments: [
        ("/osmand?lat=3.1&lon=101.7", ""), ("/log/gpslogger?lat=3.1&lon=101.7", ""),
        ("/overland", #"{"locations":[]}"#), ("/pub", #"{"_type":"location","lat":1,"lon":2}"#),
    ])
    func `tell a phone to keep what it has`(path: String, body: String) throws {
        let world = try exhausted()
        let answer = try world.send(.post, path, body, token: "phone-1")
        #expect(answer.status == 503)
        #expect(answer.headers["Retry-After"] == "1")
        world.now = start + .seconds(1)
        #expect(try world.send(.post, path, body, token: "phone-1").status == 200)
    }

    @Test func `tell Jaga's own clients how long to wait`() throws {
        let world = try exhausted()
        let report = #"{"lat":3.1,"lon":101.7}"#
        let answer = try world.send(.post, "/v1/reports", report, token: "phone-1")
        #expect(answer.status == 429 && answer.headers["Retry-After"] == "1")
        let path = "/v1/circles/\(circle(1))/positions"
        #expect(try world.send(.get, path, token: "phone-1").status == 429)
        #expect(try world.send(.get, path, token: "phone-2").status == 200)
        let reason = "?reason=support%20case"
        #expect(try world.send(.get, path + reason, token: "operator").status == 200)
        let metrics = Metrics()
        world.service.writeMetrics(metrics)
        #expect(metrics.render().contains(#"jaga_ingest_rejected_total{reason="rate-device"} 2"#))
    }

    @Test(arguments: [
        ("/osmand?alarm=sos", ""), ("/osmand?lat=3.1&lon=101.7&alarm=sos", ""),
        ("/pub", #"{"_type":"location","lat":1,"lon":2,"poi":"SOS"}"#),
        ("/pub", #"{"_type":"location","lat":1,"lon":2,"t":"u"}"#),
        ("/log/gpslogger?lat=3.1&lon=101.7&desc=SOS", ""),
        ("/v1/reports", #"{"lat":3.1,"lon":101.7,"trigger":"panic"}"#),
        ("/v1/emergencies", "{}"),
    ])
    func `never hold up a call for help`(path: String, body: String) throws {
        let world = try exhausted()
        for _ in 1...200 {
            let answer = try world.send(.post, path, body, token: "phone-1")
            #expect((200..<300).contains(answer.status))
        }
    }

    @Test(arguments: ["check-ins", "alarm/disarm", "alarm/close"])
    func `admit sixty alarm answers a minute, independent of other requests`(
        action: String
    ) throws {
        let world = try exhausted()
        let path = "/v1/people/\(person(1))/\(action)"
        for _ in 1...60 {
            #expect(try world.send(.post, path, "{}", token: "phone-1").status == 202)
        }
        func stored() -> Int {
            [EventKind.inputContact, .inputAlarmAnswer, .inputArming].reduce(0) {
                $0 + world.records($1).count
            }
        }
        let before = stored()
        #expect((1...60).contains(before))
        for _ in 1...20 {
            let answer = try world.send(.post, path, "{}", token: "phone-1")
            #expect(answer.status == 429 && answer.headers["Retry-After"] == "1")
        }
        #expect(stored() == before)
        #expect(try world.send(.post, "/v1/emergencies", "{}", token: "phone-1").status == 202)
        world.now = world.now + .seconds(1)
        #expect(try world.send(.post, path, "{}", token: "phone-1").status == 202)
    }

    @Test func `count large requests as several`() throws {
        let world = try World(limits: limits)
        let body = #"{"note":"\#(String(repeating: "x", count: 59 << 16))"}"#
        let path = "/v1/people/\(person(1))/journeys"
        _ = try world.send(.post, path, body, token: "phone-1")
        #expect(try world.send(.post, path, "{}", token: "phone-1").status == 429)
    }

    @Test func `count an address over all phones`() throws {
        let world = try World(limits: limits)
        for number in 1...1000 {
            let phone = number % 3 + 1
            let wait = world.service.admission.limiter.admit(
                ID128(high: 9, low: UInt64(number)), from: world.remote, at: world.now)
            #expect(wait == nil, "\(phone)")
        }
        #expect(try world.send(.post, "/osmand?id=phone-1&\(fix)").status == 503)
        #expect(try world.send(.post, "/osmand?id=phone-1&\(fix)&alarm=sos").status == 200)
        world.remote = "192.0.2.2"
        #expect(try world.send(.post, "/osmand?id=phone-1&\(fix)").status == 200)
    }

    @Test func `delay wrong credentials only`() throws {
        let world = try World(limits: limits)
        for _ in 1...2 {
            #expect(try world.send(.post, "/osmand?id=wrong&\(fix)").status == 401)
        }
        #expect(try world.send(.post, "/osmand?id=wrong&\(fix)").status == 503)
        let api = try world.send(.get, "/v1/quarantine", token: "wrong")
        #expect(api.status == 429 && api.headers["Retry-After"] == "30")
        #expect(try world.send(.post, "/osmand?id=phone-1&\(fix)").status == 200)
        world.remote = "192.0.2.2"
        #expect(try world.send(.post, "/osmand?id=wrong&\(fix)").status == 401)
    }

    @Test func `accept a call for help with a replaced secret, and return nothing`() throws {
        let world = try World(limits: limits)
        try world.send(.post, "/pub", PhoneTests.location, token: "phone-2")
        try replaceSecret(world)
        let friends = try world.send(
            .post, "/pub", #"{"_type":"location","lat":3,"lon":101,"tst":1,"poi":"SOS"}"#,
            token: "phone-1")
        #expect(friends.status == 200 && friends.text == "[]")
        #expect(try world.send(.post, "/osmand?id=phone-1&alarm=sos").status == 200)
        #expect(try world.send(.post, "/v1/emergencies", "{}", token: "phone-1").status == 202)
        #expect(world.records(.sosRaised).count == 3)
        #expect(world.records(.inputReport).count == 1, "that of another phone")
        world.now = world.now + .seconds(Limits.replacedSecretSeconds)
        #expect(try world.send(.post, "/osmand?id=phone-1&alarm=sos").status == 401)
        #expect(try world.send(.post, "/v1/emergencies", "{}", token: "phone-1").status == 401)
    }

    @Test func `accept nothing else with a replaced secret`() throws {
        let world = try World(limits: limits)
        try world.send(
            .post, "/pub", #"{"_type":"encrypted","data":"AAAA"}"#, token: "phone-1")
        try replaceSecret(world)
        for body in [
            #"{"_type":"location","lat":3,"lon":101,"tst":1,"poi":"SOS","batt":3}"#,
            #"{"_type":"encrypted","data":"AAAA"}"#,
        ] { try world.send(.post, "/pub", body, token: "phone-1") }
        let positions = try world.send(
            .get, "/v1/circles/\(circle(1))/positions", token: "person-2")
        let shown = positions.json["features"]?.array?
            .first { $0["id"]?.string == person(1).description }?["properties"]
        #expect(shown?["impairments"] == ["undecryptable"] && shown?["battery"] == nil)
        #expect(world.records(.sosRaised).count == 1)
        let call = #"{"trigger":"fall","report":{"lat":3.1,"lon":101.7}}"#
        #expect(try world.send(.post, "/v1/emergencies", call, token: "phone-1").status == 202)
        #expect(world.records(.sosRaised).count == 2)
        #expect(world.records(.inputReport).isEmpty)
    }

    @Test func `admit some calls with a replaced secret, and limit the rest`() throws {
        let world = try World(limits: limits)
        try replaceSecret(world)
        // Others behind the same address use up what wrong credentials may.
        for _ in 1...3 { try world.send(.post, "/osmand?id=wrong&\(fix)") }
        func call() throws -> Response {
            try world.send(.post, "/osmand?id=phone-1&alarm=sos")
        }
        for _ in 1...Limits.replacedSecretCallsFree { #expect(try call().status == 200) }
        let refused = try call()
        #expect(refused.status == 503 && refused.headers["Retry-After"] != nil)
        #expect(try world.send(.post, "/v1/emergencies", "{}", token: "phone-1").status == 429)
        // Nor from everywhere.
        var accepted = 0
        for number in 1...20 {
            world.remote = "198.51.100.\(number)"
            if try call().status == 200 { accepted += 1 }
        }
        #expect(accepted == 0)
        world.now = world.now + .seconds(60)
        for _ in 1...20 { if try call().status == 200 { accepted += 1 } }
        #expect(accepted == 3)
        let deviceLog = try world.send(.get, "/v1/devices/\(device(1))/log", token: "person-1")
        #expect(deviceLog.json["items"]?[0]?["reason"] == "rate-failures")
        // The phone with the new credential is accepted.
        #expect(try world.send(.post, "/osmand?id=phone-2&alarm=sos").status == 200)
    }

    @Test func `return 503 to a phone with a replaced secret`() throws {
        let world = try World(limits: limits)
        try replaceSecret(world)
        for _ in 1...5 {
            #expect(try world.send(.post, "/osmand?id=phone-1&\(fix)").status == 503)
            #expect(try world.send(.post, "/v1/reports", "{}", token: "phone-1").status == 503)
        }
        world.now = start + .seconds(3600)
        #expect(try world.send(.post, "/osmand?id=phone-1&\(fix)").status == 401)
    }

    @Test func `return 401 to a removed phone`() throws {
        let world = try World(limits: limits)
        try replaceSecret(world)
        world.replica.apply(.deviceRemoved(DeviceRemoval(device: device(1))))
        #expect(try world.send(.post, "/osmand?id=phone-1&\(fix)").status == 401)
    }
}

@Suite struct `A body of very many values` {
    private let numbers = Array(repeating: "0", count: JSON.bodyValuesMax).joined(separator: ",")

    @Test func `is rejected with the limit in Jaga's own API`() throws {
        let world = try World()
        let answer = try world.send(
            .post, "/v1/reports", #"{"reports":[\#(numbers)]}"#, token: "phone-1")
        #expect(answer.status == 400)
        #expect(answer.json["detail"] == "more than 256000 JSON values")
        #expect(answer.json["hint"] == "Send the reports in parts.")
    }

    @Test func `an emergency among too many reports is raised, and the first reports count`()
        throws
    {
        let world = try World()
        let one = #"{"lat":3,"lon":101,"time":"2026-11-20T10:19:SSZ"}"#
        var list = (0..<2100).map { one.replacing("SS", with: "\(10 + $0 % 50)") }
        let refused = try world.send(
            .post, "/v1/reports", #"{"reports":[\#(list.joined(separator: ","))]}"#,
            token: "phone-1")
        #expect(refused.status == 400)
        list[2099] = #"{"lat":3,"lon":101,"time":"2026-11-20T10:20:00Z","trigger":"panic"}"#
        let accepted = try world.send(
            .post, "/v1/reports", #"{"reports":[\#(list.joined(separator: ","))]}"#,
            token: "phone-1")
        #expect(accepted.status == 202 && accepted.json["accepted"] == 50)
        #expect(accepted.json["quarantined"]?[0]?["reason"] == "too-many")
        #expect(world.records(.sosRaised).count == 1)
    }

    @Test func `is quarantined completely if the app would repeat it forever`() throws {
        let world = try World()
        let answer = try world.send(
            .post, "/overland", #"{"locations":[\#(numbers)]}"#, token: "phone-1")
        #expect(answer.status == 200)
        let deviceLog = try world.send(.get, "/v1/quarantine", token: "operator").json["items"]?
            .array
        #expect(deviceLog?.map { $0["reason"]?.string } == ["too-many"])
    }
}
