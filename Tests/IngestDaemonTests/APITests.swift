import Hashing
import Hosting
import IngestCore
import Model
import Parsing
import Runtime
import Testing
import Web

@testable import IngestDaemon

@Suite struct APITests {
    @Test func `a call for help returns its id and can be read`() throws {
        let world = try World()
        let answer = try world.send(
            .post, "/v1/emergencies", #"{"id":"e1","countdown":20}"#, token: "phone-1")
        #expect(answer.status == 202)
        let id = try #require(answer.json["id"]?.string)
        #expect(answer.json["countdownEnds"]?.string == "2026-11-20T10:20:20.000Z")
        #expect(answer.json["state"]?.string == "countdown")
        #expect(answer.json["ignored"] == nil)
        let read = try world.send(.get, "/v1/emergencies/\(id)", token: "person-1")
        #expect(read.status == 200)
        #expect(read.json["deliveryState"]?.string == "none")
        // To a stranger it is as if there were none.
        let hidden = try world.send(.get, "/v1/emergencies/\(id)", token: "person-3")
        let absent = try world.send(
            .get, "/v1/emergencies/\(EmergencyID(.zero))", token: "person-1")
        #expect(hidden.status == 404 && hidden == absent)
        #expect(try world.send(.get, "/v1/emergencies/x", token: "person-1").status == 404)
    }

    @Test(arguments: ["", "rubbish", #"{"countdown":"x"}"#, #"{"report":{"lat":91,"lon":0}}"#])
    func `any body is a call for help`(body: String) throws {
        let world = try World()
        let answer = try world.send(.post, "/v1/emergencies", body, token: "person-1")
        #expect(answer.status == 202)
        #expect((answer.json["ignored"] != nil) == !body.isEmpty)
        #expect(world.records(.sosRaised).count == 1 && world.records(.inputSignal).count == 1)
    }

    @Test func `sos and in/p get it in one transaction, or neither does`() throws {
        let world = try World()
        let request = world.request(.post, "/v1/emergencies", token: "phone-1")
        try world.failingTurn { try world.service.handle(request) }
        #expect(world.records(.sosRaised).isEmpty && world.records(.inputSignal).isEmpty)
        let answer = try world.send(.post, "/v1/emergencies", token: "phone-1")
        #expect(answer.status == 202)
        #expect(world.records(.sosRaised).count == 1 && world.records(.inputSignal).count == 1)
    }

    @Test func `a call sent again is the same, by id and by key`() throws {
        let world = try World()
        let first = try world.send(.post, "/v1/emergencies", #"{"id":"e"}"#, token: "phone-1")
        world.now = start + .seconds(5)
        let second = try world.send(.post, "/v1/emergencies", #"{"id":"e"}"#, token: "phone-1")
        #expect(first.json["id"] == second.json["id"])
        #expect(first.json["countdownEnds"] == second.json["countdownEnds"])
        func keyed() throws -> Response {
            try world.send(
                .post, "/v1/emergencies", token: "phone-2", headers: ["Idempotency-Key": "k"])
        }
        #expect(try keyed().text == keyed().text)
        #expect(world.records(.sosRaised).count == 2)
    }

    @Test func `a constant key never swallows another call`() throws {
        let world = try World()
        func call(_ body: String) throws -> String? {
            let answer = try world.send(
                .post, "/v1/emergencies", body, token: "person-1",
                headers: ["Idempotency-Key": "constant"])
            #expect(answer.status == 202)
            return answer.json["id"]?.string
        }
        let first = try call(#"{"note":"a"}"#)
        #expect(try call(#"{"note":"a"}"#) == first)
        let other = try call(#"{"note":"b"}"#)
        #expect(other != first)
        #expect(world.records(.sosRaised).count == 2)
        // The same body again, ten minutes later: a press of its own.
        world.now = world.now + .seconds(601)
        #expect(try call(#"{"note":"a"}"#) != first)
        #expect(world.records(.sosRaised).count == 3)
    }

    @Test func `a constant key does not swallow the call after a cancel`() throws {
        let world = try World()
        func call() throws -> String {
            let answer = try world.send(
                .post, "/v1/emergencies", token: "person-1",
                headers: ["Idempotency-Key": "constant"])
            return try #require(answer.json["id"]?.string)
        }
        let first = try call()
        let emergency = EmergencyAnswer(
            emergency: try #require(EmergencyID(first)), person: person(1), by: nil,
            at: world.now)
        try world.receive(.resolutionCommitted(emergency), id: 9, on: .deliveries)
        // A retry that was on its way is none …
        #expect(try call() == first)
        // … and what comes later is.
        world.now = world.now + .seconds(31)
        #expect(try call() != first)
        #expect(world.records(.sosRaised).count == 2)
    }

    @Test func `a constant key does not swallow the call after an acknowledgement`() throws {
        let world = try World()
        func call() throws -> String {
            let answer = try world.send(
                .post, "/v1/emergencies", token: "person-1",
                headers: ["Idempotency-Key": "constant"])
            return try #require(answer.json["id"]?.string)
        }
        let first = try call()
        world.now = world.now + .seconds(120)
        #expect(try call() == first)
        let emergency = EmergencyAnswer(
            emergency: try #require(EmergencyID(first)), person: person(1), by: person(2),
            at: world.now)
        try world.receive(.acknowledgementCommitted(emergency), id: 9, on: .deliveries)
        #expect(try call() != first, "it has to reopen the emergency")
        #expect(world.records(.sosRaised).count == 2)
    }

    @Test func `an emergency is cancelled by its person`() throws {
        let world = try World()
        let call = try world.send(.post, "/v1/emergencies", token: "phone-1")
        let path = "/v1/emergencies/\(call.json["id"]?.string ?? "")/cancellation"
        #expect(try world.send(.post, path, token: "phone-2").status == 404)
        #expect(try world.send(.post, path, token: "person-1").status == 202)
        #expect(world.records(.sosCancelled).count == 1)
        #expect(world.records(.inputCancel).count == 1)
    }

    @Test func `the answer to a cancel has one time, whatever there is to do`() throws {
        let world = try World()
        let salt = [UInt8](repeating: 7, count: PINHash.saltBytes)
        let hashes = ["4711", "0815"].map {
            Hex.encode(PINHash.of($0, person: person(1), salt: salt))
        }
        world.replica.apply(
            .pinChanged(PersonPIN(person: person(1), salt: Hex.encode(salt), hashes: hashes)))
        let call = try world.send(.post, "/v1/emergencies", token: "phone-1")
        let path = "/v1/emergencies/\(call.json["id"]?.string ?? "")/cancellation"
        for (number, body) in ["{}", #"{"pin":"1111"}"#, #"{"pin":"4711"}"#, #"{"pin":"0815"}"#]
            .enumerated()
        {
            try world.send(.post, path, body, token: "phone-1")
            #expect(world.delays.count == number + 1)
            #expect(Set(world.delays.values) == [PINResponses.delay])
        }
        #expect(world.records(.sosRaised).count == 2, "the call, and the hidden one")
    }

    @Test func `events of other services are applied once, also after a restart`() throws {
        let world = try World()
        let clock = Deadline(
            id: DeadlineID(.zero), kind: .countdown, person: person(1), due: start)
        let answer = EmergencyAnswer(
            emergency: EmergencyID(.zero), person: person(1), by: nil, at: start)
        for _ in 0..<2 {
            for _ in 0..<2 {
                try world.receive(
                    .deadlineExpired(ExpiredDeadline(deadline: clock, expired: start)), id: 1,
                    on: .deadlines)
                try world.receive(.acknowledgementCommitted(answer), id: 2, on: .deliveries)
                try world.receive(.resolutionCommitted(answer), id: 3, on: .deliveries)
            }
            try world.restart()
        }
        #expect(world.records(.inputDeadline).count == 1)
        #expect(world.records(.inputAcknowledgement).count == 1)
        #expect(world.records(.inputResolution).count == 1)
    }

    @Test func `positions are GeoJSON`() throws {
        let world = try World()
        try world.send(
            .post, "/v1/reports",
            """
            {"lat":3.1390000,"lon":101.6869,"time":"2026-11-20T10:19:30Z","accuracy":8.5,
             "speed":1.4,"course":90,"battery":61,"charging":false}
            """, token: "phone-1")
        let path = "/v1/circles/\(circle(1))/positions"
        let answer = try world.send(.get, path, token: "person-2")
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "application/geo+json")
        #expect(answer.json["type"]?.string == "FeatureCollection")
        let features = try #require(answer.json["features"]?.array)
        #expect(features.count == 2)
        #expect(features[0]["geometry"]?["coordinates"] == [101.6869, 3.139])
        let properties = try #require(features[0]["properties"])
        #expect(properties["name"] == "Anna" && properties["state"] == "fresh")
        #expect(properties["ageSeconds"] == 30 && properties["accuracy"] == 8.5)
        #expect(properties["moving"] == true && properties["battery"] == 61)
        #expect(properties["time"] == "2026-11-20T10:19:30.000Z")
        #expect(features[1]["geometry"] == .null)
        #expect(features[1]["properties"]?["state"] == "unknown")
        #expect(try world.send(.get, path, token: "person-3").status == 403)
        #expect(
            try world.send(.get, "/v1/circles/\(circle(9))/positions", token: "person-1").status
                == 403, "an unknown circle is answered like one of others")
    }

    @Test func `the quarantine is listed, shown and emptied`() throws {
        let world = try World()
        for body in ["not json", #"{"_type":"news to us"}"#, "not json"] {
            try world.send(.post, "/pub", body, token: "phone-1")
        }
        try world.send(.post, "/pub", "other", token: "phone-2")
        let all = try world.send(.get, "/v1/quarantine", token: "operator").json
        #expect(all["items"]?.array?.count == 3)
        #expect(all["items"]?[0]?["person"]?.string == person(2).description)
        let own = try world.send(.get, "/v1/quarantine", token: "person-1").json
        let items = try #require(own["items"]?.array)
        #expect(items.map { $0["reason"]?.string } == ["other-type", "not-json"])
        #expect(items[1]["count"] == 2)
        #expect(items[1]["payload"] == nil)
        let path = "/v1/quarantine/\(items[1]["id"]?.string ?? "")"
        #expect(try world.send(.get, path, token: "phone-1").json["payload"] == "not json")
        #expect(try world.send(.get, path, token: "person-2").status == 404)
        #expect(try world.send(.delete, path, token: "person-2").status == 404)
        #expect(try world.send(.delete, path, token: "operator").status == 204)
        #expect(try world.send(.get, path, token: "operator").status == 404)
    }

    @Test func `the quarantine is read page by page`() throws {
        let world = try World()
        for number in 0..<5 { try world.send(.post, "/pub", "x\(number)", token: "phone-1") }
        var cursor: String?
        var sizes: [Int] = []
        repeat {
            let path = "/v1/quarantine?limit=2" + (cursor.map { "&cursor=\($0)" } ?? "")
            let page = try world.send(.get, path, token: "operator").json
            sizes.append(page["items"]?.array?.count ?? 0)
            cursor = page["next"]?.string
        } while cursor != nil
        #expect(sizes == [2, 2, 1])
        for query in ["limit=0", "limit=x1", "cursor=x"] {
            let answer = try world.send(.get, "/v1/quarantine?\(query)", token: "operator")
            #expect(answer.status == 400)
            #expect(answer.json["field"]?.string == String(query.prefix { $0 != "=" }))
        }
    }

    @Test func `without credentials nothing is returned`() throws {
        let world = try World()
        let paths: [(Web.Method, String)] = [
            (.post, "/v1/reports"), (.post, "/v1/emergencies"),
            (.get, "/v1/emergencies/\(EmergencyID(.zero))"),
            (.post, "/v1/emergencies/\(EmergencyID(.zero))/cancellation"),
            (.get, "/v1/circles/\(circle(1))/positions"), (.get, "/v1/quarantine"),
            (.get, "/v1/people/\(person(1))/alarm"), (.post, "/v1/people/\(person(1))/alarm/arm"),
            (.get, "/v1/people/\(person(1))/policy"),
            (.get, "/v1/people/\(person(1))/decisions"),
            (.get, "/v1/quarantine/\(QuarantineID(.zero))"),
            (.delete, "/v1/quarantine/\(QuarantineID(.zero))"),
        ]
        for (method, path) in paths {
            #expect(try world.send(method, path).status == 401)
            #expect(try world.send(method, path, token: "wrong").status == 401)
        }
        #expect(try world.send(.get, "/pub").status == 405)
        #expect(try world.send(.get, "/v1/nothing", token: "operator").status == 404)
        #expect(world.records(.sosRaised).isEmpty)
    }

    @Test func `counters are written as metrics`() throws {
        let world = try World()
        try world.send(.post, "/pub", PhoneTests.location, token: "phone-1")
        try world.send(.post, "/pub", "rubbish", token: "phone-1")
        let metrics = Metrics()
        world.service.writeMetrics(metrics)
        let text = metrics.render()
        #expect(text.contains(#"jaga_ingest_reports_total{outcome="accepted"} 1"#))
        #expect(text.contains(#"jaga_ingest_reports_total{outcome="quarantined"} 1"#))
        #expect(text.contains("jaga_ingest_devices 1"))
        #expect(world.service.healthProblems.isEmpty)
    }
}
