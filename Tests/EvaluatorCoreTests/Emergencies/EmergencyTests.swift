import EvaluatorCore
import Model
import Testing

@Suite struct EmergencyTests {
    private static let guardian = PersonID(ID128(high: 2, low: 7))
    private static let other = PersonID(ID128(high: 2, low: 8))

    private func id(_ number: UInt64) -> EmergencyID { EmergencyID(ID128(high: 5, low: number)) }

    private func signal(
        _ number: UInt64, _ world: World, countdown: Int64 = 10, age: Int64 = 0,
        trigger: EmergencyTrigger = .panic, fix: Fix? = nil, note: String? = nil
    ) -> EmergencySignal {
        EmergencySignal(
            id: id(number), person: World.person, device: World.phone, trigger: trigger,
            raised: world.now - .seconds(age), received: world.now,
            countdownEnds: world.now + .seconds(countdown), fix: fix, note: note)
    }

    private func cancel(_ number: UInt64, _ world: World) -> EventBody {
        .inputCancel(
            EmergencyCancel(
                id: EventID(ID128(high: 6, low: number)), person: World.person,
                emergency: id(number), received: world.now))
    }

    private func answer(
        _ number: UInt64, _ world: World, by person: PersonID? = guardian
    ) -> EmergencyAnswer {
        EmergencyAnswer(emergency: id(number), person: World.person, by: person, at: world.now)
    }

    /// The scheduled deadline among the outputs.
    private func deadline(_ outputs: [Event]) throws -> Deadline {
        try #require(
            outputs.compactMap { event in
                if case .deadlineScheduled(let deadline) = event.body { deadline } else { nil }
            }.first)
    }

    @Test func `a panic counts down, then opens`() throws {
        var world = World()
        let signal = signal(1, world)
        let counting = world.handle(.inputSignal(signal))
        #expect(counting.kinds == [.emergencyCountdown, .deadlineScheduled])
        #expect(counting.emergencyChanges[0].signal == id(1))
        #expect(counting.emergencyChanges[0].state == .countdown)
        let deadline = try deadline(counting)
        #expect(deadline.due == signal.countdownEnds)
        #expect(deadline.kind == .countdown)
        world.advance(seconds: 10)
        let opened = world.handle(
            .inputDeadline(ExpiredDeadline(deadline: deadline, expired: world.now)))
        #expect(opened.kinds == [.emergencyOpened])
        #expect(opened.emergencyChanges[0].emergency == id(1))
        #expect(opened.emergencyChanges[0].state == .open)
        #expect(!opened.emergencyChanges[0].late)
    }

    @Test func `a resolution given before a further signal does not cover it`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        world.advance(seconds: 60)
        let early = answer(1, world)
        world.advance(seconds: 1)
        #expect(world.handle(.inputSignal(signal(2, world))).kinds == [.emergencyJoined])
        #expect(world.handle(.inputResolution(early)).isEmpty)
        world.advance(seconds: 1)
        #expect(
            world.handle(.inputResolution(answer(1, world))).kinds == [.emergencyResolved])
    }

    @Test(arguments: [-5, 5] as [Int64])
    func `the signals known to the responder decide, not the clocks`(skew: Int64) {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        world.advance(seconds: 60)
        _ = world.handle(.inputSignal(signal(2, world)))
        var answer = answer(1, world)
        answer.at = world.now + .seconds(skew)
        answer.signals = [id(1)]
        #expect(world.handle(.inputResolution(answer)).isEmpty)
        answer.signals = [id(1), id(2), id(3)]
        #expect(world.handle(.inputResolution(answer)).kinds == [.emergencyResolved])
    }

    @Test func `without a countdown it opens immediately`() {
        var world = World()
        let outputs = world.handle(
            .inputSignal(signal(1, world, countdown: 0, trigger: .watchExpired, note: "run")))
        #expect(outputs.kinds == [.emergencyOpened])
        #expect(outputs.emergencyChanges[0].trigger == .watchExpired)
        #expect(outputs.emergencyChanges[0].note == "run")
    }

    @Test func `it names the recipients that the signal chose, also of one that joins`() {
        var world = World()
        var first = signal(1, world, countdown: 0, trigger: .watchExpired)
        first.recipients = [Self.guardian]
        #expect(
            world.handle(.inputSignal(first)).emergencyChanges.map(\.recipients)
                == [[Self.guardian]])
        var second = signal(2, world, countdown: 0, trigger: .watchExpired)
        second.recipients = [Self.other]
        #expect(
            world.handle(.inputSignal(second)).emergencyChanges.map(\.recipients)
                == [[Self.other]])
        let panic = world.handle(.inputSignal(signal(3, world)))
        #expect(panic.emergencyChanges.map(\.recipients) == [nil])
    }

    @Test func `a countdown that expired in transit opens immediately`() {
        var world = World()
        let signal = signal(1, world)
        world.advance(seconds: 30)
        #expect(world.handle(.inputSignal(signal)).kinds == [.emergencyOpened])
    }

    @Test func `cancelling during the countdown ends it without notifying anybody`() throws {
        var world = World()
        let deadline = try deadline(world.handle(.inputSignal(signal(1, world))))
        world.advance(seconds: 5)
        let outputs = world.handle(cancel(1, world))
        #expect(outputs.kinds == [.emergencyCancelled, .deadlineCancelled])
        #expect(outputs.emergencyChanges[0].state == .cancelled)
        world.advance(seconds: 5)
        #expect(
            world.handle(.inputDeadline(ExpiredDeadline(deadline: deadline, expired: world.now)))
                .isEmpty)
        #expect(world.handle(cancel(1, world)).isEmpty)
    }

    @Test func `cancelling an open emergency changes nothing`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        #expect(world.handle(cancel(1, world)).isEmpty)
        let acknowledged = world.handle(.inputAcknowledgement(answer(1, world)))
        #expect(acknowledged.kinds == [.emergencyAcknowledged])
        #expect(world.handle(cancel(1, world)).isEmpty)
    }

    @Test func `a second signal during the countdown opens immediately`() throws {
        var world = World()
        let deadline = try deadline(world.handle(.inputSignal(signal(1, world))))
        world.advance(seconds: 3)
        let outputs = world.handle(.inputSignal(signal(2, world)))
        #expect(outputs.kinds == [.emergencyOpened, .deadlineCancelled])
        #expect(outputs.emergencyChanges[0].emergency == id(1))
        #expect(outputs.emergencyChanges[0].signal == id(2))
        #expect(outputs.emergencyChanges[0].joinedTrigger == .panic)
        #expect(outputs.emergencyChanges[0].countdownEnds == world.now)
        #expect(
            world.handle(.inputDeadline(ExpiredDeadline(deadline: deadline, expired: world.now)))
                .isEmpty)
    }

    @Test func `a signal joins an open emergency and reopens an acknowledged one`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        let joined = world.handle(.inputSignal(signal(2, world, note: "again")))
        #expect(joined.kinds == [.emergencyJoined])
        #expect(joined.emergencyChanges[0].emergency == id(1))
        #expect(joined.emergencyChanges[0].signal == id(2))
        #expect(joined.emergencyChanges[0].note == "again")
        #expect(!joined.emergencyChanges[0].reopened)
        #expect(joined.emergencyChanges[0].joinedTrigger == .panic)
        #expect(joined.emergencyChanges[0].joinedRaised == world.now)
        _ = world.handle(.inputAcknowledgement(answer(1, world)))
        let reopened = world.handle(.inputSignal(signal(3, world)))
        #expect(reopened.kinds == [.emergencyJoined])
        #expect(reopened.emergencyChanges[0].reopened)
        #expect(reopened.emergencyChanges[0].state == .open)
        // It can be acknowledged again.
        let again = world.handle(.inputAcknowledgement(answer(1, world)))
        #expect(again.kinds == [.emergencyAcknowledged])
    }

    @Test func `a joining signal keeps its own trigger`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        world.advance(seconds: 60)
        var expiry = signal(2, world, countdown: 0)
        expiry.trigger = .watchExpired
        let joined = world.handle(.inputSignal(expiry)).emergencyChanges
        #expect(joined.map(\.trigger) == [.panic])
        #expect(joined.map(\.joinedTrigger) == [.watchExpired])
        #expect(joined.map(\.joinedRaised) == [world.now])
        let acknowledged = world.handle(.inputAcknowledgement(answer(1, world))).emergencyChanges
        #expect(acknowledged.map(\.joinedTrigger) == [nil])
    }

    @Test func `the same signal is handled once, even after the end`() {
        var world = World()
        let first = signal(1, world)
        _ = world.handle(.inputSignal(first))
        #expect(world.handle(.inputSignal(first)).isEmpty)
        _ = world.handle(cancel(1, world))
        #expect(world.handle(.inputSignal(first)).isEmpty)
        // Another signal begins a new emergency.
        let second = world.handle(.inputSignal(signal(2, world, countdown: 0)))
        #expect(second.emergencyChanges[0].emergency == id(2))
    }

    @Test func `a late panic opens without a countdown and is marked late`() {
        var world = World()
        let outputs = world.handle(.inputSignal(signal(1, world, age: 301)))
        #expect(outputs.kinds == [.emergencyOpened])
        #expect(outputs.emergencyChanges[0].late)
        var punctual = World()
        let counted = punctual.handle(.inputSignal(signal(1, punctual, age: 300)))
        #expect(counted.kinds == [.emergencyCountdown, .deadlineScheduled])
    }

    @Test func `the last answer counts, and a repeated one is reported once`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        let answered = answer(1, world)
        let first = world.handle(.inputAcknowledgement(answered))
        #expect(first.emergencyChanges[0].by == Self.guardian)
        #expect(first.emergencyChanges[0].state == .acknowledged)
        #expect(world.handle(.inputAcknowledgement(answered)).isEmpty)
        world.advance(seconds: 1200)
        let second = world.handle(.inputAcknowledgement(answer(1, world, by: Self.other)))
        #expect(second.emergencyChanges[0].by == Self.other)
        #expect(first[0].id != second[0].id)
    }

    @Test func `the person in danger cannot acknowledge, and a countdown cannot be acknowledged`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        #expect(world.handle(.inputAcknowledgement(answer(1, world))).isEmpty)
        _ = world.handle(.inputSignal(signal(2, world)))
        let own = answer(1, world, by: World.person)
        #expect(world.handle(.inputAcknowledgement(own)).isEmpty)
    }

    @Test func `a resolution ends it once`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        let outputs = world.handle(.inputResolution(answer(1, world)))
        #expect(outputs.kinds == [.emergencyResolved])
        #expect(outputs.emergencyChanges[0].state == .resolved)
        #expect(world.handle(.inputResolution(answer(1, world))).isEmpty)
        #expect(world.handle(.inputAcknowledgement(answer(1, world))).isEmpty)
    }

    @Test func `resolving a countdown cancels its deadline`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        #expect(
            world.handle(.inputResolution(answer(1, world, by: nil))).kinds == [
                .emergencyResolved, .deadlineCancelled,
            ])
    }

    @Test func `answers for an unknown person's emergency are ignored`() {
        var world = World()
        #expect(world.handle(.inputResolution(answer(1, world))).isEmpty)
        #expect(world.handle(.inputAcknowledgement(answer(1, world))).isEmpty)
        #expect(world.handle(cancel(1, world)).isEmpty)
    }

    @Test func `an escalation opened as a fallback opens the countdown`() {
        var world = World()
        let first = signal(1, world)
        _ = world.handle(.inputSignal(first))
        world.advance(seconds: 13)
        let outputs = world.handle(.inputFallbackOpened(first))
        #expect(outputs.kinds == [.emergencyOpened, .deadlineCancelled])
        #expect(outputs.emergencyChanges[0].signal == id(1))
        #expect(world.handle(.inputFallbackOpened(first)).isEmpty)
    }

    @Test func `a fallback before its signal opens the emergency and handles the signal`() {
        var world = World()
        let first = signal(1, world)
        #expect(world.handle(.inputFallbackOpened(first)).kinds == [.emergencyOpened])
        #expect(world.handle(.inputSignal(first)).isEmpty)
    }

    @Test func `a fallback for another signal joins`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        let outputs = world.handle(.inputFallbackOpened(signal(2, world)))
        #expect(outputs.kinds == [.emergencyJoined])
        #expect(outputs.emergencyChanges[0].emergency == id(1))
    }

    @Test func `a fallback for a cancelled emergency changes nothing`() {
        var world = World()
        let first = signal(1, world)
        _ = world.handle(.inputSignal(first))
        _ = world.handle(cancel(1, world))
        #expect(world.handle(.inputFallbackOpened(first)).isEmpty)
    }

    @Test func `an emergency shows the newest known fix and battery`() {
        var world = World()
        _ = world.report(north: 10, device: World.tablet, battery: 81)
        let before = world.now
        world.advance(seconds: 60)
        let outputs = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        #expect(outputs.emergencyChanges[0].fix?.time == before)
        #expect(outputs.emergencyChanges[0].battery == 81)
        let own = Fix(time: world.now, position: World.middle)
        let joined = world.handle(.inputSignal(signal(2, world, fix: own)))
        #expect(joined.emergencyChanges[0].fix == own)
        world.advance(seconds: 60)
        _ = world.report(north: 20, battery: 79)
        _ = world.report(north: 20, after: 0, age: 3600, late: true, battery: 99)
        let acknowledged = world.handle(.inputAcknowledgement(answer(1, world)))
        #expect(acknowledged.emergencyChanges[0].fix?.time == world.now)
        #expect(acknowledged.emergencyChanges[0].battery == 79)
    }

    @Test func `a panic of an unconfigured person is handled`() {
        var world = World()
        world.state = PartitionState()
        #expect(
            world.handle(.inputSignal(signal(1, world))).kinds == [
                .emergencyCountdown, .deadlineScheduled,
            ])
    }

    @Test func `a removed person's emergency is resolved`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        #expect(
            world.handle(.inputPersonRemoved(PersonRemoval(person: World.person))).kinds == [
                .emergencyResolved, .deadlineCancelled,
            ])
    }

    @Test func `a deadline of another emergency changes nothing`() throws {
        var world = World()
        let first = try deadline(world.handle(.inputSignal(signal(1, world))))
        _ = world.handle(cancel(1, world))
        _ = world.handle(.inputSignal(signal(2, world)))
        #expect(
            world.handle(.inputDeadline(ExpiredDeadline(deadline: first, expired: world.now)))
                .isEmpty)
    }
}
