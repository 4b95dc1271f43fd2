import IngestCore
import Model
import Parsing
import Store
import Testing
import Web

@testable import IngestDaemon

@Suite struct DecisionTests {
    private let path = "/v1/people/\(person(1))/decisions"

    private func zone(_ number: UInt64) -> ZoneID { ZoneID(ID128(high: 5, low: number)) }

    private func decide(_ world: World, _ number: UInt64, zone number2: UInt64 = 1) throws {
        let crossing = ZoneCrossing(
            person: person(1), device: device(1), zone: zone(number2), zoneName: "School",
            zoneKind: .safe, circle: circle(1), before: .outside, after: .outside,
            fix: Fix(
                time: world.now, position: Coordinate(latitude: 3.139, longitude: 101.6869)!,
                accuracyCentimetres: 1200), distanceCentimetres: -512, marginCentimetres: 2000,
            reason: .withinMargin, report: ReportID(.zero))
        try world.receive(.zoneSuppressed(crossing), id: number, on: .events(.of(person(1))))
    }

    /// Ben guards Anna.
    private func guarded(precision: Precision = .exact) throws -> World {
        let world = try World()
        let members = [
            Membership(
                person: person(1), role: .member, joined: start, precision: precision,
                trackerID: "T1"),
            Membership(person: person(2), role: .guardian, joined: start, trackerID: "T2"),
        ]
        world.replica.apply(
            .circleChanged(Circle(id: circle(1), name: "Family", members: members)))
        return world
    }

    private func items(_ answer: Response) -> [JSON] { answer.json["items"]?.array ?? [] }

    @Test func `a decision has its facts, its result and its reason`() throws {
        let world = try guarded()
        try decide(world, 1)
        let item = try #require(items(try world.send(.get, path, token: "phone-1")).first)
        #expect(item["kind"] == "suppressed" && item["reason"] == "within-margin")
        #expect(item["zone"]?["name"] == "School" && item["zone"]?["id"] == .string("\(zone(1))"))
        #expect(item["distance"] == -5.12 && item["margin"] == 20.0)
        #expect(item["before"] == "outside" && item["after"] == "outside")
        #expect(item["fix"]?["lat"] == 3.139 && item["fix"]?["accuracy"] == 12.0)
        #expect(item["at"] == "2026-11-20T10:20:00.000Z")
    }

    @Test func `absences are decisions, with or without a fix`() throws {
        let world = try guarded()
        let absence = ZoneAbsence(
            person: person(1), zone: zone(1), zoneName: "School", circle: circle(1), by: start,
            fix: nil, hasContact: false)
        try world.receive(.zoneAbsent(absence), id: 1, on: .events(.of(person(1))))
        let item = try #require(items(try world.send(.get, path, token: "person-2")).first)
        #expect(item["kind"] == "absent" && item["contact"] == false && item["fix"] == .null)
    }

    @Test func `a guardian's access is logged; positions only if visible`()
        throws
    {
        for precision in Precision.allCases {
            let world = try guarded(precision: precision)
            try decide(world, 1)
            let item = try #require(items(try world.send(.get, path, token: "person-2")).first)
            #expect((item["fix"]?["lat"] != nil) == (precision == .exact))
            #expect((item["distance"] != nil) == (precision == .exact))
            #expect((item["zone"] != .null) == (precision == .exact), "the zone is not known")
            #expect(item["fix"]?["time"] != nil && item["reason"] == "within-margin")
            let rows = try world.database.scalar("SELECT count(*) FROM access")
            #expect(rows == .integer(1))
            try world.send(.get, path, token: "phone-1")
            #expect(try world.database.scalar("SELECT count(*) FROM access") == rows)
        }
    }

    @Test func `strangers get 404, members the reason`() throws {
        let world = try World()
        try decide(world, 1)
        #expect(try world.send(.get, path, token: "person-3").status == 404)
        #expect(try world.send(.get, path, token: "person-2").status == 403)
        #expect(try world.send(.get, path).status == 401)
        let nobody = "/v1/people/\(person(9))/decisions"
        #expect(try world.send(.get, nobody, token: "person-1").status == 404)
    }

    @Test func `decisions are read page by page, by zone and by time`() throws {
        let world = try guarded()
        for number in 1...5 as ClosedRange<UInt64> {
            try decide(world, number, zone: number % 2)
            world.now = world.now + .seconds(60)
        }
        var cursor: String?
        var sizes: [Int] = []
        repeat {
            let query = "?limit=2" + (cursor.map { "&cursor=\($0)" } ?? "")
            let page = try world.send(.get, path + query, token: "phone-1")
            sizes.append(items(page).count)
            cursor = page.json["next"]?.string
        } while cursor != nil
        #expect(sizes == [2, 2, 1])
        func count(_ query: String) throws -> Int {
            items(try world.send(.get, path + query, token: "phone-1")).count
        }
        #expect(try count("?zone=\(zone(1))") == 3)
        #expect(try count("?since=2026-11-20T10:22:00.000Z") == 3)
        #expect(try count("?before=2026-11-20T10:22:00.000Z") == 2)
        for query in ["limit=0", "cursor=x", "zone=x", "since=now", "before=1"] {
            let answer = try world.send(.get, path + "?" + query, token: "phone-1")
            #expect(answer.status == 400)
            #expect(answer.json["field"]?.string == String(query.prefix { $0 != "=" }))
        }
    }

    @Test func `decisions are deleted after seven days, in portions`() throws {
        let world = try guarded()
        let number = Limits.rowsForgottenPerTurn + 10
        for index in 1...number { try decide(world, UInt64(index)) }
        world.now = world.now + .seconds(Limits.decisionSeconds)
        try decide(world, UInt64(number) + 1)
        func count() throws -> Value? {
            try world.database.scalar("SELECT count(*) FROM decision")
        }
        #expect(try count() == .integer(Int64(number) + 1))
        world.now = world.now + .seconds(1)
        try world.receive(
            .retentionDue(RetentionRound(at: world.now)), id: UInt64(number) + 2, on: .deadlines)
        var counts: Set<Value?> = []
        while let next = world.service.nextDeadline, next <= world.now {
            try world.turn {}
            counts.insert(try count())
        }
        #expect(counts.contains(.integer(11)), "some in one turn, the rest in the next")
        #expect(try count() == .integer(1))
    }
}
