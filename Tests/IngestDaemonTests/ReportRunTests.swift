import Bus
import IngestCore
import Model
import Store
import TestSupport
import Testing

@testable import IngestDaemon

/// Reports that share a row are found, read and forgotten like those that do not.
@Suite struct ReportRunTests {
    private let database: Database
    private let table: ReportTable
    private let kept: [Report]

    /// Batches of a device of several lengths and paces, stored in any order.
    init() throws {
        database = try Database(
            path: ":memory:", migrations: SQLiteBusStore.migrations + Tables.migrations)
        table = ReportTable(database: database)
        var chance = SeededGenerator(seed: 9)
        var all: [Report] = []
        for batch in 0..<12 {
            let begin = start + .seconds(batch * 700)
            let pace = [1, 30, 250, 0][batch % 4]
            let reports = (0..<[1, 2, 30, 60][batch / 3]).map { step in
                ReportRunTests.report(begin + .seconds(step * pace), &chance)
            }
            all += reports
        }
        for part in stride(from: 0, to: all.count, by: 37).shuffled(using: &chance) {
            let reports = all[part..<min(part + 37, all.count)].sorted { $0.fix.time < $1.fix.time }
            try table.save(reports, of: 5)
        }
        try table.save([ReportRunTests.report(start, &chance)], of: 6)
        kept = all.sorted {
            ($0.fix.time, $0.id.raw.low) < ($1.fix.time, $1.id.raw.low)
        }
    }

    private static func report(_ time: Timestamp, _ chance: inout SeededGenerator) -> Report {
        func draw(_ range: ClosedRange<Int32>) -> Int32? {
            Bool.random(using: &chance) ? .random(in: range, using: &chance) : nil
        }
        let fix = Fix(
            time: time,
            position: Coordinate(
                latitudeE7: draw(-900_000_000...900_000_000) ?? 1,
                longitudeE7: draw(-1_800_000_000...1_800_000_000) ?? 0),
            accuracyCentimetres: draw(0...10_000_000) ?? 0,
            altitudeCentimetres: draw(-10_000_000...10_000_000),
            speedCentimetresPerSecond: draw(0...200_000), courseDegrees: draw(0...359))
        return Report(
            id: ReportID(ID128(high: 0, low: chance.next())), person: person(1), device: device(1),
            fix: fix, trigger: .significant, battery: draw(0...100).map { UInt8($0) },
            charging: Bool.random(using: &chance),
            received: time + .microseconds(Int64(draw(-99_000_000...Int32.max) ?? 0)))
    }

    private func isSame(_ found: StoredReport, _ report: Report) -> Bool {
        found.fix == report.fix && found.state == ReportState(report)
            && found.received == report.received && found.half == report.id.raw.low
    }

    @Test func `share rows`() throws {
        guard case .integer(let rows)? = try database.scalar("SELECT count(*) FROM report") else {
            return
        }
        #expect(Int(rows) < kept.count / 3, "\(rows) rows of \(kept.count)")
    }

    @Test func `are deduplicated one by one`() throws {
        for report in kept {
            let found = try table.report(report.id, report.fix.time, of: 5)
            #expect(found.map { isSame($0, report) } == true)
            #expect(try table.report(report.id, report.fix.time + .seconds(1), of: 5) == nil)
        }
    }

    @Test func `are completed one by one, and nothing else changes`() throws {
        var expected = kept
        for index in kept.indices where index % 5 == 0 {
            expected[index].fix.speedCentimetresPerSecond = 321
            expected[index].fix.accuracyCentimetres = 77
            expected[index].battery = 9
            try table.complete(expected[index], of: 5)
        }
        let found = try table.reports(of: 5, from: .zero, before: .distantFuture, atMost: 9999)
        #expect(found.count == expected.count && zip(found, expected).allSatisfy(isSame))
    }

    @Test func `are read in their order, from any place`() throws {
        let from = start + .seconds(720)
        let end = start + .seconds(6000)
        let expected = kept.filter { $0.fix.time >= from && $0.fix.time < end }
        for limit in [1, 7, 1000] {
            let found = try table.reports(of: 5, from: from, before: end, atMost: limit)
            #expect(found.count == min(limit, expected.count))
            #expect(zip(found, expected).allSatisfy(isSame))
            let newest = try table.newest(of: 5, from: from, before: end, atMost: limit)
            #expect(newest.count == min(limit, expected.count))
            #expect(zip(newest, expected.reversed()).allSatisfy(isSame))
        }
        var place = StoredReport.Place(time: .zero, half: nil)
        var read: [StoredReport] = []
        while case let page = try table.reports(of: 5, after: place, atMost: 10), !page.isEmpty {
            read += page
            place = page[page.count - 1].place
        }
        #expect(read.count == kept.count && zip(read, kept).allSatisfy(isSame))
        #expect(try table.newest(of: 5).map { isSame($0, kept[kept.count - 1]) } == true)
        #expect(try table.newestSequenced(of: 5) == kept.last?.fix.time)
    }

    @Test func `are deleted when all reports of a row are old enough`() throws {
        let limit = start + .seconds(4000)
        while try table.forget(of: 5, before: limit, atMost: 50) > 0 {}
        let left = try table.reports(of: 5, from: .zero, before: .distantFuture, atMost: 1000)
        let young = kept.filter { $0.fix.time >= limit }
        #expect(left.suffix(young.count).map(\.half) == young.map(\.id.raw.low))
        #expect(left.allSatisfy { $0.fix.time >= limit - ReportRun.span })
        while try table.forget(of: 5, before: .distantFuture, atMost: 50) > 0 {}
        #expect(try database.scalar("SELECT count(*) FROM report") == .integer(1), "the other's")
    }
}
