import EvaluatorCore
import Model
import Testing

@Suite struct CheckpointScheduleTests {
    private let one = Partition.all[1]
    private let two = Partition.all[2]
    private var schedule = CheckpointSchedule(interval: .seconds(60))

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

    private func next(_ schedule: CheckpointSchedule, _ seconds: Int64) -> Partition? {
        schedule.next(at: time(seconds)) { _ in true }
    }

    @Test func `none without news, however long ago the last was`() {
        var schedule = schedule
        #expect(next(schedule, 1000) == nil)
        schedule.begin(one, at: time(0))
        #expect(next(schedule, 1000) == nil)
        schedule.applied(one)
        #expect(next(schedule, 1000) == one)
        // Of a partition that is not owned nothing is told.
        schedule.applied(two)
        schedule.drop(one)
        #expect(next(schedule, 1000) == nil)
    }

    @Test func `none before the interval has passed since the begin and since the last`() {
        var schedule = schedule
        schedule.begin(one, at: time(0))
        schedule.applied(one)
        #expect(next(schedule, 59) == nil)
        #expect(next(schedule, 60) == one)
        schedule.sent(one)
        schedule.answered(one, isKept: true, at: time(61))
        schedule.applied(one)
        #expect(next(schedule, 120) == nil)
        #expect(next(schedule, 121) == one)
    }

    @Test func `one at a time, and the one that waits longest first`() {
        var schedule = schedule
        schedule.begin(one, at: time(5))
        schedule.begin(two, at: time(0))
        for partition in [one, two] { schedule.applied(partition) }
        #expect(next(schedule, 100) == two)
        #expect(schedule.next(at: time(100)) { $0 == one } == one)
        schedule.sent(two)
        #expect(schedule.underWay == two)
        #expect(next(schedule, 100) == nil)
        schedule.answered(two, isKept: true, at: time(100))
        #expect(next(schedule, 100) == one)
    }

    @Test func `what was applied meanwhile is news for the next one`() {
        var schedule = schedule
        schedule.begin(one, at: time(0))
        schedule.applied(one)
        schedule.sent(one)
        schedule.applied(one)
        schedule.answered(one, isKept: true, at: time(60))
        #expect(next(schedule, 120) == one)
        schedule.sent(one)
        schedule.answered(one, isKept: true, at: time(121))
        #expect(next(schedule, 1000) == nil)
    }

    @Test func `a refused one is tried again, later`() {
        var schedule = schedule
        schedule.begin(one, at: time(0))
        schedule.applied(one)
        schedule.sent(one)
        schedule.answered(one, isKept: false, at: time(70))
        #expect(next(schedule, 129) == nil)
        #expect(next(schedule, 130) == one)
    }

    @Test func `a partition that is lost or begun anew is no longer waited for`() {
        var schedule = schedule
        schedule.begin(one, at: time(0))
        schedule.applied(one)
        schedule.sent(one)
        schedule.drop(one)
        #expect(schedule.underWay == nil)
        schedule.begin(one, at: time(100))
        schedule.applied(one)
        schedule.sent(one)
        schedule.begin(one, at: time(200))
        #expect(schedule.underWay == nil)
        // The answer to the one before says nothing about this life of it.
        schedule.answered(one, isKept: true, at: time(200))
        schedule.applied(one)
        #expect(next(schedule, 260) == one)
    }

    @Test func `before leaving each with news is told of once, and then it is done`() {
        var schedule = schedule
        for partition in [one, two, Partition.all[3]] { schedule.begin(partition, at: time(0)) }
        for partition in [one, two] { schedule.applied(partition) }
        #expect(!schedule.isDone)
        schedule.leave()
        #expect(!schedule.isDone)
        var told: [Partition] = []
        while let partition = next(schedule, 1) {
            schedule.sent(partition)
            #expect(!schedule.isDone)
            // More comes all the time.
            schedule.applied(partition)
            schedule.answered(partition, isKept: told.isEmpty, at: time(1))
            told.append(partition)
        }
        #expect(told == [one, two])
        #expect(schedule.isDone)
    }

    @Test func `one under way when leaving begins is not the last one`() {
        var schedule = schedule
        schedule.begin(one, at: time(0))
        schedule.applied(one)
        schedule.sent(one)
        schedule.applied(one)
        schedule.leave()
        schedule.answered(one, isKept: true, at: time(1))
        #expect(!schedule.isDone)
        #expect(next(schedule, 1) == one)
    }

    @Test func `there is nothing to wait for without news`() {
        var schedule = schedule
        schedule.begin(one, at: time(0))
        schedule.leave()
        #expect(schedule.isDone)
    }
}
