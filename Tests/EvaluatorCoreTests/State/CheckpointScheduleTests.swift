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

    @Test func `no checkpoint is due without new records, however old the last one is`() {
        var schedule = schedule
        #expect(next(schedule, 1000) == nil)
        schedule.assign(one, at: time(0))
        #expect(next(schedule, 1000) == nil)
        schedule.recordApplied(one)
        #expect(next(schedule, 1000) == one)
        // A partition that is not owned has no checkpoint.
        schedule.recordApplied(two)
        schedule.revoke(one)
        #expect(next(schedule, 1000) == nil)
    }

    @Test func `no checkpoint is due before the interval since the start or the last one`() {
        var schedule = schedule
        schedule.assign(one, at: time(0))
        schedule.recordApplied(one)
        #expect(next(schedule, 59) == nil)
        #expect(next(schedule, 60) == one)
        schedule.recordSent(one)
        schedule.recordAnswer(one, isStored: true, at: time(61))
        schedule.recordApplied(one)
        #expect(next(schedule, 120) == nil)
        #expect(next(schedule, 121) == one)
    }

    @Test func `one checkpoint is in flight at a time, the longest waiting first`() {
        var schedule = schedule
        schedule.assign(one, at: time(5))
        schedule.assign(two, at: time(0))
        for partition in [one, two] { schedule.recordApplied(partition) }
        #expect(next(schedule, 100) == two)
        #expect(schedule.next(at: time(100)) { $0 == one } == one)
        schedule.recordSent(two)
        #expect(schedule.inFlight == two)
        #expect(next(schedule, 100) == nil)
        schedule.recordAnswer(two, isStored: true, at: time(100))
        #expect(next(schedule, 100) == one)
    }

    @Test func `records applied during a checkpoint count for the next one`() {
        var schedule = schedule
        schedule.assign(one, at: time(0))
        schedule.recordApplied(one)
        schedule.recordSent(one)
        schedule.recordApplied(one)
        schedule.recordAnswer(one, isStored: true, at: time(60))
        #expect(next(schedule, 120) == one)
        schedule.recordSent(one)
        schedule.recordAnswer(one, isStored: true, at: time(121))
        #expect(next(schedule, 1000) == nil)
    }

    @Test func `a rejected checkpoint is retried later`() {
        var schedule = schedule
        schedule.assign(one, at: time(0))
        schedule.recordApplied(one)
        schedule.recordSent(one)
        schedule.recordAnswer(one, isStored: false, at: time(70))
        #expect(next(schedule, 129) == nil)
        #expect(next(schedule, 130) == one)
    }

    @Test func `a revoked or reassigned partition is not waited for`() {
        var schedule = schedule
        schedule.assign(one, at: time(0))
        schedule.recordApplied(one)
        schedule.recordSent(one)
        schedule.revoke(one)
        #expect(schedule.inFlight == nil)
        schedule.assign(one, at: time(100))
        schedule.recordApplied(one)
        schedule.recordSent(one)
        schedule.assign(one, at: time(200))
        #expect(schedule.inFlight == nil)
        // The answer to the earlier checkpoint does not count for this assignment.
        schedule.recordAnswer(one, isStored: true, at: time(200))
        schedule.recordApplied(one)
        #expect(next(schedule, 260) == one)
    }

    @Test func `draining sends each changed partition once`() {
        var schedule = schedule
        for partition in [one, two, Partition.all[3]] { schedule.assign(partition, at: time(0)) }
        for partition in [one, two] { schedule.recordApplied(partition) }
        #expect(!schedule.hasDrained)
        schedule.beginDrain()
        #expect(!schedule.hasDrained)
        var emitted: [Partition] = []
        while let partition = next(schedule, 1) {
            schedule.recordSent(partition)
            #expect(!schedule.hasDrained)
            // New records keep arriving.
            schedule.recordApplied(partition)
            schedule.recordAnswer(partition, isStored: emitted.isEmpty, at: time(1))
            emitted.append(partition)
        }
        #expect(emitted == [one, two])
        #expect(schedule.hasDrained)
    }

    @Test func `a checkpoint in flight when draining begins is not the last one`() {
        var schedule = schedule
        schedule.assign(one, at: time(0))
        schedule.recordApplied(one)
        schedule.recordSent(one)
        schedule.recordApplied(one)
        schedule.beginDrain()
        schedule.recordAnswer(one, isStored: true, at: time(1))
        #expect(!schedule.hasDrained)
        #expect(next(schedule, 1) == one)
    }

    @Test func `draining without new records is done immediately`() {
        var schedule = schedule
        schedule.assign(one, at: time(0))
        schedule.beginDrain()
        #expect(schedule.hasDrained)
    }
}
