import Model
import TestSupport
import Testing
import TimerCore

@Suite struct `A scheduled deadline` {
    @Test func `expires once, when due`() {
        var line = Timeline()
        line.at(0, .deadlineScheduled(Some.deadline(1, due: 30), trace: ""))
        line.at(0, .deadlineScheduled(Some.deadline(2, due: 10), trace: ""))
        #expect(line.run(until: 9).isEmpty)
        let steps = line.run(until: 100)
        #expect(steps.effects.expired == [Expired(number: 2), Expired(number: 1)])
        #expect(steps.map(\.second) == [10, 30])
        #expect(line.core.nextDeadline == nil)
    }

    @Test func `is one deadline with the last requested due time`() {
        var line = Timeline()
        line.at(0, .deadlineScheduled(Some.deadline(1, due: 10), trace: ""))
        line.at(1, .deadlineScheduled(Some.deadline(1, due: 40), trace: ""))
        line.at(2, .deadlineScheduled(Some.deadline(1, due: 40), trace: ""))
        #expect(line.core.pendingDeadlineCount == 1)
        #expect(line.run(until: 100).map(\.second) == [40])
    }

    @Test func `does not expire again when scheduled after its expiry`() {
        var line = Timeline()
        line.at(0, .deadlineScheduled(Some.deadline(1, due: 10), trace: ""))
        #expect(line.run(until: 10).effects.expired.count == 1)
        line.at(20, .deadlineScheduled(Some.deadline(1, due: 10), trace: ""))
        #expect(line.run(until: 100).isEmpty)
        line.restart(at: 200)
        #expect(line.run(until: 300).isEmpty)
    }

    @Test func `never expires once cancelled`() {
        var line = Timeline()
        line.at(0, .deadlineScheduled(Some.deadline(1, due: 10), trace: ""))
        line.at(9, .deadlineCancelled(Some.deadline(1, due: 10).id))
        #expect(line.run(until: 100).isEmpty)
    }

    @Test func `due while the timer was down expires once at start, marked late`() {
        var line = Timeline()
        line.at(0, .deadlineScheduled(Some.deadline(1, due: 10), trace: ""))
        line.at(0, .deadlineScheduled(Some.deadline(2, due: 80), trace: ""))
        line.restart(at: 60)
        let steps = line.run(until: 100)
        #expect(steps.effects.expired == [Expired(number: 1, late: true), Expired(number: 2)])
        line.restart(at: 200)
        #expect(line.run(until: 300).isEmpty)
    }

    @Test func `beyond a turn's limit waits for the next turn`() {
        var line = Timeline()
        for number in 0..<UInt64(Limits.expiredPerTurnMax + 3) {
            line.at(0, .deadlineScheduled(Some.deadline(number, due: 5), trace: ""))
        }
        #expect(line.at(5, .tick).count == Limits.expiredPerTurnMax)
        #expect(line.core.nextDeadline == Timeline.time(5))
        #expect(line.at(5, .tick).count == 3)
        #expect(line.core.nextDeadline == nil)
    }

    @Test func `always has the same event`() {
        let deadline = Some.deadline(1, due: 10)
        let first = Event.expired(deadline, late: false, at: Timeline.time(10), trace: "t")
        let again = Event.expired(deadline, late: true, at: Timeline.time(99), trace: "t")
        #expect(first.id == again.id)
        #expect(
            first.id
                != Event.expired(
                    Some.deadline(2, due: 10), late: false, at: Timeline.time(10), trace: "t"
                ).id)
        guard case .deadlineExpired(let expired) = again.body else {
            Issue.record("not an expired deadline")
            return
        }
        #expect(
            expired == ExpiredDeadline(deadline: deadline, expired: Timeline.time(99), late: true))
    }

    @Test(arguments: 0..<50)
    func `expires exactly once unless cancelled, whatever crashes when`(seed: Int) {
        var chance = SeededGenerator(seed: UInt64(seed))
        var line = Timeline()
        var due: [UInt64: Int] = [:]
        var expired: [UInt64: Int] = [:]
        var second = 0
        for _ in 0..<400 {
            second += Int.random(in: 0..<4, using: &chance)
            let number = UInt64.random(in: 0..<1000, using: &chance)
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<6 where due[number] == nil && expired[number] == nil:
                due[number] = second + Int.random(in: 0..<60, using: &chance)
                line.at(
                    second, .deadlineScheduled(Some.deadline(number, due: due[number]!), trace: ""))
            case 6:
                guard let victim = due.keys.sorted().first else { continue }
                due[victim] = nil
                line.at(second, .deadlineCancelled(Some.deadline(victim, due: 0).id))
            case 7: line.restart(at: second)
            default:
                for deadline in line.at(second, .tick).expired {
                    #expect(due[deadline.number].map { $0 <= second } == true)
                    due[deadline.number] = nil
                    expired[deadline.number, default: 0] += 1
                }
                #expect(due.values.allSatisfy { $0 > second })
            }
        }
        #expect(expired.count > 50)
        #expect(expired.values.allSatisfy { $0 == 1 })
    }
}
