import Bus
import Hashing
import IngestCore
import Model
import Parsing
import Testing
import Web

@testable import IngestDaemon

@Suite struct `The device log` {
    private let path = "/v1/devices/\(device(1))/log"

    private func read(
        _ world: World, _ query: String = "", as token: String = "person-1"
    ) throws -> [JSON] {
        try world.send(.get, path + query, token: token).json["items"]?.array ?? []
    }

    @discardableResult
    private func send(
        _ world: World, age: Int64 = 10, longitude: Double = 101.7, more: String = ""
    ) throws -> Response {
        let time = (world.now - .seconds(age)).description
        return try world.send(
            .post, "/osmand?lat=3.1&lon=\(longitude)&accuracy=8&batt=61&timestamp=\(time)\(more)",
            token: "phone-1")
    }

    @Test func `lists each request with its outcome, newest first`() throws {
        let world = try World()
        try send(world)
        world.now = start + .seconds(60)
        try send(world)
        world.now = start + .seconds(120)
        try send(world, age: 70)
        world.now = start + .seconds(180)
        try send(world, age: 4000)
        world.now = start + .seconds(240)
        try send(world, age: -500)
        world.now = start + .seconds(300)
        try world.send(.post, "/osmand?lat=91&lon=2", token: "phone-1")
        world.now = start + .seconds(360)
        try world.send(.post, "/osmand?batt=50", token: "phone-1")
        let entries = try read(world)
        #expect(
            entries.map { $0.cells("outcome", "reason", "status") } == [
                "nothing - 200", "quarantined bad-position 200", "accepted - 200", "accepted - 200",
                "duplicate - 200", "accepted - 200", "accepted - 200",
            ])
        #expect(entries[2]["reports"]?["clockSkew"] == 1)
        #expect(entries[3]["reports"]?["late"] == 1 && entries[3]["reports"]?["waiting"] == 1)
        #expect(entries[3]["fix"]?["ageSeconds"]?.double == 4000)
        #expect(entries[5]["fix"]?["accuracy"]?.double == 8 && entries[5]["fix"]?["battery"] == 61)
        #expect(entries[5]["fix"]?["ageSeconds"]?.double == 10)
        #expect(entries.allSatisfy { $0["client"] == "osmand" })
        #expect(!JSON.array(entries).text.contains("101.7"))
    }

    @Test func `records a repeated tag once an hour`() throws {
        let world = try World()
        func say(_ tag: String, after seconds: Int64 = 60) throws {
            world.now = world.now + .seconds(seconds)
            let place = #""_type":"location","lat":3.1,"lon":101.7,"tst":\#(world.now.seconds)"#
            try world.send(
                .post, "/pub", "{\(place)\(tag)}", token: "phone-1",
                headers: ["User-Agent": "OwnTracks/18.4 (iPhone) CFNetwork Darwin"])
        }
        let tag = #","tag":"SOS""#
        try say(tag)
        for _ in 1...5 { try say(tag) }
        try say(tag, after: 3600)
        try say("")
        try say(tag)
        try say(tag)
        #expect(world.records(.sosRaised).count == 2)
        #expect(
            try read(world).reversed().map { $0.cells("outcome", "reason", "calls") } == [
                "accepted - 1", "accepted tag-known 0", "accepted - 0", "accepted - 0",
                "accepted - 0",
                "accepted - 0", "accepted tag-known 0", "accepted - 0", "accepted - 1",
                "accepted tag-known 0",
            ])
    }

    @Test func `costs a usual request nothing`() throws {
        let world = try World()
        for minute in 0..<20 as Range<Int64> {
            world.now = start + .seconds(minute * 60)
            try send(world)
        }
        let rows = try world.database.scalar("SELECT count(*) FROM device_log")
        #expect(rows == .integer(1), "the app that spoke first")
        #expect(try read(world).count == 20)
        try world.restart()
        world.now = world.now + .seconds(60)
        try send(world)
        #expect(try read(world).count == 21)
        let more = try world.database.scalar("SELECT count(*) FROM device_log")
        #expect(more == .integer(1), "the app is known after a restart")
    }

    @Test func `counts equal requests without reports in one row`() throws {
        let world = try World()
        try send(world)
        for second in 1...50 as ClosedRange<Int64> {
            world.now = start + .seconds(second)
            try send(world, age: 10 + second)
        }
        let entries = try read(world)
        #expect(entries.count == 2)
        #expect(entries[0]["count"] == 50 && entries[0]["reports"]?["duplicates"] == 50)
        #expect(entries[0]["time"]?.string == (start + .seconds(1)).description)
        #expect(entries[0]["until"]?.string == (start + .seconds(50)).description)
        world.now = start + .seconds(3602)
        try send(world, age: 3612)
        #expect(try read(world)[0]["count"] == 1)
    }

    @Test func `keeps the last rows for a week`() throws {
        let world = try World()
        for number in 0..<Limits.deviceLogRowsPerDevice + 30 {
            world.now = start + .seconds(Int64(number))
            try send(world, more: "&alarm=sos")
        }
        let rows = try world.database.scalar("SELECT count(*) FROM device_log")
        #expect(rows == .integer(Int64(Limits.deviceLogRowsPerDevice)))
        world.now = world.now + .seconds(Limits.deviceLogSeconds + 60)
        try world.receive(.retentionDue(RetentionRound(at: world.now)), id: 9000, on: .deadlines)
        while let next = world.service.nextDeadline, next <= world.now { try world.turn {} }
        #expect(try world.database.scalar("SELECT count(*) FROM device_log") == .integer(0))
    }

    @Test func `has the call for help, whatever its protocol`() throws {
        let world = try World()
        try send(world, more: "&alarm=sos")
        world.now = start + .seconds(5)
        try world.send(.post, "/v1/emergencies", "{}", token: "phone-1")
        let entries = try read(world)
        #expect(entries.map { $0["outcome"]?.string } == ["call", "accepted"])
        let raised = world.records(.sosRaised).compactMap { event -> String? in
            guard case .sosRaised(let signal) = event.body else { return nil }
            return signal.id.description
        }
        #expect(entries.reversed().map { $0["events"]?[0]?["id"]?.string } == raised)
    }

    @Test func `lists rejected requests`() throws {
        let world = try World(
            limits: IngestLimits(
                callsOfDevicePerSecond: 1, callsOfAddressPerSecond: 0,
                failuresOfAddressPerMinute: 0))
        for _ in 1...63 { try send(world) }
        #expect(try send(world).status == 503)
        world.now = start + .seconds(3)
        let entry = try #require(try read(world).first)
        #expect(entry.cells("outcome", "reason", "status") == "rejected rate-device 503")
        #expect(entry["count"] == 4)
    }

    @Test func `is read page by page, and from a time on`() throws {
        let world = try World()
        for minute in 0..<7 as Range<Int64> {
            world.now = start + .seconds(minute * 60)
            try send(world)
            world.now = world.now + .seconds(1)
            try world.send(.post, "/osmand?alarm=sos", token: "phone-1")
        }
        let all = try read(world).map { $0["id"] }
        #expect(all.count == 14)
        var paged: [JSON?] = []
        var cursor = ""
        repeat {
            let page = try world.send(.get, path + "?limit=3" + cursor, token: "operator").json
            paged += page["items"]?.array?.map { $0["id"] } ?? []
            cursor = page["next"]?.string.map { "&cursor=" + $0 } ?? ""
        } while !cursor.isEmpty
        #expect(paged == all)
        let since = Percent.encode((start + .seconds(300)).description)
        #expect(try read(world, "?since=\(since)").count == 4)
        for query in ["limit=0", "since=x", "cursor=x"] {
            #expect(try world.send(.get, path + "?" + query, token: "operator").status == 400)
        }
    }

    @Test func `is readable by the person and the operator`() throws {
        let world = try World()
        try send(world)
        for (token, status) in [
            ("person-1", 200), ("phone-1", 200), ("operator", 200), ("person-2", 403),
        ] {
            #expect(try world.send(.get, path, token: token).status == status)
        }
        let other = "/v1/devices/\(device(9))/log"
        #expect(try world.send(.get, other, token: "operator").status == 404)
    }

    @Test func `shows zone events to the person only`() throws {
        let world = try World()
        try send(world)
        let fix = try #require(world.records.flatMap(\.event.body.reports).first?.fix)
        let crossing = ZoneCrossing(
            person: person(1), device: device(1), zone: ZoneID(ID128(high: 5, low: 1)),
            zoneName: "School", zoneKind: .safe, circle: circle(1), before: .outside,
            after: .inside, fix: fix, distanceCentimetres: -100, marginCentimetres: 0,
            reason: .insideBeyondMargin, interpolated: false,
            report: try #require(world.records.flatMap(\.event.body.reports).first?.id))
        let event = Event(
            id: EventID(ID128(high: 51, low: 1)), time: world.now, body: .zoneEntered(crossing))
        try world.turn { try world.service.runner.handle(.derived(event)) }
        #expect(try read(world).first?["events"]?[0]?["kind"] == "jaga.zone.entered")
        #expect(try read(world, as: "operator").first?["events"]?.array?.isEmpty == true)
    }

    @Test func `is deleted with its device`() throws {
        let world = try World()
        try send(world)
        let removal = EventBody.deviceRemoved(DeviceRemoval(device: device(1)))
        try world.turn {
            try world.service.directoryWillChange(
                Event(id: EventID(ID128(high: 7, low: 1)), time: world.now, body: removal))
        }
        #expect(try world.database.scalar("SELECT count(*) FROM device_log") == .integer(0))
    }

    @Test func `is rolled back with its turn`() throws {
        let world = try World()
        let request = world.request(.post, "/osmand?lat=91&lon=2", token: "phone-1")
        try world.failingTurn { try world.service.handle(request) }
        #expect(try read(world).isEmpty)
    }
}

extension JSON {
    fileprivate func cells(_ keys: String...) -> String {
        keys.map { key in
            switch self[key] {
            case .string(let text)?: text
            case .integer(let number)?: String(number)
            default: "-"
            }
        }.joined(separator: " ")
    }
}
