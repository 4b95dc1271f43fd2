import Model
import NotifierCore
import Parsing
import Store
import Testing

@testable import NotifierDaemon

@Suite struct RetentionTests {
    private let host: TestHost

    init() throws { host = try TestHost() }

    private func count(_ table: String) throws -> Int64? {
        guard case .integer(let count)? = try host.database.scalar("SELECT count(*) FROM \(table)")
        else { return nil }
        return count
    }

    /// The timer starts a retention round this many days after the start; pruning and erasure run
    /// to their end.
    private func round(afterDays days: Int) throws {
        host.now = max(host.now, noon + .seconds(days * 86_400))
        try host.receive(
            .retentionDue(RetentionRound(at: noon + .seconds(days * 86_400))), on: .deadlines)
        for _ in 0..<5 {
            host.now = host.now + Limits.pruneInterval
            try host.turn { _ in }
        }
    }

    private func apply(_ body: EventBody) throws {
        try host.turn { service in
            let event = Event(id: EventID(.zero), time: host.now, body: body)
            try service.directoryWillChange(event)
            host.replica.apply(body)
            try service.apply(
                event, from: .directory,
                at: .init(incarnation: .zero, sequence: 1, hash: 0))
        }
    }

    @Test func `messages are pruned after thirty days with their attempts, and younger ones stay`()
        throws
    {
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        host.now = noon + .seconds(86_400)
        var later = TestHost.crossing
        later.fix.time = host.now
        try host.receive(.zoneEntered(later), on: .events(.of(person(1))))
        #expect(try count("notifications") == 4)
        try round(afterDays: 30)
        #expect(try count("notifications") == 4)
        try round(afterDays: 31)
        #expect(try count("notifications") == 2)
        #expect(try count("attempts") == 2)
        #expect(try count("timeline") == 2)
        try round(afterDays: 366)
        #expect(try count("notifications") == 0 && count("changes") == 0)
        #expect(try count("timeline") == 1)
    }

    /// They are part of its record.
    @Test func `positions of emergencies are pruned like these`() throws {
        func position(_ seconds: Int64, battery: UInt8?) -> EventBody {
            let fix = Fix(
                time: noon + .seconds(seconds),
                position: Coordinate(latitudeE7: Int32(seconds), longitudeE7: 7))
            return .sosPosition(
                FollowedPosition(
                    person: person(1), emergency: emergency(1), fixes: [fix], battery: battery,
                    charging: true, impairments: [.powerSave]))
        }
        try host.receive(position(0, battery: 40), on: .sos)
        try host.receive(position(10, battery: nil), on: .sos)
        // The trail of a further emergency has the same fix, without the battery.
        try host.receive(position(0, battery: nil), on: .sos)
        let store = NotifierStore(database: host.database)
        let all = try store.followedPositions(
            of: person(1), from: noon, through: noon + .seconds(60), limit: 10)
        #expect(all.map(\.fix.position.latitudeE7) == [0, 10])
        #expect(all.map(\.battery) == [40, nil] && all[1].charging == true)
        #expect(all[0].impairments == [.powerSave])
        try round(afterDays: 364)
        #expect(try count("followed_position") == 2)
        try round(afterDays: 366)
        #expect(try count("followed_position") == 0)
    }

    @Test func `an erased person's positions and devices are gone`() throws {
        let fix = Fix(time: noon, position: Coordinate(latitudeE7: 1, longitudeE7: 7))
        try host.receive(
            .sosPosition(
                FollowedPosition(person: person(1), emergency: emergency(1), fixes: [fix])),
            on: .sos)
        try host.receive(
            .deviceReporting(
                DeviceReporting(
                    person: person(1), device: DeviceID(ID128(high: 2, low: 1)), isFirst: true,
                    app: nil, lastReport: noon, impairments: [])), on: .sos)
        let store = NotifierStore(database: host.database)
        #expect(try store.reporting(of: person(1)).map(\.lastReport) == [noon])
        try apply(.personRemoved(PersonRemoval(person: person(1))))
        for _ in 0..<5 { try host.turn { _ in } }
        #expect(try count("followed_position") == 0 && count("reporting") == 0)
    }

    @Test func `a wrong clock of this process prunes nothing`() throws {
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        host.now = noon + .seconds(5000 * 86_400)
        try host.restart()
        try host.turn { _ in }
        try round(afterDays: 1)
        #expect(try count("notifications") == 2 && count("timeline") == 1)
    }

    @Test func `a started round continues after a restart`() throws {
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        host.now = noon + .seconds(40 * 86_400)
        try host.turn { service in
            try service.apply(
                Event(
                    id: EventID(ID128(high: 77, low: 1)), time: host.now,
                    body: .retentionDue(RetentionRound(at: host.now))),
                from: .deadlines, at: .init(incarnation: .zero, sequence: 1, hash: 0))
        }
        try host.restart()
        host.now = host.now + Limits.pruneInterval
        try host.turn { _ in }
        #expect(try count("notifications") == 0)
    }

    @Test func `emergencies are kept for a year after their end, with their escalations`() throws {
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        try host.receive(
            .emergencyResolved(
                EmergencyChange(
                    emergency: emergency(1), person: person(1), state: .resolved, trigger: .panic,
                    signal: emergency(1), raised: noon, countdownEnds: noon, fix: TestHost.fix)),
            on: .events(.of(person(1))))
        try round(afterDays: 365)
        #expect(try count("emergencies") == 1 && count("escalations") == 1)
        try round(afterDays: 366)
        #expect(try count("emergencies") == 0 && count("escalations") == 0)
    }

    @Test func `a circle with a shorter history keeps only its entries of emergencies`() throws {
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        var circle = try #require(host.replica.circle(family))
        circle.historyDays = 7
        try apply(.circleChanged(circle))
        func lines() throws -> (entered: Int, emergency: Int) {
            let all = try host.database.all("SELECT body FROM timeline") { $0.text(0) }
            return (
                all.count { $0.contains(#""entered""#) },
                all.count { $0.contains(#""emergency-opened""#) }
            )
        }
        try round(afterDays: 7)
        #expect(try lines() == (1, 1))
        try round(afterDays: 8)
        #expect(try lines() == (0, 1))
    }

    @Test func `entries of emergencies, however many, do not block the pruning of others`() throws {
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        try host.turn { _ in
            let sql = """
                INSERT INTO timeline (circle, at, person, shared, body)
                SELECT circle, at, person, shared, body FROM timeline LIMIT 1
                """
            for _ in 0..<Limits.pruneRowsMax { try host.database.run(sql) }
        }
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        var circle = try #require(host.replica.circle(family))
        circle.historyDays = 7
        try apply(.circleChanged(circle))
        let others = "timeline WHERE json_extract(body, '$.emergency') IS NULL"
        #expect(try count(others) == 1)
        try round(afterDays: 8)
        #expect(try count(others) == 0)
        let plan = try host.database.all(
            """
            EXPLAIN QUERY PLAN SELECT seq FROM timeline WHERE circle = x'00' AND at < 1
                AND json_extract(body, '$.emergency') IS NULL ORDER BY at LIMIT 1
            """
        ) { $0.text(3) }
        #expect(plan.allSatisfy { $0.contains("timeline_forgotten") }, "no circle is read whole")
    }

    // MARK: Erasing

    @Test func `nothing remains of a removed person`() throws {
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        var ben = TestHost.crossing
        ben.person = person(2)
        try host.receive(.zoneEntered(ben), on: .events(.of(person(2))))
        try host.receive(TestHost.opened(), on: .events(.of(person(1))))
        #expect(host.storeText().contains("Aisha"))
        var circle = try #require(host.replica.circle(family))
        circle.members.removeAll { $0.person == person(1) }
        try apply(.circleChanged(circle))
        try apply(.personRemoved(PersonRemoval(person: person(1))))
        for _ in 0..<5 { try host.turn { _ in } }
        for table in ["notifications", "timeline", "emergencies", "escalations", "texts"] {
            let bodies = try host.database.all("SELECT body FROM \(table)") { $0.text(0) }
            // Recipients of somebody else's emergency are bare ids.
            let subject = #""person":"\#(person(1))""#
            #expect(bodies.allSatisfy { !$0.contains(subject) }, "\(table)")
        }
        try round(afterDays: 1)
        try host.turn { _ in host.database.truncateLogAfterCommit() }
        let bytes = host.storeText()
        for marker in ["Aisha", "+60111000001", "Aisha@example.org", "3.139"] {
            #expect(!bytes.contains(marker), "\(marker)")
        }
        #expect(try count("timeline") == 1, "what Budi did stays")
        try round(afterDays: 4)
        #expect(try count("erasure") == 0)
    }

    @Test func `erasure continues after a restart`() throws {
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        try apply(.personRemoved(PersonRemoval(person: person(1))))
        try host.restart()
        for _ in 0..<3 { try host.turn { _ in } }
        #expect(try count("notifications") == 0 && count("sink") == 0)
    }

    // MARK: To take along

    @Test func `people read notifications to them and about them, and nobody else does`() throws {
        try host.receive(.zoneEntered(TestHost.crossing), on: .events(.of(person(1))))
        func items(_ number: UInt64) throws -> [JSON] {
            try host.get(
                "/v1/people/\(person(number))/notifications", as: "person-\(number)"
            ).json["items"]?.array ?? []
        }
        let own = try items(2)
        #expect(own.count == 2)
        #expect(Set(own.compactMap { $0["to"]?.string }) == ["+60111000002", "Budi@example.org"])
        let about = try items(1)
        #expect(about.count == 2, "it was about Aisha")
        #expect(about.allSatisfy { $0["to"]?.string?.hasPrefix("…") == true })
        #expect(try items(3).isEmpty)
        for token in ["operator", "person-2"] {
            let answer = try host.get("/v1/people/\(person(1))/notifications", as: token)
            #expect(answer.status == 403)
        }
    }
}
