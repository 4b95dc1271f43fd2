import Bus
import Model
import Runtime
import Store
import TestSupport
import Testing

@testable import Hosting

@Suite struct `A store` {
    private let database: Database
    private let start = Timestamp(seconds: 1_800_000_000)
    private let hold = Duration.seconds(600)

    init() throws {
        database = try Database(
            path: ":memory:", migrations: SQLiteBusStore.migrations + [LastAlive.migration])
    }

    private func begin(after seconds: Int64, isNewHeld: Bool = false) throws -> Outage? {
        var lastAlive = LastAlive(database)
        return try lastAlive.begin(
            at: start + .seconds(seconds), hold: hold, isNewHeld: isNewHeld)
    }

    @Test func `that is new or was used recently had no outage`() throws {
        #expect(try begin(after: 0) == nil)
        #expect(try begin(after: 900) == nil)
        #expect(try begin(after: 1700) == nil)
    }

    @Test func `that is more than 15 min behind had an outage, until its hold ends`() throws {
        #expect(try begin(after: 0) == nil)
        let outage = Outage(
            from: start, until: start + .seconds(901), holdEnds: start + .seconds(1501))
        #expect(try begin(after: 901) == outage)
        #expect(try begin(after: 1500) == outage, "a restart does not lengthen it")
        #expect(try begin(after: 1501) == nil)
    }

    @Test func `records once a minute that its service runs`() throws {
        var lastAlive = LastAlive(database)
        #expect(try lastAlive.begin(at: start, hold: hold) == nil)
        for second in 0...3600 { lastAlive.record(start + .seconds(Int64(second))) }
        #expect(try begin(after: 3600 + 900) == nil)
        #expect(try begin(after: 3600 + 1801)?.from == start + .seconds(4500))
    }

    @Test func `that falls behind twice has one outage, from the first time on`() throws {
        #expect(try begin(after: 0) == nil)
        #expect(try begin(after: 2000)?.from == start)
        try LastAlive(database).markRestored()
        let again = try begin(after: 2300)
        #expect(again?.from == start && again?.until == start + .seconds(2300))
    }

    @Test func `that is older than the file next to it was restored`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        func run(_ seconds: ClosedRange<Int64>) throws -> Outage? {
            let database = try Database(path: path, migrations: [LastAlive.migration])
            var lastAlive = LastAlive(database)
            let outage = try lastAlive.begin(at: start + .seconds(seconds.lowerBound), hold: hold)
            for second in seconds { lastAlive.record(start + .seconds(second)) }
            return outage
        }
        func copy(to name: String) throws {
            let database = try Database(path: path, migrations: nil)
            try database.copy(to: folder.file(name))
        }
        #expect(try run(0...10) == nil)
        try copy(to: "copy")
        #expect(try run(11...20) == nil, "its own store")
        // Into the same file, as `cp` does.
        let bytes = try Files.read(folder.file("copy"))
        for end in ["-wal", "-shm"] { try Files.remove(path + end) }
        try Files.write(bytes, to: path)
        let outage = try run(30...200)
        #expect(outage?.from == start && outage?.until == start + .seconds(30))
        #expect(try run(630...640) == nil, "its hold is over")
        try Files.write(Array("?".utf8), to: folder.file("last-alive"))
        #expect(try run(641...642) == nil, "an invalid file is ignored")
    }

    @Test func `that is new holds earlier items, if its service asks for that`() throws {
        var lastAlive = LastAlive(database)
        let outage = Outage(from: .zero, until: start, holdEnds: start + hold)
        #expect(try lastAlive.begin(at: start, hold: hold, isNewHeld: true) == outage)
        #expect(!outage.holds(start + .milliseconds(1), at: start + .milliseconds(2)))
        #expect(try begin(after: 599) == outage, "also after a restart")
        try LastAlive(database).markRestored()
        #expect(try begin(after: 599)?.from == start + .seconds(599), "restored: it was alive")
        #expect(try begin(after: 1200) == nil)
    }

    @Test func `without the row that has consumed records holds nothing`() throws {
        try SQLiteBusStore(database).saveCursor(.unknown, of: .directory)
        #expect(try begin(after: 0, isNewHeld: true) == nil)
    }

    @Test(arguments: [true, false])
    func `ignores an outage recorded by a clock that was hours ahead`(
        _ isNew: Bool
    ) throws {
        if !isNew { #expect(try begin(after: 0) == nil) }
        #expect(try begin(after: 8 * 3600, isNewHeld: isNew)?.until == start + .seconds(8 * 3600))
        #expect(try begin(after: 61, isNewHeld: isNew) == nil)

        try database.run("DELETE FROM last_alive")
        if !isNew { #expect(try begin(after: 0) == nil) }
        #expect(try begin(after: 1000, isNewHeld: isNew) != nil)
        let outage = try begin(after: 400, isNewHeld: isNew)
        #expect(outage?.until == start + .seconds(400))
        #expect(outage?.holdEnds == start + .seconds(1000))
    }

    @Test func `holds items that became due before its service ran again, and no later ones`() {
        let outage = Outage(
            from: start, until: start + .seconds(10), holdEnds: start + .seconds(20))
        #expect(outage.holds(start + .seconds(10), at: start + .seconds(19)))
        #expect(!outage.holds(start + .seconds(11), at: start + .seconds(19)))
        #expect(!outage.holds(start + .seconds(10), at: start + .seconds(20)))
        #expect(outage.covers(start - .seconds(5)))
    }
}
