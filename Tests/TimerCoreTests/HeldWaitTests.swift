import Model
import Testing
import TimerCore

@Suite struct `A wait that became due while the timer was down` {
    private let watch = HeldWait.watch(Some.watch(1))

    /// A watch of an hour and a deadline, both overdue when the timer returns after two hours.
    private func line() -> Timeline {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 3600))
        line.at(0, .deadlineScheduled(Some.deadline(1, due: 4000), trace: ""))
        line.restart(at: 7200, awaySince: 60)
        return line
    }

    @Test func `is held for at most ten minutes, then proceeds`() {
        var line = line()
        #expect(line.run(until: 7799).isEmpty)
        #expect(line.core.heldWaits.map(\.wait) == [watch, .deadline(Some.deadline(1, due: 0).id)])
        #expect(line.core.heldWaits.map(\.due) == [3300, 4000].map(Timeline.time))
        #expect(line.core.holdEnds == Timeline.time(7800))
        let steps = line.run(until: 7800)
        #expect(steps.effects.expiries.count == 1 && steps.effects.expiredDeadlines.count == 1)
        #expect(steps.effects.expiries.first?.raised == Timeline.time(3720))
        #expect(line.core.heldWaits.isEmpty && line.core.holdEnds == nil)
    }

    @Test func `is held again after a restart, no longer than before`() {
        var line = line()
        _ = line.run(until: 7300)
        line.restart(at: 7200, awaySince: 60)
        _ = line.run(until: 7300)
        #expect(line.core.heldWaits.count == 2)
        #expect(line.run(until: 7800).effects.expiries.count == 1)
    }

    @Test func `proceeds immediately when the operator releases it, and nothing else does`() {
        var line = line()
        _ = line.run(until: 7300)
        let effects = line.at(7300, .release([watch, .watch(Some.watch(9))]))
        #expect(effects.watchChanges.map(\.state) == [.expired])
        #expect(effects.expiries.count == 1)
        #expect(line.core.heldWaits.map(\.wait) == [.deadline(Some.deadline(1, due: 0).id)])
        #expect(line.at(7301, .release([watch])).isEmpty, "only once")
    }

    @Test func `is dropped by the operator: a watch is cancelled, a deadline removed`() {
        var line = line()
        _ = line.run(until: 7300)
        let effects = line.at(7300, .drop(line.core.heldWaits.map(\.wait)))
        #expect(effects.watchChanges.map(\.state) == [.cancelled])
        #expect(effects.expiries.isEmpty && line.core.activeWatchCount == 0)
        #expect(line.run(until: 8000).effects.expiries.isEmpty)
        #expect(line.core.pendingDeadlineCount == 0)
    }

    @Test func `does not hold what becomes due afterwards`() {
        var line = line()
        line.at(7250, .deadlineScheduled(Some.deadline(2, due: 7260), trace: ""))
        line.at(7250, Some.start(2, by: Some.ben, seconds: 60))
        #expect(line.run(until: 7799).effects.expiredDeadlines.count == 1)
        #expect(line.core.heldWaits.count == 2)
    }

    @Test func `does not include the reminder of a running watch`() {
        var line = Timeline()
        line.at(0, Some.start(1, seconds: 3600))
        line.restart(at: 3400, awaySince: 60)
        #expect(line.run(until: 3400).effects.watchChanges.map(\.state) == [.reminded])
        #expect(line.run(until: 3720).effects.expiries.count == 1)
    }

    @Test func `ends when its person responds`() {
        var line = line()
        _ = line.run(until: 7300)
        line.at(7300, .closeWatch(Some.watch(1), as: .end, pin: .entered(nil), request: 5))
        line.at(7300, .deadlineCancelled(Some.deadline(1, due: 0).id))
        #expect(line.core.heldWaits.isEmpty)
        #expect(line.run(until: 7900).effects.expiries.isEmpty)
    }

    @Test func `never includes delivery watchdogs`() {
        var line = Timeline()
        line.at(0, .signal(Some.signal(1, at: 0)))
        line.restart(at: 7200, awaySince: 5)
        let steps = line.run(until: 7300)
        let alarms = steps.effects.filter { if case .raiseAlarm = $0 { true } else { false } }
        #expect(alarms.count == 1)
        #expect(line.core.heldWaits.isEmpty)
    }
}

extension [Effect] {
    fileprivate var expiredDeadlines: [DeadlineID] {
        compactMap { if case .expireDeadline(let id, _) = $0 { id } else { nil } }
    }
}
