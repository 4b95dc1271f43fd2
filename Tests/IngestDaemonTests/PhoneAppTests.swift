import Model
import Parsing
import Testing
import Web

@testable import IngestDaemon

@Suite struct `Phone apps beside OwnTracks` {
    private let feature = #"""
        {"type":"Feature","geometry":{"type":"Point","coordinates":[101.7,3.1]},"properties":{
        "timestamp":"2026-11-20T10:19:50Z","horizontal_accuracy":8,"battery_level":0.61}}
        """#
    private let query = "lat=3.1&lon=101.7&timestamp=1795169990"

    /// As they entered the log, alone or several in a record.
    private func reports(_ world: World) -> [Report] {
        world.records.flatMap(\.event.body.reports)
    }

    private func lastFix(_ world: World) -> Fix? { reports(world).last?.fix }

    @Test(arguments: [
        (Method.post, "/osmand?id=phone-1&"), (.get, "/osmand?id=phone-1&"),
        (.post, "/?deviceid=phone-1&"), (.get, "/?id=phone-1&"), (.post, "/osmand/phone-1?"),
        (.get, "/log/gpslogger/phone-1?"), (.post, "/log/gpslogger?token=phone-1&"),
        (.put, "/log/gpslogger/phone-1?"), (.patch, "/log/gpslogger?token=phone-1&"),
        (.get, "/osmand?key=phone-1&"), (.get, "/osmand?id=48241179&token=phone-1&"),
    ])
    func `name their device in the address`(method: Method, address: String) throws {
        let world = try World()
        let answer = try world.send(method, address + query)
        #expect(answer.status == 200 && answer.body.isEmpty)
        #expect(lastFix(world)?.position.latitudeE7 == 31_000_000)
        #expect(lastFix(world)?.time == start - .seconds(10))
    }

    @Test(arguments: [
        "/pub", "/", "/osmand", "/osmand/phone-1", "/log/gpslogger/phone-1", "/gprmc/Data",
        "/overland", "/overland/phone-1", "/pub/", "/osmand/", "/osmand/phone-1/",
        "/log/gpslogger/", "/log/gpslogger/phone-1/", "/gprmc/Data/", "/overland/",
        "/overland/phone-1/", "/api/v1/overland/batches", "/api/v1/overland/batches/",
    ])
    func `are read in their own protocol on any path`(address: String) throws {
        let world = try World()
        func say(_ text: String) throws -> Response {
            try world.send(.post, address, text, token: "phone-1")
        }
        let old = start.seconds - 7200
        let place = #""_type":"location","lat":3.1,"lon":101.7,"tst":\#(old)"#
        #expect(try say("{\(place)}").json.array != nil, "else the app takes it for a failure")
        try world.turn {}
        #expect(lastFix(world)?.time == start - .seconds(7200), "it is no fix of now")
        #expect(try say(#"{"_type":"encrypted","data":"AAAA"}"#).json == [])
        let kept = try world.send(.get, "/v1/quarantine", token: "person-1").json["items"]?[0]
        #expect(kept?["reason"] == "encrypted" && kept?["client"] == "owntracks")
        #expect(kept?["path"]?.string?.contains("phone-1") == false)
        _ = try say(#"{\#(place),"poi":"SOS"}"#)
        #expect(world.records(.sosRaised).count == 1)
        #expect(try say(#"{"locations":[\#(feature)]}"#).text == #"{"result":"ok"}"#)
        #expect(lastFix(world)?.accuracyCentimetres == 800)
    }

    @Test func `report their battery without a position, also across a restart`() throws {
        let world = try World()
        func shown() throws -> JSON? {
            try world.send(.get, "/v1/circles/\(circle(1))/positions", token: "person-2")
                .json["features"]?.array?
                .first { $0["id"]?.string == person(1).description }?["properties"]
        }
        try world.send(.post, "/osmand?\(query)&batt=61", token: "phone-1")
        world.now = start + .seconds(700)
        let time = world.now.seconds
        try world.send(.post, "/osmand?batt=12&charge=false&timestamp=\(time)", token: "phone-1")
        try world.turn {}
        try world.restart()
        #expect(try shown()?["battery"] == 12 && shown()?["charging"] == false)
        #expect(try shown()?["ageSeconds"] == 710, "the place is as old as it was")
        let contacts = world.records(.inputContact).compactMap { event in
            if case .inputContact(let contact) = event.body { contact.battery } else { nil }
        }
        #expect(contacts == [12])
        try world.send(
            .post, "/v1/reports", #"{"reports":[],"battery":4}"#, token: "phone-1")
        #expect(try shown()?["battery"] == 4)
    }

    @Test func `may name it in a form, in JSON or in a batch`() throws {
        let world = try World()
        try world.send(.post, "/", "id=phone-1&" + query)
        let json = #"{"location":{"coords":{"latitude":1,"longitude":2}},"device_id":"phone-2"}"#
        try world.send(.post, "/", json)
        let named = feature.replacing(
            #""horizontal_accuracy""#, with: #""device_id":"phone-3","horizontal_accuracy""#)
        let answer = try world.send(.post, "/overland", #"{"locations":[\#(named)]}"#)
        #expect(answer.text == #"{"result":"ok"}"#)
        #expect(reports(world).map(\.person) == [person(1), person(2), person(3)])
    }

    @Test func `are identified by the header before the address`() throws {
        let world = try World()
        try world.send(.get, "/osmand?id=phone-2&" + query, token: "phone-1")
        // Overland sends its token as Basic without encoding it.
        try world.send(
            .get, "/osmand?id=phone-2&lat=1&lon=2", headers: ["Authorization": "Basic phone-1:"])
        try world.send(
            .get, "/osmand?id=phone-2&lat=1&lon=2", headers: ["Authorization": "Bearer wrong"])
        #expect(reports(world).map(\.person) == [person(1), person(1), person(2)])
    }

    @Test(arguments: [
        "/osmand?id=unknown&", "/overland/unknown?", "/log/gpslogger/unknown?",
        "/gprmc/Data?id=unknown&", "/?", "/overland?",
    ])
    func `get 401 only if their credentials are certainly wrong`(address: String) throws {
        let world = try World()
        let answer = try world.send(.post, address + "lat=1&lon=2")
        #expect(answer.status == 401)
        world.isDirectoryFresh = false
        let isNamed = address.contains("unknown")
        #expect(try world.send(.post, address + "lat=1").status == (isNamed ? 503 : 401))
        #expect(try world.send(.post, "/overland/person-1", "{}").status == 403)
        #expect(reports(world).isEmpty)
    }

    @Test(arguments: [
        ("/osmand?id=phone-1&lat=91&lon=2", "", ""),
        ("/osmand?id=phone-1", "{\"location\":", ""),
        ("/log/gpslogger/phone-1?desc=hello", "", ""),
        ("/gprmc/Data?id=phone-1&gprmc=$GPRMC,082356,V,,,,,,,201126", "", ""),
        ("/overland?token=phone-1", "not json", #"{"result":"ok"}"#),
        ("/overland/phone-1", #"{"locations":[{"device_id":"phone-1"}]}"#, #"{"result":"ok"}"#),
    ])
    func `get success for unusable payloads, stored without the token`(
        address: String, body: String, success: String
    ) throws {
        let world = try World()
        let answer = try world.send(.post, address, body)
        #expect(answer.status == 200)
        #expect(answer.text == success)
        let list = try world.send(.get, "/v1/quarantine", token: "person-1")
        let id = try #require(list.json["items"]?[0]?["id"]?.string)
        let kept = try world.send(.get, "/v1/quarantine/\(id)", token: "person-1").text
        #expect(!kept.contains("phone-1"))
        #expect(reports(world).isEmpty)
    }

    @Test func `have good parts of a batch stored and the rest quarantined`() throws {
        let world = try World()
        let bad = #"{"type":"Feature","properties":{"timestamp":"2026-11-20T10:19:50Z"}}"#
        let batch = #"{"locations":[\#(bad),\#(feature),7]}"#
        for _ in 0..<2 {
            let answer = try world.send(.post, "/overland", batch, token: "phone-1")
            #expect(answer.text == #"{"result":"ok"}"#)
        }
        #expect(reports(world).count == 1)
        #expect(world.service.runner.counts.rejected == 4)
    }

    @Test func `of OsmAnd use metres per second, others knots, unless specified`() throws {
        let world = try World()
        func speed(_ more: String) throws -> Int32? {
            world.now = world.now + .seconds(10)
            let time = world.now.seconds
            try world.send(
                .get, "/osmand?id=phone-1&lat=3.1&lon=101.7&speed=10&timestamp=\(time)" + more)
            return lastFix(world)?.speedCentimetresPerSecond
        }
        #expect(try speed("") == 514)
        world.replica.apply(
            .deviceChanged(
                Device(id: device(1), person: person(1), name: "phone", client: "osmand")))
        #expect(try speed("") == 1000)
        #expect(try speed("&speedUnit=kn") == 514)
        #expect(try speed("&speedUnit=kmh") == 278)
    }

    @Test func `call for help by an alarm without a position`() throws {
        let world = try World()
        try world.send(.get, "/osmand?id=phone-1&" + query)
        try world.send(.post, "/osmand?id=phone-1&alarm=sos")
        guard case .sosRaised(let signal) = world.records(.sosRaised).first?.body else {
            Issue.record("no request arrived")
            return
        }
        #expect(signal.person == person(1))
        #expect(signal.fix?.position.latitudeE7 == 31_000_000)
        #expect(reports(world).count == 1)
    }

    @Test func `call once for a repeated note`() throws {
        let world = try World()
        for _ in 0..<2 {
            try world.send(.get, "/log/gpslogger/phone-1?\(query)&desc=SOS")
            world.now = world.now + .seconds(300)
        }
        #expect(world.records(.sosRaised).count == 1)
    }

    @Test(arguments: [
        ("/osmand?lat=3.1&lon=101.7&alarm=sos&id=phone-1&timestamp=", "", ""),
        ("/gprmc/Data?id=phone-1&code=0xF841&batt=", "", ""),
        ("/log/gpslogger/phone-1?desc=SOS&lat=3.1&lon=101.7&batt=", "", ""),
        (
            "/osmand",
            #"{"device_id":"phone-1","location":{"_":"&id=phone-1","alarm":"sos","#
                + #""coords":{"latitude":3.1,"longitude":101.7},"odometer":"#, "}}"
        ),
        (
            "/pub?token=phone-1", #"{"_type":"location","lat":3.1,"lon":101.7,"tag":"sos","tst":"#,
            "}"
        ),
    ])
    func `call once for a repeated call, and again for other content`(
        path: String, body: String, end: String
    ) throws {
        let world = try World()
        func call(_ number: Int) throws {
            let number = "17951699\(number)"
            try world.send(
                .post, body.isEmpty ? path + number : path, body.isEmpty ? "" : body + number + end)
        }
        for _ in 0..<3 {
            try call(90)
            world.now = world.now + .seconds(10)
            try world.restart()
        }
        #expect(world.records(.sosRaised).count == 1)
        try call(91)
        #expect(world.records(.sosRaised).count == 2)
        world.now = world.now + .seconds(31)
        try call(90)
        #expect(world.records(.sosRaised).count == 3, "nobody sends it again for so long")
    }

    @Test func `keep their newest point while their queue arrives`() throws {
        let world = try World()
        func point(_ minute: Int) -> String {
            feature.replacing("10:19:50", with: "10:\(minute):00")
                .replacing("3.1", with: "3.\(minute)")
        }
        let batches = [
            #"{"locations":[\#(point(15))],"current":\#(point(19))}"#,
            #"{"locations":[\#(point(16)),\#(point(17))]}"#,
            #"{"locations":[\#(point(18)),\#(point(19))]}"#,
        ]
        for batch in batches {
            try world.send(.post, "/overland", batch, token: "phone-1")
            let seen = try world.send(
                .get, "/v1/circles/\(circle(1))/positions", token: "person-1"
            ).json["features"]?[0]
            #expect(seen?["geometry"]?["coordinates"]?[1]?.double == 3.19)
        }
        #expect(reports(world).map(\.late) == [false, false, true, true, true])
        #expect(world.service.runner.counts.duplicates == 1)
    }

    @Test func `have contact by their heartbeat`() throws {
        let world = try World()
        #expect(try world.send(.post, "/osmand?id=phone-1&batt=61").status == 200)
        let seen = try world.database.scalar("SELECT count(*) FROM device")
        #expect(seen == .integer(1))
        #expect(try world.database.scalar("SELECT count(*) FROM quarantine") == .integer(0))
        #expect(reports(world).isEmpty)
    }

    /// Overland obeys at once and keeps its batch until it has received the answer.
    @Test func `get the policy until the next batch confirms it`() throws {
        let world = try World()
        func send(_ seconds: Int) throws -> JSON {
            let moved = feature.replacing("10:19:50", with: "10:19:\(seconds)")
            return try world.send(
                .post, "/overland", #"{"locations":[\#(moved)]}"#, token: "phone-1"
            ).json
        }
        #expect(try send(10)["set"] == nil)
        let policy = ReportingPolicy(
            person: person(1), device: device(1), mode: .standard, distanceFilterMetres: 50,
            intervalSeconds: 180, contactTimeoutSeconds: 1800)
        try world.receive(.policyChanged(policy), id: 1, on: .events(Partition.of(person(1))))
        let settings = try send(11)["set"]
        #expect(settings?["main"]?["min_distance"] == "50m")
        // The answer was lost: the same batch comes again.
        #expect(try send(11)["set"] == settings)
        #expect(try send(12)["set"] == nil)
        let view = try world.send(.get, "/v1/people/\(person(1))/policy", token: "person-1")
        // It does not report while it is stationary: that is no contact loss.
        #expect(view.json["confirmed"] == false)
        let watch = Watch(
            id: WatchID(.zero), person: person(1), started: start,
            deadline: start + .seconds(600))
        try world.receive(.watchChanged(watch), id: 9, on: .deadlines)
        #expect(try send(13)["set"]?["main"]?["pause_automatically"] == false)
        #expect(try send(14)["set"] == nil)
        world.now = start + .seconds(3600)
        #expect(try send(15)["set"] == settings)
    }

    /// It counts from 2001, does not encode its token, and lets go of a point only for an object.
    @Test func `may use OwnTracks's protocol, with their own quirks`() throws {
        let world = try World()
        let answer = try world.send(
            .post, "/pub", #"{"_type":"location","lat":3.1,"lon":101.7,"tst":816862790}"#,
            headers: ["Authorization": "Basic phone-1:", "User-Agent": "Overland/1.5"])
        #expect(answer.text == #"{"result":"ok"}"#)
        #expect(lastFix(world)?.time == start - .seconds(10))
    }
}
