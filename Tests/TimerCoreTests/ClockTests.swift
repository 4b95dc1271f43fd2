import Model
import TestSupport
import Testing
import TimerCore

@Suite struct `A wanted clock` {
    @Test func `fires once, when it is due`() {
        var line = Timeline()
        line.at(0, .clockWanted(Some.clock(1, due: 30), trace: ""))
        line.at(0, .clockWanted(Some.clock(2, due: 10), trace: ""))
        #expect(line.run(until: 9).isEmpty)
        let steps = line.run(until: 100)
        #expect(steps.effects.fired == [Fired(number: 2), Fired(number: 1)])
        #expect(steps.map(\.second) == [10, 30])
        #expect(line.core.nextDeadline == nil)
    }

    @Test func `is one clock however often it is wanted, with the end wanted last`() {
        var line = Timeline()
        line.at(0, .clockWanted(Some.clock(1, due: 10), trace: ""))
        line.at(1, .clockWanted(Some.clock(1, due: 40), trace: ""))
        line.at(2, .clockWanted(Some.clock(1, due: 40), trace: ""))
        #expect(line.core.pendingClockCount == 1)
        #expect(line.run(until: 100).map(\.second) == [40])
    }

    @Test func `does not fire again when it is wanted after it fired`() {
        var line = Timeline()
        line.at(0, .clockWanted(Some.clock(1, due: 10), trace: ""))
        #expect(line.run(until: 10).effects.fired.count == 1)
        line.at(20, .clockWanted(Some.clock(1, due: 10), trace: ""))
        #expect(line.run(until: 100).isEmpty)
        line.restart(at: 200)
        #expect(line.run(until: 300).isEmpty)
    }

    @Test func `never fires once it is no longer wanted`() {
        var line = Timeline()
        line.at(0, .clockWanted(Some.clock(1, due: 10), trace: ""))
        line.at(9, .clockUnwanted(Some.clock(1, due: 10).id))
        #expect(line.run(until: 100).isEmpty)
    }

    @Test func `due while the timer was down fires at its start, once, marked late`() {
        var line = Timeline()
        line.at(0, .clockWanted(Some.clock(1, due: 10), trace: ""))
        line.at(0, .clockWanted(Some.clock(2, due: 80), trace: ""))
        line.restart(at: 60)
        let steps = line.run(until: 100)
        #expect(steps.effects.fired == [Fired(number: 1, late: true), Fired(number: 2)])
        line.restart(at: 200)
        #expect(line.run(until: 300).isEmpty)
    }

    @Test func `beyond what a turn takes waits for the next turn`() {
        var line = Timeline()
        for number in 0..<UInt64(Limits.firedPerTurnMax + 3) {
            line.at(0, .clockWanted(Some.clock(number, due: 5), trace: ""))
        }
        #expect(line.at(5, .tick).count == Limits.firedPerTurnMax)
        #expect(line.core.nextDeadline == Timeline.time(5))
        #expect(line.at(5, .tick).count == 3)
        #expect(line.core.nextDeadline == nil)
    }

    @Test func `has the same event however often it is told`() {
        let clock = Some.clock(1, due: 10)
        let first = TimerCore.fired(clock, late: false, at: Timeline.time(10), trace: "t")
        let again = TimerCore.fired(clock, late: true, at: Timeline.time(99), trace: "t")
        #expect(first.id == again.id)
        #expect(
            first.id
                != TimerCore.fired(
                    Some.clock(2, due: 10), late: false, at: Timeline.time(10), trace: "t"
                ).id)
        guard case .clockFired(let fired) = again.body else {
            Issue.record("not a fired clock")
            return
        }
        #expect(fired == FiredClock(clock: clock, fired: Timeline.time(99), late: true))
    }

    @Test(arguments: 0..<50)
    func `fires exactly once unless it was given up, whatever dies when`(seed: Int) {
        var chance = SeededGenerator(seed: UInt64(seed))
        var line = Timeline()
        var due: [UInt64: Int] = [:]
        var fired: [UInt64: Int] = [:]
        var second = 0
        for _ in 0..<400 {
            second += Int.random(in: 0..<4, using: &chance)
            let number = UInt64.random(in: 0..<1000, using: &chance)
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<6 where due[number] == nil && fired[number] == nil:
                due[number] = second + Int.random(in: 0..<60, using: &chance)
                line.at(second, .clockWanted(Some.clock(number, due: due[number]!), trace: ""))
            case 6:
                guard let victim = due.keys.sorted().first else { continue }
                due[victim] = nil
                line.at(second, .clockUnwanted(Some.clock(victim, due: 0).id))
            case 7: line.restart(at: second)
            default:
                for clock in line.at(second, .tick).fired {
                    #expect(due[clock.number].map { $0 <= second } == true)
                    due[clock.number] = nil
                    fired[clock.number, default: 0] += 1
                }
                #expect(due.values.allSatisfy { $0 > second })
            }
        }
        #expect(fired.count > 50)
        #expect(fired.values.allSatisfy { $0 == 1 })
    }
}
