import Dialects
import Model
import Testing

@testable import IngestCore

@Suite struct BacklogTests {
    @Test func `reports older than five minutes wait, live ones do not`() {
        var bench = Bench()
        bench.deliver([observation(at: -301), observation(at: -300)])
        #expect(bench.reports.map { ($0.fix.time - start).components.seconds } == [-300])
        #expect(bench.core.reports.waitingCount == 1)
        bench.handle(.turnEnd)
        #expect(bench.reports.map { ($0.fix.time - start).components.seconds } == [-300, -301])
        #expect(bench.reports.map(\.late) == [false, true])
        #expect(!bench.core.hasWork)
    }

    @Test func `an hour without network arrives in order and is not late`() {
        var bench = Bench()
        bench.deliver((0..<20).map { observation(at: -3600 + 60 * Int64($0)) })
        bench.endTurns()
        #expect(bench.reports.count == 20)
        #expect(bench.reports.allSatisfy { !$0.late })
        #expect(bench.core.reports.devices[device(1)]?.newest?.time == start - .seconds(2460))
    }

    @Test func `one device's backlog does not delay another's`() {
        var bench = Bench()
        bench.deliver((0..<1000).map { observation(at: -3600 + Int64($0)) }, from: 1)
        bench.deliver([observation(at: -3000)], from: 2)
        bench.deliver([observation(at: -3000), observation(at: -2999)], from: 3)
        bench.handle(.turnEnd)
        // Three share the turn; what two leave of it is the first one's.
        let portions = bench.input.map(\.event.body).filter { $0.reportCount > 0 }
        #expect(portions.map(\.reports[0].device.raw.low) == [1, 2, 3, 1, 1])
        #expect(portions.map(\.reportCount) == [85, 1, 2, 85, 83])
        #expect(bench.reports.count == Limits.backlogReportsPerTurn)
    }

    @Test func `a backlog survives a restart, in its order and once`() {
        var bench = Bench()
        bench.deliver((0..<600).map { observation(at: -3600 + Int64($0)) })
        bench.handle(.turnEnd)
        bench.restart()
        #expect(bench.core.reports.waitingCount == 600 - Limits.backlogReportsPerTurn)
        bench.deliver([observation(at: -2000)], from: 2)
        bench.endTurns()
        let times = bench.reports.filter { $0.device == device(1) }.map(\.fix.time)
        #expect(times.count == 600)
        #expect(times == times.sorted())
        #expect(bench.reports.count == 601)
    }

    @Test func `a full backlog rejects old fixes, but neither live ones nor panics`() {
        var bench = Bench()
        for batch in 0..<Limits.backlogReportsMax / 1000 {
            bench.deliver((0..<1000).map { observation(at: -900_000 + Int64(batch * 1000 + $0)) })
        }
        #expect(bench.core.reports.waitingCount == Limits.backlogReportsMax)
        let stored = bench.store.reports.count
        #expect(bench.deliver([observation(at: -400)], from: 2) == .overloaded)
        #expect(bench.store.reports.count == stored)
        #expect(bench.deliver([observation(at: 0)], from: 2) != .overloaded)
        // Of both the live ones are taken; the phone keeps the whole and says it again.
        let sequenced = bench.reports.count
        let mixed = [observation(at: -401), observation(at: 1), observation(at: 2)]
        #expect(bench.deliver(mixed, from: 2) == .overloaded)
        #expect(bench.reports.count == sequenced + 2 && bench.store.reports.count == stored + 3)
        let old = observation(at: -400, trigger: .panic)
        let panic = Panic(messageID: "p", raised: start, fix: old.fix, battery: nil)
        #expect(bench.deliver([old], from: 3, panics: [panic]) != .overloaded)
        #expect(bench.sos.count == 1)
        bench.handle(.turnEnd)
        #expect(
            bench.deliver(mixed, from: 2) == .reports(ReportsAnswer(accepted: 1, duplicates: 2)))
    }
}
