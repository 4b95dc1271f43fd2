import Dialects
import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Testing
import Web

@testable import IngestDaemon

/// Quarantined payloads that are retried.
@Suite struct `A quarantined payload` {
    private func entries(_ world: World) throws -> [JSON] {
        try world.send(.get, "/v1/quarantine", token: "operator").json["items"]?.array ?? []
    }

    private func retry(_ world: World, _ token: String = "operator") throws -> Response {
        let id = try #require(try entries(world).first?["id"]?.string)
        return try world.send(.post, "/v1/quarantine/\(id)/retry", token: token)
    }

    /// Nothing makes such a payload usable but another reader: as an older release quarantined it.
    private func putAside(
        _ payload: String, by client: PhoneProtocol, _ world: World, size: Int? = nil
    ) throws {
        try world.turn {
            try world.service.runner.writer.quarantine.write(
                .save(
                    QuarantineRow(
                        id: QuarantineID(Hash.id(.text(payload))), device: device(1),
                        person: person(1), client: client, path: "/path", reason: .otherType,
                        index: 0, payload: Array(payload.utf8),
                        size: size ?? payload.utf8.count, received: start, trace: "then")))
        }
    }

    @Test func `is accepted once its passphrase is known, with its original time`() throws {
        let world = try World()
        let key = Array("a secret".utf8) + [UInt8](repeating: 0, count: 24)
        let sealed = SecretBox.seal(
            Array(#"{"_type":"location","lat":3.1,"lon":101.7,"tst":1795169990}"#.utf8), key: key,
            nonce: SecureRandom.bytes(SecretBox.nonceBytes))
        let body = #"{"_type":"encrypted","data":"\#(Base64.encode(sealed))"}"#
        try world.send(.post, "/pub", body, token: "phone-1")
        let early = try retry(world)
        #expect(early.status == 200 && early.json["outcome"] == "unusable")
        #expect(early.json["quarantined"]?[0]?["reason"] == "encrypted")
        #expect(try entries(world).first?["retried"]?.string == start.description)

        world.now = start + .seconds(7200)
        try world.send(
            .put, "/v1/people/\(person(1))/devices/\(device(1))/encryption-key",
            #"{"passphrase":"a secret"}"#, token: "person-1")
        let answer = try retry(world, "person-1").json
        #expect(answer["outcome"] == "accepted" && answer["accepted"] == 1)
        #expect(try entries(world).isEmpty)
        try world.turn {}
        let report = try #require(world.records.flatMap(\.event.body.reports).last)
        #expect(report.fix.time == start - .seconds(10))
        #expect(report.received == start)
        try world.restart()
        #expect(
            world.service.runner.core.reports.devices[device(1)]?.seen == start,
            "the phone was not in contact")
    }

    @Test(arguments: [
        (
            PhoneProtocol.overland,
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                + #"[101.7,3.1]},"properties":{"timestamp":"2026-11-20T10:19:50Z"}}"#
        ),
        (.osmAnd, "id=%E2%80%A6&lat=3.1&lon=101.7&timestamp=1795169990"),
        (.osmAnd, "id=%E2%80%A6\nlat=3.1&lon=101.7&timestamp=1795169990"),
        (
            .osmAnd,
            #"{"device_id":"…","location":{"timestamp":"2026-11-20T10:19:50Z","coords":"#
                + #"{"latitude":3.1,"longitude":101.7}}}"#
        ),
        (
            .osmAnd,
            #"{"timestamp":"2026-11-20T10:19:50Z","coords":{"latitude":3.1,"longitude":101.7}}"#
        ),
        (.gpsLogger, "lat=3.1&lon=101.7&timestamp=1795169990"),
        (.overlandAsOwnTracks, #"{"_type":"location","lat":3.1,"lon":101.7,"tst":816862790}"#),
        (.jaga, #"{"lat":3.1,"lon":101.7,"time":"2026-11-20T10:19:50Z"}"#),
    ])
    func `is read in its app's protocol`(client: PhoneProtocol, payload: String) throws {
        let world = try World()
        try putAside(payload, by: client, world)
        #expect(try retry(world).json["accepted"] == 1)
        let fix = try #require(world.records.flatMap(\.event.body.reports).first?.fix)
        #expect(fix.position.latitudeE7 == 31_000_000 && fix.time == start - .seconds(10))
        // Once more it is known.
        try putAside(payload, by: client, world)
        let again = try retry(world).json
        #expect(again["accepted"] == 0 && again["duplicates"] == 1)
        #expect(try entries(world).isEmpty)
    }

    @Test func `uses its time of arrival if it has none`() throws {
        let world = try World()
        try putAside("lat=3.1&lon=101.7", by: .osmAnd, world)
        world.now = start + .seconds(60)
        _ = try retry(world)
        #expect(world.records.flatMap(\.event.body.reports).first?.fix.time == start)
    }

    @Test func `is a late call if it was one, once`() throws {
        let world = try World()
        for _ in 1...2 {
            try putAside("lat=91&lon=101.7&alarm=sos", by: .osmAnd, world)
            world.now = start + .seconds(7200)
            let answer = try retry(world).json
            #expect(answer["calls"] == 1 && answer["outcome"] == "unusable")
        }
        #expect(world.records(.sosRaised).count == 1)
        guard case .sosRaised(let signal) = world.records(.sosRaised)[0].body else { return }
        #expect(signal.raised == start && signal.countdownEnds <= world.now)
    }

    @Test func `is rejected if truncated or if its device was removed`() throws {
        let world = try World()
        try putAside("lat=3.1&lon=101.7", by: .osmAnd, world, size: 100_000)
        #expect(try retry(world).status == 409)
        #expect(try entries(world).count == 1)
        #expect(try retry(world, "person-2").status == 404)
        world.replica.apply(.deviceRemoved(DeviceRemoval(device: device(1))))
        #expect(try retry(world).status == 409)
    }

    @Test func `is a whole batch if many parts are unusable`() throws {
        let world = try World()
        let good = (1...2).map { number in
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[101.7,3.\#(number)]},"#
                + #""properties":{"timestamp":"2026-11-20T10:19:50Z"}}"#
        }
        let bad = (0..<200).map { #"{"type":"Feature","properties":{"number":\#($0)}}"# }
        let body = #"{"locations":[\#((good + bad).joined(separator: ","))]}"#
        let answer = try world.send(.post, "/overland", body, token: "phone-1")
        #expect(answer.text == #"{"result":"ok"}"#)
        let kept = try entries(world)
        #expect(kept.count == 1 && kept[0]["index"] == -1)
        #expect(kept[0]["size"]?.int == body.utf8.count)
        let again = try retry(world).json
        #expect(again["duplicates"] == 2 && again["quarantined"]?.array?.count == 200)
        #expect(try entries(world).count == 1, "it still cannot be used")
    }

    @Test func `is read again whatever its length`() throws {
        let world = try World()
        let zones = (0..<250).map { number in
            #"{"_type":"waypoint","desc":"Place \#(number)","tst":\#(number),"#
                + #""lat":3.1,"lon":101.7,"rad":50}"#
        }
        let key = Array("a secret".utf8) + [UInt8](repeating: 0, count: 24)
        let sealed = SecretBox.seal(
            Array(#"{"_type":"waypoints","waypoints":[\#(zones.joined(separator: ","))]}"#.utf8),
            key: key, nonce: SecureRandom.bytes(SecretBox.nonceBytes))
        let body = #"{"_type":"encrypted","data":"\#(Base64.encode(sealed))"}"#
        try world.send(.post, "/pub", body, token: "phone-1")
        try world.send(
            .put, "/v1/people/\(person(1))/devices/\(device(1))/encryption-key",
            #"{"passphrase":"a secret"}"#, token: "person-1")
        #expect(try retry(world).json["outcome"] == "accepted")
        let suggestions = try world.database.scalar("SELECT count(*) FROM suggestion")
        #expect(suggestions == .integer(Int64(Limits.suggestionsPerPerson)))
    }

    private func overland(_ count: Int, bad: Int? = nil) -> String {
        let features = (0..<count).map { number in
            let time = (start - .seconds(90_000 - Int64(number))).description
            return #"{"type":"Feature","geometry":{"type":"Point","coordinates":[101.7,"#
                + #"\#(number == bad ? 91 : 3)]},"properties":{"timestamp":"\#(time)"}}"#
        }
        return #"{"locations":[\#(features.joined(separator: ","))]}"#
    }

    @Test(arguments: [nil, 2500, 4100])
    func `is read to its end, however many reports it has`(bad: Int?) throws {
        let world = try World()
        try world.send(.post, "/overland", overland(4500, bad: bad), token: "phone-1")
        let first = try retry(world).json
        #expect(first["outcome"] == "partly" && first["next"] == 4000)
        #expect(first["accepted"] == .integer(bad == 2500 ? 1999 : 2000))
        #expect(try entries(world).first?["index"] == .integer(bad == 2500 ? -1 : 4000))
        try world.restart()
        let second = try retry(world).json
        #expect(second["accepted"] == .integer(bad == 4100 ? 499 : 500) && second["next"] == .null)
        #expect(second["outcome"] == (bad == nil ? "accepted" : "unusable"))
        let stored = try world.database.scalar("SELECT count(*) FROM report")
        #expect(stored == .integer(bad == nil ? 4500 : 4499))
        #expect(try entries(world).isEmpty == (bad == nil))
        guard bad != nil else { return }
        // It stays, and is read from its beginning the next time.
        for (outcome, duplicates) in [("partly", 2000), ("partly", 2000), ("unusable", 500)] {
            let again = try retry(world).json
            #expect(again["outcome"]?.string == outcome && again["accepted"] == 0)
            #expect((duplicates - 1...duplicates).contains(again["duplicates"]?.int ?? 0))
        }
        #expect(try entries(world).count == 1)
    }

    @Test func `is read to its end with an empty part`() throws {
        let world = try World()
        let body = String(overland(2600).dropLast(2)) + ",{}]}"
        try world.send(.post, "/overland", body, token: "phone-1")
        let answer = try retry(world).json
        #expect(answer["outcome"] == "unusable" && answer["accepted"] == 600)
        let stored = try world.database.scalar("SELECT count(*) FROM report")
        #expect(stored == 2600)
    }

    @Test(arguments: [Web.Method.get, .post])
    func `costs its reader as much as sending it`(method: Web.Method) throws {
        let world = try World(
            limits: IngestLimits(
                callsOfDevicePerSecond: 1, callsOfAddressPerSecond: 100,
                failuresOfAddressPerMinute: 2))
        try putAside(String(repeating: "x", count: 1_000_000), by: .ownTracksIOS, world)
        let id = try #require(try entries(world).first?["id"]?.string)
        let path = "/v1/quarantine/\(id)" + (method == .post ? "/retry" : "")
        // 17 calls each, of 60.
        for _ in 1...3 { #expect(try world.send(method, path, token: "person-1").status == 200) }
        #expect(try world.send(method, path, token: "person-1").status == 429)
        #expect(try world.send(method, path, token: "operator").status == 200)
    }

    @Test func `is read to its end with a script's call for help`() throws {
        let world = try World()
        let reports = (0..<2600).map { number in
            let time = (start - .seconds(90_000 - Int64(number))).description
            let more = number == 2599 ? #","trigger":"panic""# : ""
            return #"{"lat":3.1,"lon":101.7,"time":"\#(time)"\#(more)}"#
        }
        let body = #"{"reports":[\#(reports.joined(separator: ","))]}"#
        try world.send(.post, "/v1/reports", body, token: "phone-1")
        let answer = try retry(world).json
        #expect(answer["outcome"] == "accepted" && answer["accepted"] == 600)
        #expect(try entries(world).isEmpty && world.records(.sosRaised).count == 1)
    }

    @Test func `makes room for later payloads, as the device log shows`() throws {
        let world = try World()
        let large = String(repeating: "x", count: Int(Limits.quarantineBytesPerSender) / 4)
        try world.send(.post, "/pub", "another's", token: "phone-2")
        for number in 0..<5 {
            world.now = world.now + .seconds(1)
            try world.send(.post, "/pub", "x\(number)" + large, token: "phone-1")
        }
        let kept = try world.database.all(
            "SELECT substr(payload, 1, 2) FROM quarantine WHERE device = ? ORDER BY number",
            .id(device(1))
        ) { String(decoding: $0.blob(0), as: UTF8.self) }
        #expect(kept == ["x2", "x3", "x4"])
        #expect(try entries(world).count == 4)
        let deviceLog = try world.send(.get, "/v1/devices/\(device(1))/log", token: "operator").json
        #expect(deviceLog["items"]?[0]?["reports"]?["quarantined"] == 5)
        #expect(deviceLog["items"]?[0]?["reports"]?["dropped"] == 2)
        let metrics = Metrics()
        world.service.writeMetrics(metrics)
        #expect(metrics.render().contains("jaga_ingest_quarantine_dropped_total 2"))

        try world.send(.post, "/pub", large + large + large + large, token: "phone-1")
        #expect(try entries(world).count == 2, "the one that came last stays, however large")
        for entry in try entries(world) {
            let id = entry["id"]?.string ?? ""
            try world.send(.delete, "/v1/quarantine/\(id)", token: "operator")
        }
        let sizes = try world.database.scalar("SELECT count(*) FROM quarantine_size")
        #expect(sizes == .integer(0))
    }

    @Test func `stays when the turn is rolled back`() throws {
        let world = try World()
        try putAside("lat=3.1&lon=101.7", by: .osmAnd, world)
        let id = try #require(try entries(world).first?["id"]?.string)
        let request = world.request(.post, "/v1/quarantine/\(id)/retry", token: "operator")
        try world.failingTurn { try world.service.handle(request) }
        #expect(try entries(world).count == 1)
        #expect(try retry(world).json["accepted"] == 1)
    }
}
