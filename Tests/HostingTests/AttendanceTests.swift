import Model
import Store
import Testing

@testable import Hosting

@Suite struct `A store` {
    private let database: Database
    private let start = Timestamp(seconds: 1_800_000_000)
    private let hold = Duration.seconds(600)

    init() throws {
        database = try Database(path: ":memory:", migrations: [Attendance.migration])
    }

    private func begin(after seconds: Int64) throws -> Outage? {
        var attendance = Attendance(database)
        return try attendance.begin(at: start + .seconds(seconds), hold: hold)
    }

    @Test func `that is new or was left a moment ago had no outage`() throws {
        #expect(try begin(after: 0) == nil)
        #expect(try begin(after: 900) == nil)
        #expect(try begin(after: 1700) == nil)
    }

    @Test func `that is more than a quarter of an hour behind had one, until its hold ends`()
        throws
    {
        #expect(try begin(after: 0) == nil)
        let outage = Outage(
            from: start, until: start + .seconds(901), holdEnds: start + .seconds(1501))
        #expect(try begin(after: 901) == outage)
        #expect(try begin(after: 1500) == outage, "a restart does not lengthen it")
        #expect(try begin(after: 1501) == nil)
    }

    @Test func `keeps once a minute that its service runs`() throws {
        var attendance = Attendance(database)
        #expect(try attendance.begin(at: start, hold: hold) == nil)
        for second in 0...3600 { attendance.note(start + .seconds(Int64(second))) }
        #expect(try begin(after: 3600 + 900) == nil)
        #expect(try begin(after: 3600 + 1801)?.from == start + .seconds(4500))
    }

    @Test func `that falls behind twice has one outage, from the first on`() throws {
        #expect(try begin(after: 0) == nil)
        #expect(try begin(after: 2000)?.from == start)
        try Attendance(database).markRestored()
        let again = try begin(after: 2300)
        #expect(again?.from == start && again?.until == start + .seconds(2300))
    }

    @Test func `holds what became due until its service ran again, and nothing later`() {
        let outage = Outage(
            from: start, until: start + .seconds(10), holdEnds: start + .seconds(20))
        #expect(outage.holds(start + .seconds(10), at: start + .seconds(19)))
        #expect(!outage.holds(start + .seconds(11), at: start + .seconds(19)))
        #expect(!outage.holds(start + .seconds(10), at: start + .seconds(20)))
        #expect(outage.covers(start - .seconds(5)))
    }
}
