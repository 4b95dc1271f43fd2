import IngestCore
import Model
import Parsing
import Store
import Testing
import Web

@testable import IngestDaemon

@Suite struct RetentionTests {
    private let world: World

    init() throws { world = try World() }

    /// The timer says that it is time, so many days after the start; everything is done that comes
    /// of it.
    private func round(afterDays days: Int) throws {
        try begin(afterDays: days)
        while let next = world.service.nextDeadline, next <= world.now { try world.turn {} }
    }

    private func begin(afterDays days: Int) throws {
        let time = start + .seconds(days * 86_400)
        world.now = max(world.now, time)
        try world.receive(
            .retentionDue(RetentionRound(at: time)), id: 1000 + UInt64(days), on: .deadlines)
    }

    /// Anna's phone reports so many days after the start.
    private func report(_ number: UInt64 = 1, afterDays days: Int, plusSeconds: Int = 0) throws {
        let time = start + .seconds(days * 86_400 + plusSeconds)
        world.now = max(world.now, time)
        let body = #"{"lat":3.139,"lon":101.6869,"time":"\#(time)"}"#
        let answer = try world.send(.post, "/v1/reports", body, token: "phone-\(number)")
        #expect(answer.status == 202)
    }

    private func count(_ table: String) throws -> Int64? {
        guard case .integer(let count)? = try world.database.scalar("SELECT count(*) FROM \(table)")
        else { return nil }
        return count
    }

    private func change(_ body: EventBody) throws {
        try world.turn {
            try world.service.directoryWillChange(
                Event(id: EventID(.zero), time: world.now, body: body))
            world.replica.apply(body)
        }
    }

    @Test func `reports are deleted after the plan's retention, and none before`() throws {
        try report(afterDays: 0)
        try report(afterDays: 0, plusSeconds: 60)
        try report(afterDays: 1)
        try report(2, afterDays: 1)
        try change(.personChanged(Person(id: person(2), name: "Ben", plan: .paid)))
        try round(afterDays: 30)
        #expect(try count("report") == 4, "to the second 30 days old")
        try round(afterDays: 31)
        #expect(try count("report") == 2, "those of the first day are gone")
        try round(afterDays: 300)
        #expect(try count("report") == 1, "Ben has paid")
        try round(afterDays: 367)
        #expect(try count("report") == 0)
        let positions = try world.send(
            .get, "/v1/circles/\(circle(1))/positions", token: "person-2")
        let features = positions.json["features"]?.array ?? []
        #expect(features.allSatisfy { $0["geometry"] != .null }, "last positions stay")
    }

    @Test func `circles may keep less; the longest history of a person's circles counts`() throws {
        func circle(_ number: UInt64, days: Int?) -> EventBody {
            let member = Membership(
                person: person(1), role: .member, joined: start, trackerID: "T1")
            return .circleChanged(
                Circle(
                    id: IngestDaemonTests.circle(number), name: "C", members: [member],
                    historyDays: days))
        }
        try report(afterDays: 0)
        try change(circle(1, days: 7))
        try change(circle(2, days: 10))
        try round(afterDays: 9)
        #expect(try count("report") == 1)
        try round(afterDays: 11)
        #expect(try count("report") == 0)
        try report(afterDays: 11)
        try change(circle(2, days: 4000))
        try round(afterDays: 40)
        #expect(try count("report") == 1, "no longer than the plan")
        try round(afterDays: 42)
        #expect(try count("report") == 0)
    }

    @Test func `a wrong clock of this process deletes nothing`() throws {
        try report(afterDays: 0)
        world.now = start + .seconds(5000 * 86_400)
        try world.turn {}
        try world.restart()
        try begin(afterDays: 1)
        while let next = world.service.nextDeadline, next <= world.now { try world.turn {} }
        #expect(try count("report") == 1)
    }

    @Test func `a timer clock that is far ahead deletes nothing`() throws {
        try report(afterDays: 0)
        try world.receive(
            .retentionDue(RetentionRound(at: start + .seconds(900 * 86_400))), id: 7, on: .deadlines
        )
        #expect(try count("report") == 1)
        try round(afterDays: 31)
        #expect(try count("report") == 0)
    }

    @Test func `deletion is done in portions and continues after a restart`() throws {
        let many = Limits.rowsForgottenPerTurn * 2 + 10
        for part in 0..<2 {
            let size = many / 2
            let reports = (0..<size).map { index in
                #"{"lat":3.1,"lon":101.6,"time":"\#(start + .seconds(part * size + index))"}"#
            }
            // So old that each waits, in a row of its own.
            world.now = start + .seconds(many + 600)
            try world.send(
                .post, "/v1/reports", #"{"reports":[\#(reports.joined(separator: ","))]}"#,
                token: "phone-1")
        }
        while let next = world.service.nextDeadline, next <= world.now { try world.turn {} }
        #expect(try count("report") == Int64(many))
        try begin(afterDays: 60)
        let left = try #require(try count("report"))
        #expect(left == Int64(many - Limits.rowsForgottenPerTurn))
        try world.restart()
        #expect(try count("report") == 0)
        #expect(try count("retention WHERE done") == 1)
    }

    @Test func `the access log is kept for a year`() throws {
        try report(afterDays: 0)
        try world.send(.get, "/v1/circles/\(circle(1))/positions", token: "person-2")
        try round(afterDays: 364)
        #expect(try count("access") == 1)
        try round(afterDays: 366)
        #expect(try count("access") == 0)
    }

    @Test func `quarantined payloads are kept for thirty days`() throws {
        try world.send(.post, "/pub", "not JSON", token: "phone-1")
        world.now = start + .seconds(86_400)
        try world.send(.post, "/pub", "nor this", token: "phone-1")
        try round(afterDays: 30)
        #expect(try count("quarantine") == 2)
        try round(afterDays: 31)
        #expect(try count("quarantine") == 1)
    }

    @Test func `journeys are deleted with the retention of reports, with their content`()
        throws
    {
        let path = "/v1/people/\(person(1))/journeys"
        for days in [0, 2] {
            try report(afterDays: days)
            world.now = world.now + .seconds(1)
            let answer = try world.send(.post, path, token: "phone-1")
            let journey = try #require(answer.json["id"]?.string)
            try report(afterDays: days, plusSeconds: 60)
            try world.send(
                .post, "\(path)/\(journey)/notes", #"{"text":"here"}"#, token: "phone-1")
            try world.send(.post, "\(path)/\(journey)/stop", token: "phone-1")
        }
        try round(afterDays: 30)
        #expect(try count("journey") == 2)
        try round(afterDays: 31)
        #expect(try count("journey") == 1)
        #expect(try count("journey_note") == 1)
        #expect(try count("journey_fix") == 1)
        #expect(try count("journey_gone") == 0)
    }

    @Test func `a journey without movement for twelve hours is stopped`()
        throws
    {
        let path = "/v1/people/\(person(1))/journeys"
        func stopped() throws -> JSON? {
            try world.send(.get, path, token: "phone-1").json["items"]?.array?.first?["stopped"]
        }
        func report(afterHours hours: Int, metres: Double) throws {
            let time = start + .seconds(hours * 3600)
            world.now = max(world.now, time)
            try world.send(
                .post, "/v1/reports",
                #"{"lat":\#(3 + metres / 111_194.9),"lon":101.5,"time":"\#(time)"}"#,
                token: "phone-1")
        }
        func round(afterHours hours: Int) throws {
            world.now = max(world.now, start + .seconds(hours * 3600))
            try world.receive(
                .retentionDue(RetentionRound(at: world.now)), id: 1000 + UInt64(hours),
                on: .deadlines)
        }
        try report(afterHours: 0, metres: 0)
        try world.send(.post, path, token: "phone-1")
        try report(afterHours: 1, metres: 5000)
        for hours in 2...12 { try report(afterHours: hours, metres: 5000 + Double(hours)) }
        try round(afterHours: 13)
        #expect(try stopped() == .null, "it moved 12 hours ago")
        try world.restart()
        try round(afterHours: 14)
        let end = (start + .seconds(14 * 3600)).description
        #expect(try stopped() == .string(end))
        let next = try world.send(.post, path, token: "phone-1")
        #expect(next.status == 201, "another one can begin")
        world.now = world.now + .seconds(3600)
        try round(afterHours: 15)
        #expect(try stopped() == .null)
    }
}
