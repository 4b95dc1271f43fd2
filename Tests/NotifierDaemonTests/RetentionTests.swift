import Model
import NotifierCore
import Parsing
import Store
import Testing

@testable import NotifierDaemon

@Suite struct RetentionTests {
    private let house: House

    init() throws { house = try House() }

    private func count(_ table: String) throws -> Int64? {
        guard case .integer(let count)? = try house.database.scalar("SELECT count(*) FROM \(table)")
        else { return nil }
        return count
    }

    /// The timer says that it is time, so many days after the start; everything is done that comes
    /// of it.
    private func round(afterDays days: Int) throws {
        house.now = max(house.now, noon + .seconds(days * 86_400))
        try house.tell(
            .retentionDue(RetentionRound(at: noon + .seconds(days * 86_400))), on: .fired)
        for _ in 0..<5 {
            house.now = house.now + Limits.pruneInterval
            try house.turn { _ in }
        }
    }

    private func apply(_ body: EventBody) throws {
        try house.turn { service in
            let event = Event(id: EventID(.zero), time: house.now, body: body)
            try service.directoryWillChange(event)
            house.replica.apply(body)
            try service.apply(
                event, from: .directory,
                at: .init(incarnation: .zero, sequence: 1, hash: 0))
        }
    }

    @Test func `messages go after thirty days, with their tries, and younger ones stay`() throws {
        try house.tell(.zoneEntered(House.crossing), on: .events(.of(person(1))))
        house.now = noon + .seconds(86_400)
        var later = House.crossing
        later.fix.time = house.now
        try house.tell(.zoneEntered(later), on: .events(.of(person(1))))
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

    @Test func `a wrong clock of this process forgets nothing`() throws {
        try house.tell(.zoneEntered(House.crossing), on: .events(.of(person(1))))
        house.now = noon + .seconds(5000 * 86_400)
        try house.restart()
        try house.turn { _ in }
        try round(afterDays: 1)
        #expect(try count("notifications") == 2 && count("timeline") == 1)
    }

    @Test func `what was begun before a restart goes on after it`() throws {
        try house.tell(.zoneEntered(House.crossing), on: .events(.of(person(1))))
        house.now = noon + .seconds(40 * 86_400)
        try house.turn { service in
            try service.apply(
                Event(
                    id: EventID(ID128(high: 77, low: 1)), time: house.now,
                    body: .retentionDue(RetentionRound(at: house.now))),
                from: .fired, at: .init(incarnation: .zero, sequence: 1, hash: 0))
        }
        try house.restart()
        house.now = house.now + Limits.pruneInterval
        try house.turn { _ in }
        #expect(try count("notifications") == 0)
    }

    @Test func `emergencies are kept for a year after their end, with their ladders`() throws {
        try house.tell(House.opened(), on: .events(.of(person(1))))
        try house.tell(
            .emergencyResolved(
                EmergencyNews(
                    emergency: emergency(1), person: person(1), state: .resolved, trigger: .panic,
                    signal: emergency(1), raised: noon, countdownEnds: noon, fix: House.fix)),
            on: .events(.of(person(1))))
        try round(afterDays: 365)
        #expect(try count("emergencies") == 1 && count("ladders") == 1)
        try round(afterDays: 366)
        #expect(try count("emergencies") == 0 && count("ladders") == 0)
    }

    @Test func `a circle that looks back less far keeps its emergencies' lines alone`() throws {
        try house.tell(.zoneEntered(House.crossing), on: .events(.of(person(1))))
        try house.tell(House.opened(), on: .events(.of(person(1))))
        var circle = try #require(house.replica.circle(family))
        circle.historyDays = 7
        try apply(.circleChanged(circle))
        func lines() throws -> (entered: Int, emergency: Int) {
            let all = try house.database.all("SELECT body FROM timeline") { $0.text(0) }
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

    @Test func `lines of emergencies, however many, keep no others from being forgotten`() throws {
        try house.tell(House.opened(), on: .events(.of(person(1))))
        try house.turn { _ in
            let sql = """
                INSERT INTO timeline (circle, at, person, shared, body)
                SELECT circle, at, person, shared, body FROM timeline LIMIT 1
                """
            for _ in 0..<Limits.pruneRowsMax { try house.database.run(sql) }
        }
        try house.tell(.zoneEntered(House.crossing), on: .events(.of(person(1))))
        var circle = try #require(house.replica.circle(family))
        circle.historyDays = 7
        try apply(.circleChanged(circle))
        let others = "timeline WHERE json_extract(body, '$.emergency') IS NULL"
        #expect(try count(others) == 1)
        try round(afterDays: 8)
        #expect(try count(others) == 0)
        let plan = try house.database.all(
            """
            EXPLAIN QUERY PLAN SELECT seq FROM timeline WHERE circle = x'00' AND at < 1
                AND json_extract(body, '$.emergency') IS NULL ORDER BY at LIMIT 1
            """
        ) { $0.text(3) }
        #expect(plan.allSatisfy { $0.contains("timeline_forgotten") }, "no circle is read whole")
    }

    // MARK: Erasing

    @Test func `of who is gone nothing is left that was told to them or of them`() throws {
        try house.tell(.zoneEntered(House.crossing), on: .events(.of(person(1))))
        var ben = House.crossing
        ben.person = person(2)
        try house.tell(.zoneEntered(ben), on: .events(.of(person(2))))
        try house.tell(House.opened(), on: .events(.of(person(1))))
        #expect(house.storeText().contains("Aisha"))
        var circle = try #require(house.replica.circle(family))
        circle.members.removeAll { $0.person == person(1) }
        try apply(.circleChanged(circle))
        try apply(.personRemoved(PersonRemoval(person: person(1))))
        for _ in 0..<5 { try house.turn { _ in } }
        for table in ["notifications", "timeline", "emergencies", "ladders", "texts"] {
            let bodies = try house.database.all("SELECT body FROM \(table)") { $0.text(0) }
            // Whom an emergency of others was told to is a bare id in it.
            let subject = #""person":"\#(person(1))""#
            #expect(bodies.allSatisfy { !$0.contains(subject) }, "\(table)")
        }
        try round(afterDays: 1)
        try house.turn { _ in house.database.cutLogAfterCommit() }
        let bytes = house.storeText()
        for marker in ["Aisha", "+60111000001", "Aisha@example.org", "3.139"] {
            #expect(!bytes.contains(marker), "\(marker)")
        }
        #expect(try count("timeline") == 1, "what Budi did stays")
        try round(afterDays: 4)
        #expect(try count("erasure") == 0)
    }

    @Test func `erasing goes on after a restart`() throws {
        try house.tell(.zoneEntered(House.crossing), on: .events(.of(person(1))))
        try apply(.personRemoved(PersonRemoval(person: person(1))))
        try house.restart()
        for _ in 0..<3 { try house.turn { _ in } }
        #expect(try count("notifications") == 0 && count("sink") == 0)
    }

    // MARK: To take along

    @Test func `people read what was told to them and of them, and nobody else does`() throws {
        try house.tell(.zoneEntered(House.crossing), on: .events(.of(person(1))))
        func items(_ number: UInt64) throws -> [JSON] {
            try house.get(
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
            let answer = try house.get("/v1/people/\(person(1))/notifications", as: token)
            #expect(answer.status == 403)
        }
    }
}
