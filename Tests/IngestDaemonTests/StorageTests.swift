import Bus
import IngestCore
import Model
import Parsing
import Store
import TestSupport
import Testing
import Web
import Wire

@testable import IngestDaemon

/// Reports in the store: what is known again, what a start learns from them, how small they are.
@Suite struct StorageTests {
    private func body(
        _ time: Timestamp, lat: Double = 3, id: String? = nil, battery: Int? = nil
    ) -> String {
        var members = #""time":"\#(time)","lat":\#(lat),"lon":101"#
        if let id { members += #","id":"\#(id)""# }
        if let battery { members += #","battery":\#(battery)"# }
        return "{" + members + "}"
    }

    /// What a phone's post came to.
    private func post(_ world: World, _ body: String, phone: Int = 1) throws -> String {
        let response = try world.send(
            .post, "/v1/reports", body, token: "phone-\(phone)")
        let json = try JSON.parse(response.body)
        return json["accepted"]?.int == 1 ? "new" : json["duplicates"]?.int == 1 ? "known" : "?"
    }

    @Test func `a repeated report is known, whatever came in between`() throws {
        let world = try World()
        let older = start - .seconds(100)
        let oldest = start - .seconds(1000)
        #expect(try post(world, body(start)) == "new")
        #expect(try post(world, body(start)) == "known")
        #expect(try post(world, body(start, lat: 4)) == "new", "another place is another report")
        #expect(try post(world, body(start), phone: 2) == "new", "of another phone, too")
        #expect(try post(world, body(older)) == "new")
        #expect(try post(world, body(older, id: "a")) == "known", "the same fix is one report")
        #expect(try post(world, body(older, lat: 5, id: "a")) == "new")
        #expect(try post(world, body(older, lat: 5, id: "a")) == "known")
        #expect(try post(world, body(older, lat: 6, id: "b")) == "new")
        #expect(try post(world, body(oldest)) == "new")
        #expect(try post(world, body(oldest)) == "known", "it waits")
        try world.turn {}
        #expect(try post(world, body(oldest)) == "known", "it has waited")
        try world.restart()
        #expect(try post(world, body(start)) == "known")
        #expect(try post(world, body(older, id: "b")) == "known")
        #expect(try post(world, body(start + .microseconds(1))) == "new")
    }

    @Test func `a report from the future stays known when its time has come`() throws {
        let world = try World()
        let future = start + .seconds(600)
        #expect(try post(world, body(future)) == "new")
        #expect(try post(world, body(future)) == "known")
        #expect(try post(world, body(future, lat: 4)) == "new")
        try world.restart()
        world.now = start + .seconds(599)
        #expect(try post(world, body(future)) == "known")
        #expect(try post(world, body(future), phone: 2) == "new")
        let marks = try world.database.all("SELECT state, delay FROM report ORDER BY device") {
            (ReportState(packed: $0.int64(0)).clockSkew, $0.int64(1))
        }
        #expect(marks.map(\.0) == [true, true, false])
        #expect(marks.map(\.1) == [0, 0, -1_000_000])
        world.now = start + .seconds(Limits.memoryDays * 86_400 + 700)
        try world.turn {}
        #expect(try world.database.scalar("SELECT count(*) FROM skewed") == .integer(0))
    }

    @Test func `a start updates device rows from reports`() throws {
        let world = try World()
        for second in 0..<5 {
            world.now = start + .seconds(second)
            _ = try post(world, body(world.now, battery: 50 - second))
        }
        _ = try post(world, body(start - .seconds(900)), phone: 2)
        _ = try post(world, body(start - .seconds(800)), phone: 2)
        let stored = try world.database.scalar("SELECT time FROM device WHERE number = 1")
        #expect(stored != .time(world.now), "the row is behind")
        var before = [1, 2].map { world.service.runner.core.reports.devices[device($0)] }
        #expect(before[0]?.isMoving == false)
        // Whether it moves the next two fixes tell.
        for place in before.indices { before[place]?.isMoving = nil }
        try world.restart()
        #expect([1, 2].map { world.service.runner.core.reports.devices[device($0)] } == before)
        #expect(before[0]?.battery == 46 && before[0]?.sequenced == world.now)
        #expect(before[1]?.sequenced == start - .seconds(800))
        // A minute later it is written.
        world.now = world.now + .seconds(Limits.deviceRowSeconds + 1)
        _ = try post(world, body(world.now))
        try world.turn {}
        let written = try world.database.scalar("SELECT time FROM device WHERE number = 1")
        #expect(written == .time(world.now))
    }

    @Test func `the backlog does not count as sequenced`() throws {
        let world = try World()
        let live = start - .seconds(200)
        _ = try post(world, body(live))
        let request = world.request(
            .post, "/v1/reports", body(start - .seconds(400)), token: "phone-2")
        try world.database.transaction { try world.service.handle(request) }
        let rows = try Writer(database: world.database).load().devices
        #expect(rows.map(\.sequenced) == [live, .zero])
        #expect(rows.map { $0.newest?.time } == [live, start - .seconds(400)])
    }

    @Test(arguments: Trigger.allCases, [nil, false, true])
    func `a packed state can be unpacked`(trigger: Trigger, charging: Bool?) {
        for battery in [nil, 0, 1, 100] as [UInt8?] {
            for marks in 0..<4 {
                var report = Report(
                    id: ReportID(.zero), person: person(1), device: device(1),
                    fix: Fix(time: start, position: Coordinate(latitudeE7: 1, longitudeE7: 2)),
                    trigger: trigger, battery: battery, charging: charging, received: start)
                report.clockSkew = marks & 1 == 1
                report.late = marks & 2 == 2
                let state = ReportState(report)
                #expect(ReportState(packed: state.packed) == state)
            }
        }
    }

    @Test func `a day of phones takes less than 83 bytes per fix`() throws {
        let folder = try TemporaryFolder()
        let database = try Database(
            path: folder.file("store.sqlite"),
            migrations: SQLiteBusStore.migrations + Tables.migrations)
        try database.run("PRAGMA synchronous = OFF")
        let reports = ReportTable(database: database)
        var random = SeededGenerator(seed: 1)
        func draw(_ range: ClosedRange<Int32>) -> Int32 { .random(in: range, using: &random) }
        try database.transaction {
            for round in 0..<480 {
                for number in (70_000..<70_100 as Range<Int64>).shuffled(using: &random) {
                    let time = start + .milliseconds(round * 180_000 + Int(draw(0...99_999)))
                    let fix = Fix(
                        time: time,
                        position: Coordinate(
                            latitudeE7: 31_000_000 + draw(0...500_000),
                            longitudeE7: 1_016_000_000 + draw(0...500_000)),
                        accuracyCentimetres: draw(300...9000),
                        altitudeCentimetres: draw(1000...9000),
                        speedCentimetresPerSecond: draw(0...3000), courseDegrees: draw(0...359))
                    let report = Report(
                        id: ReportID(ID128(high: random.next(), low: random.next())),
                        person: person(1), device: device(1), fix: fix, battery: 77,
                        charging: false, received: time + .milliseconds(Int(draw(100...60_000))))
                    try reports.save(report, of: number)
                }
            }
        }
        guard case .integer(let pages)? = try database.scalar("PRAGMA page_count") else { return }
        let bytes = Double(pages * 4096) / (480 * 100)
        #expect(bytes < 83, "\(bytes) bytes a fix")
    }
}

/// A store that was written before reports lay in the order of device and time.
@Suite struct StoreBeforeTests {
    @Test func `keeps reports, backlog and duplicate keys`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let before =
            SQLiteBusStore.migrations + Tables.migrations.filter { $0.number < 9 }
        let old = try Database(path: path, migrations: before)
        let ids = (1...3).map { ReportID(ID128(high: 7, low: UInt64($0))) }
        try old.transaction {
            try old.run(
                "INSERT INTO device VALUES (9, ?, ?, ?, 0, 5, 1, ?, 1, 2, 3, NULL, NULL, NULL)",
                .id(device(1)), .id(person(1)), .time(start), .time(start))
            for (place, id) in ids.enumerated() {
                try old.run(
                    """
                    INSERT INTO report (id, device, time, latitude, longitude, accuracy, altitude,
                        speed, course, trigger, battery, charging, marks, received)
                    VALUES (?, 9, ?, 11, 12, 13, NULL, 15, 16, 2, ?, ?, ?, ?)
                    """, .id(id), .time(start - .seconds(place)),
                    .integer(place == 0 ? nil : place), .integer(place == 1 ? 0 : nil),
                    .integer(place), .time(start + .seconds(1)))
            }
            try old.run("INSERT INTO waiting VALUES (4, ?, 'req-7')", .id(ids[2]))
        }
        let database = try Database(
            path: path, migrations: SQLiteBusStore.migrations + Tables.migrations)
        let writer = Writer(database: database)
        let stored = try writer.load()
        let rows = try writer.intake.reports.reports(
            of: 9, from: .zero, before: .distantFuture, atMost: 10)
        #expect(rows.map(\.fix.time) == [2, 1, 0].map { start - .seconds($0) })
        #expect(rows.map(\.state.battery) == [2, 1, nil])
        #expect(rows.map(\.state.charging) == [nil, false, nil])
        #expect(rows.map(\.state.clockSkew) == [false, true, false])
        #expect(rows.map(\.state.late) == [true, false, false])
        #expect(rows.allSatisfy { $0.received == start + .seconds(1) })
        #expect(rows.allSatisfy { $0.fix.speedCentimetresPerSecond == 15 })
        let waiting = try #require(stored.waiting.first)
        #expect(waiting.number == 4 && waiting.report.id == ids[2])
        #expect(waiting.report.person == person(1) && waiting.report.trace == "req-7")
        let row = try #require(stored.devices.first)
        #expect(row.newest?.time == start && row.sequenced == start)
        func isKnown(_ id: ReportID, _ time: Timestamp) throws -> Bool {
            let fix = Fix(time: time, position: Coordinate(latitudeE7: 1, longitudeE7: 1))
            return try writer.intake.reports.find(id, fix, of: row).isKnown
        }
        for (place, id) in ids.enumerated() {
            #expect(try isKnown(id, start - .seconds(place)))
        }
        #expect(try isKnown(ids[1], start + .seconds(99)), "skewed")
        #expect(try !isKnown(ids[0], start + .seconds(99)))
    }
}
