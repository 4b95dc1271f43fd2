import Directory
import Model
import Testing

@testable import NotifierCore

struct DeadlinesTests {
    private static func deadline(_ number: UInt64, after seconds: Int64) -> Deadline {
        Deadline(
            id: DeadlineID(ID128(high: 1, low: number)), kind: .tier, person: Town.aisha.id,
            due: World.start + .seconds(seconds))
    }

    private func turn() -> Directory.Turn<Effect> {
        Directory.Turn(now: World.start, directory: Replica())
    }

    @Test func `a deadline that the timer does not report expires after the grace`() {
        var (deadlines, turn) = (Deadlines<Int>(), turn())
        deadlines.schedule(Self.deadline(1, after: 20), for: 1, &turn)
        deadlines.schedule(Self.deadline(2, after: 10), for: 2, &turn)
        let grace = Limits.deadlineGrace
        #expect(deadlines.nextDue == World.start + .seconds(10) + grace)
        #expect(deadlines.popOverdue(at: World.start + .seconds(10)).isEmpty)
        let overdue = deadlines.popOverdue(at: World.start + .seconds(20) + grace)
        #expect(overdue.map(\.entry.purpose) == [2, 1])
    }

    @Test func `a deadline expires once`() {
        var (deadlines, turn) = (Deadlines<Int>(), turn())
        let deadline = Self.deadline(1, after: 10)
        deadlines.schedule(deadline, for: 1, &turn)
        #expect(deadlines.popExpired(deadline.id, at: deadline.due)?.purpose == 1)
        #expect(deadlines.popExpired(deadline.id, at: deadline.due)?.purpose == nil)
        #expect(deadlines.popOverdue(at: deadline.due + .seconds(60)).isEmpty)
        deadlines.cancel(deadline.id, &turn)
        #expect(turn.effects.count == 1, "an expired deadline is not cancelled")
    }

    @Test func `a strict deadline does not expire early, even if the timer reports it`() {
        var deadlines = Deadlines<Int>()
        let deadline = Self.deadline(1, after: -60)
        let earliest = World.start + .seconds(3)
        deadlines.restore(deadline, for: 1, earliest: earliest, isStrict: true)
        #expect(deadlines.popExpired(deadline.id, at: World.start)?.purpose == nil)
        #expect(deadlines.popOverdue(at: earliest).count == 1)
    }

    @Test func `a held deadline can still be cancelled`() throws {
        var (deadlines, turn) = (Deadlines<Int>(), turn())
        let deadline = Self.deadline(1, after: 10)
        deadlines.schedule(deadline, for: 1, &turn)
        let expired = deadlines.popExpired(deadline.id, at: deadline.due)
        deadlines.hold(try #require(expired))
        #expect(deadlines.held.map(\.purpose) == [1])
        deadlines.cancel(deadline.id, &turn)
        #expect(deadlines.held.isEmpty && turn.effects.count == 2)
    }
}
