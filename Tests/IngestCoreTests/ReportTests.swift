import Dialects
import Hashing
import Model
import Testing

@testable import IngestCore

@Suite struct ReportTests {
    @Test func `a report is stored, sequenced and counted`() {
        var bench = Bench()
        let answer = bench.deliver([observation(at: -5, battery: 61)])
        #expect(answer == .reports(ReportsAnswer(accepted: 1, duplicates: 0)))
        #expect(bench.store.reports.count == 1)
        #expect(bench.reports.count == 1)
        let report = bench.reports[0]
        #expect(report.person == person(1) && report.device == device(1))
        #expect(report.fix.time == start - .seconds(5))
        #expect(report.received == start)
        #expect(report.trace == "t1")
        #expect(!report.late && !report.clockSkew)
        #expect(bench.input.last?.partition == Partition.of(person(1)))
        #expect(bench.input.last?.event.id.raw == report.id.raw)
    }

    @Test func `a repeated report is a success without effect`() {
        var bench = Bench()
        bench.deliver([observation(at: 0, id: "a")])
        let answer = bench.deliver([observation(at: 0, id: "a")])
        #expect(answer == .reports(ReportsAnswer(accepted: 0, duplicates: 1)))
        #expect(bench.reports.count == 1)
        bench.restart()
        bench.deliver([observation(at: 0, id: "a")])
        #expect(bench.reports.count == 1)
    }

    @Test func `a batch may contain the same report twice`() {
        var bench = Bench()
        let answer = bench.deliver([observation(at: 0), observation(at: 1), observation(at: 0)])
        #expect(answer == .reports(ReportsAnswer(accepted: 2, duplicates: 1)))
    }

    @Test func `the duplicate key is the client's id, otherwise device, time and position`() {
        let one = DerivedID.report(observation(at: 0), of: device(1))
        #expect(one == DerivedID.report(observation(at: 0, battery: 3), of: device(1)))
        #expect(one != DerivedID.report(observation(at: 1), of: device(1)))
        #expect(one != DerivedID.report(observation(at: 0, lat: 5), of: device(1)))
        #expect(one != DerivedID.report(observation(at: 0), of: device(2)))
        let named = DerivedID.report(observation(at: 0, id: "a"), of: device(1))
        #expect(named == DerivedID.report(observation(at: 9, lat: 5, id: "a"), of: device(1)))
        #expect(named != DerivedID.report(observation(at: 0, id: "b"), of: device(1)))
        #expect(named != one)
    }

    @Test func `a fix from the future gets its time of arrival`() {
        var bench = Bench()
        bench.deliver([observation(at: 120)])
        bench.deliver([observation(at: 121, lat: 5)])
        #expect(bench.reports.map(\.clockSkew) == [false, true])
        #expect(bench.reports[0].fix.time == start + .seconds(120))
        #expect(bench.reports[1].fix.time == start)
        #expect(bench.reports[1].fix.position.latitudeE7 == 5)
    }

    @Test func `a late fix is history and never moves the last position`() {
        var bench = Bench()
        bench.deliver([observation(at: -10, lat: 1)])
        bench.deliver([observation(at: -20, lat: 2, battery: 5)])
        bench.deliver([observation(at: -10, lat: 3)])
        #expect(bench.reports.map(\.late) == [false, true, false])
        let row = bench.core.reports.devices[device(1)]
        #expect(row?.newest?.position.latitudeE7 == 3)
        #expect(row?.battery == nil)
    }

    @Test func `an unordered batch makes no report late`() {
        var bench = Bench()
        bench.deliver([observation(at: -1), observation(at: -3), observation(at: -2)])
        #expect(bench.reports.map { ($0.fix.time - start).components.seconds } == [-3, -2, -1])
        #expect(bench.reports.allSatisfy { !$0.late })
    }

    @Test func `each partition begins with the version of the logic`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.deliver([observation(at: 0)], from: 2)
        bench.restart()
        bench.deliver([observation(at: 1)])
        var seen: Set<Partition> = []
        for (partition, event) in bench.input {
            let isFirst = seen.insert(partition).inserted
            #expect((event.body == .inputLogic(LogicVersion(version: 1))) == isFirst)
        }
        #expect(seen.count > 2)
    }

    @Test func `times of records never decrease`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.now = start - .seconds(3600)
        bench.deliver([observation(at: -3600)])
        bench.restart()
        bench.deliver([observation(at: -3599)])
        bench.now = start + .seconds(1)
        bench.deliver([observation(at: 1)])
        let times = bench.input.map(\.event.time)
        #expect(times == times.sorted())
        #expect(times.last == start + .seconds(1))
        #expect(bench.reports.count == 4)
    }

    @Test func `reports of a request share a record, each late or not by itself`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)])
        bench.deliver((1...300).map { observation(at: 120 - $0, lat: 9) })
        let bodies = bench.input.map(\.event.body).filter { $0.reportCount > 0 }
        #expect(bodies.map(\.reportCount) == [1, 256, 44])
        #expect(bench.reports.map(\.late) == [false] + (0..<300).map { $0 < 180 })
        #expect(Set(bench.input.map(\.event.id)).count == bench.input.count)
        #expect(bench.input.last?.event.trace == "t2")
    }

    @Test func `the first device becomes primary before its first report`() throws {
        var bench = Bench()
        let before = bench.input.count
        bench.deliver([observation(at: 0)], from: 1)
        guard case .inputPerson(let placed) = bench.input[before].event.body else {
            Issue.record("the person is placed before the report")
            return
        }
        #expect(placed.primaryDevice == device(1))
        #expect(bench.input[before + 1].event.kind == .inputReport)
        bench.change(aDevice(7, of: 1))
        bench.deliver([observation(at: 1, lat: 9)], from: 7, of: 1)
        bench.endTurns()
        #expect(bench.core.reports.firstDevices[person(1)] == device(1))
        let lead = bench.core.reports.primaryRow(of: person(1), in: bench.directory)
        #expect(lead?.newest?.position.latitudeE7 == 30_000_000)
    }

    @Test func `a chosen device is primary until it is removed`() {
        var bench = Bench()
        bench.deliver([observation(at: 0)], from: 1)
        bench.change(aDevice(7, of: 1))
        bench.change(aPerson(1, leading: device(7)))
        bench.endTurns()
        #expect(bench.leaders(of: 1) == [device(1), device(7)])
        bench.change(.deviceRemoved(DeviceRemoval(device: device(7))))
        bench.endTurns()
        #expect(bench.leaders(of: 1) == [device(1), device(7), device(1)])
    }

    @Test func `unusable payloads are quarantined with their reason`() {
        var bench = Bench()
        let rejection = Rejection(index: 3, reason: .badPosition, payload: [1, 2])
        let answer = bench.deliver([observation(at: 0)], rejections: [rejection])
        #expect(
            answer
                == .reports(ReportsAnswer(accepted: 1, duplicates: 0, rejections: [rejection])))
        #expect(bench.quarantine.count == 1)
        #expect(bench.quarantine[0].reason == .badPosition)
        #expect(bench.quarantine[0].payload == [1, 2] && bench.quarantine[0].index == 3)
        bench.deliver([], rejections: [Rejection(index: 0, reason: .notJSON)])
        bench.deliver([], rejections: [Rejection(index: 0, reason: .notJSON)])
        #expect(bench.quarantine[1].payload == Array("payload".utf8))
        #expect(bench.quarantine[1].id == bench.quarantine[2].id)
    }

    @Test func `a request with many unusable parts is quarantined whole, once`() {
        var bench = Bench()
        func rejections(_ count: Int) -> [Rejection] {
            (0..<count).map { Rejection(index: $0, reason: .badTime, payload: [UInt8($0)]) }
        }
        bench.deliver([], rejections: rejections(Limits.quarantinePerRequest))
        #expect(bench.quarantine.map(\.index) == Array(0..<Limits.quarantinePerRequest))
        bench.quarantine = []
        bench.deliver([observation(at: 0)], rejections: rejections(200))
        #expect(bench.quarantine.map(\.index) == [-1])
        #expect(bench.quarantine[0].payload == Array("payload".utf8))
        #expect(bench.quarantine[0].reason == .badTime)
    }

    @Test func `a quarantined payload is stored up to the maximum body`() {
        var bench = Bench()
        let large = [UInt8](repeating: 7, count: Limits.phoneBodyBytes + 1)
        bench.deliver([], rejections: [Rejection(index: 0, reason: .badTime, payload: large)])
        #expect(bench.quarantine[0].payload.count == Limits.phoneBodyBytes)
        #expect(bench.quarantine[0].size == large.count)
    }
}

extension Bench {
    /// Primary devices in the inputs of evaluators, without nil.
    func leaders(of number: UInt64) -> [DeviceID] {
        bodies(.inputPerson).compactMap { body in
            guard case .inputPerson(let placed) = body, placed.person == person(number) else {
                return nil
            }
            return placed.primaryDevice
        }
    }
}
