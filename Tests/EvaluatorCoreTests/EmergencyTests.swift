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

    /// The clock that an answer wants.
    private func clock(_ outputs: [Event]) throws -> WantedClock {
        try #require(
            outputs.compactMap { event in
                if case .clockWanted(let clock) = event.body { clock } else { nil }
            }.first)
    }

    @Test func `a panic counts down, then opens`() throws {
        var world = World()
        let signal = signal(1, world)
        let counting = world.handle(.inputSignal(signal))
        #expect(counting.kinds == [.emergencyCountdown, .clockWanted])
        #expect(counting.news[0].signal == id(1))
        #expect(counting.news[0].state == .countdown)
        let clock = try clock(counting)
        #expect(clock.due == signal.countdownEnds)
        #expect(clock.rule == .countdown)
        world.pass(seconds: 10)
        let opened = world.handle(.inputClock(FiredClock(clock: clock, fired: world.now)))
        #expect(opened.kinds == [.emergencyOpened])
        #expect(opened.news[0].emergency == id(1))
        #expect(opened.news[0].state == .open)
        #expect(!opened.news[0].late)
    }

    @Test func `whoever resolved before a further press did not know of it`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        world.pass(seconds: 60)
        let early = answer(1, world)
        world.pass(seconds: 1)
        #expect(world.handle(.inputSignal(signal(2, world))).kinds == [.emergencyJoined])
        #expect(world.handle(.inputResolution(early)).isEmpty)
        world.pass(seconds: 1)
        #expect(
            world.handle(.inputResolution(answer(1, world))).kinds == [.emergencyResolved])
    }

    @Test(arguments: [-5, 5] as [Int64])
    func `what was known to whoever resolved decides, not the clocks`(skew: Int64) {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        world.pass(seconds: 60)
        _ = world.handle(.inputSignal(signal(2, world)))
        var answer = answer(1, world)
        answer.at = world.now + .seconds(skew)
        answer.signals = [id(1)]
        #expect(world.handle(.inputResolution(answer)).isEmpty)
        answer.signals = [id(1), id(2), id(3)]
        #expect(world.handle(.inputResolution(answer)).kinds == [.emergencyResolved])
    }

    @Test func `without a countdown it opens at once`() {
        var world = World()
        let outputs = world.handle(
            .inputSignal(signal(1, world, countdown: 0, trigger: .watchExpired, note: "run")))
        #expect(outputs.kinds == [.emergencyOpened])
        #expect(outputs.news[0].trigger == .watchExpired)
        #expect(outputs.news[0].note == "run")
    }

    @Test func `a countdown that ran out on the way here opens at once`() {
        var world = World()
        let signal = signal(1, world)
        world.pass(seconds: 30)
        #expect(world.handle(.inputSignal(signal)).kinds == [.emergencyOpened])
    }

    @Test func `a cancel in the countdown ends it and tells nobody else`() throws {
        var world = World()
        let clock = try clock(world.handle(.inputSignal(signal(1, world))))
        world.pass(seconds: 5)
        let outputs = world.handle(cancel(1, world))
        #expect(outputs.kinds == [.emergencyCancelled, .clockUnwanted])
        #expect(outputs.news[0].state == .cancelled)
        world.pass(seconds: 5)
        #expect(world.handle(.inputClock(FiredClock(clock: clock, fired: world.now))).isEmpty)
        #expect(world.handle(cancel(1, world)).isEmpty)
    }

    @Test func `a cancel of an open emergency changes nothing`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        #expect(world.handle(cancel(1, world)).isEmpty)
        let acknowledged = world.handle(.inputAcknowledgement(answer(1, world)))
        #expect(acknowledged.kinds == [.emergencyAcknowledged])
        #expect(world.handle(cancel(1, world)).isEmpty)
    }

    @Test func `a second press in the countdown opens at once`() throws {
        var world = World()
        let clock = try clock(world.handle(.inputSignal(signal(1, world))))
        world.pass(seconds: 3)
        let outputs = world.handle(.inputSignal(signal(2, world)))
        #expect(outputs.kinds == [.emergencyOpened, .clockUnwanted])
        #expect(outputs.news[0].emergency == id(1))
        #expect(outputs.news[0].signal == id(2))
        #expect(outputs.news[0].joinedTrigger == .panic)
        #expect(outputs.news[0].countdownEnds == world.now)
        #expect(world.handle(.inputClock(FiredClock(clock: clock, fired: world.now))).isEmpty)
    }

    @Test func `a press while it is open joins, after an acknowledgement it reopens`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        let joined = world.handle(.inputSignal(signal(2, world, note: "again")))
        #expect(joined.kinds == [.emergencyJoined])
        #expect(joined.news[0].emergency == id(1))
        #expect(joined.news[0].signal == id(2))
        #expect(joined.news[0].note == "again")
        #expect(!joined.news[0].reopened)
        #expect(joined.news[0].joinedTrigger == .panic)
        #expect(joined.news[0].joinedRaised == world.now)
        _ = world.handle(.inputAcknowledgement(answer(1, world)))
        let reopened = world.handle(.inputSignal(signal(3, world)))
        #expect(reopened.kinds == [.emergencyJoined])
        #expect(reopened.news[0].reopened)
        #expect(reopened.news[0].state == .open)
        // It can be taken again.
        let again = world.handle(.inputAcknowledgement(answer(1, world)))
        #expect(again.kinds == [.emergencyAcknowledged])
    }

    @Test func `what joins says what it is itself`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        world.pass(seconds: 60)
        var expiry = signal(2, world, countdown: 0)
        expiry.trigger = .watchExpired
        let joined = world.handle(.inputSignal(expiry)).news
        #expect(joined.map(\.trigger) == [.panic])
        #expect(joined.map(\.joinedTrigger) == [.watchExpired])
        #expect(joined.map(\.joinedRaised) == [world.now])
        let taken = world.handle(.inputAcknowledgement(answer(1, world))).news
        #expect(taken.map(\.joinedTrigger) == [nil])
    }

    @Test func `the same signal is answered once, also after the end`() {
        var world = World()
        let first = signal(1, world)
        _ = world.handle(.inputSignal(first))
        #expect(world.handle(.inputSignal(first)).isEmpty)
        _ = world.handle(cancel(1, world))
        #expect(world.handle(.inputSignal(first)).isEmpty)
        // Another one begins a new emergency.
        let second = world.handle(.inputSignal(signal(2, world, countdown: 0)))
        #expect(second.news[0].emergency == id(2))
    }

    @Test func `a panic that comes late opens without a countdown and says so`() {
        var world = World()
        let outputs = world.handle(.inputSignal(signal(1, world, age: 301)))
        #expect(outputs.kinds == [.emergencyOpened])
        #expect(outputs.news[0].late)
        var punctual = World()
        let counted = punctual.handle(.inputSignal(signal(1, punctual, age: 300)))
        #expect(counted.kinds == [.emergencyCountdown, .clockWanted])
    }

    @Test func `the last answer of a human counts, the same one is told once`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        let answered = answer(1, world)
        let first = world.handle(.inputAcknowledgement(answered))
        #expect(first.news[0].by == Self.guardian)
        #expect(first.news[0].state == .acknowledged)
        #expect(world.handle(.inputAcknowledgement(answered)).isEmpty)
        world.pass(seconds: 1200)
        let second = world.handle(.inputAcknowledgement(answer(1, world, by: Self.other)))
        #expect(second.news[0].by == Self.other)
        #expect(first[0].id != second[0].id)
    }

    @Test func `the person in danger cannot acknowledge, and nobody a countdown`() {
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
        #expect(outputs.news[0].state == .resolved)
        #expect(world.handle(.inputResolution(answer(1, world))).isEmpty)
        #expect(world.handle(.inputAcknowledgement(answer(1, world))).isEmpty)
    }

    @Test func `a resolution of a countdown takes its clock back`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        #expect(
            world.handle(.inputResolution(answer(1, world, by: nil))).kinds == [
                .emergencyResolved, .clockUnwanted,
            ])
    }

    @Test func `answers for an emergency of somebody unknown are ignored`() {
        var world = World()
        #expect(world.handle(.inputResolution(answer(1, world))).isEmpty)
        #expect(world.handle(.inputAcknowledgement(answer(1, world))).isEmpty)
        #expect(world.handle(cancel(1, world)).isEmpty)
    }

    @Test func `an adopted ladder opens what was counting`() {
        var world = World()
        let first = signal(1, world)
        _ = world.handle(.inputSignal(first))
        world.pass(seconds: 13)
        let outputs = world.handle(.inputAdoption(first))
        #expect(outputs.kinds == [.emergencyOpened, .clockUnwanted])
        #expect(outputs.news[0].signal == id(1))
        #expect(world.handle(.inputAdoption(first)).isEmpty)
    }

    @Test func `an adoption that comes before its signal opens, and the signal is answered`() {
        var world = World()
        let first = signal(1, world)
        #expect(world.handle(.inputAdoption(first)).kinds == [.emergencyOpened])
        #expect(world.handle(.inputSignal(first)).isEmpty)
    }

    @Test func `an adoption of another signal joins`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        let outputs = world.handle(.inputAdoption(signal(2, world)))
        #expect(outputs.kinds == [.emergencyJoined])
        #expect(outputs.news[0].emergency == id(1))
    }

    @Test func `an adoption of what was cancelled stays cancelled`() {
        var world = World()
        let first = signal(1, world)
        _ = world.handle(.inputSignal(first))
        _ = world.handle(cancel(1, world))
        #expect(world.handle(.inputAdoption(first)).isEmpty)
    }

    @Test func `an emergency shows the newest fix and battery known`() {
        var world = World()
        _ = world.report(north: 10, device: World.tablet, battery: 81)
        let before = world.now
        world.pass(seconds: 60)
        let outputs = world.handle(.inputSignal(signal(1, world, countdown: 0)))
        #expect(outputs.news[0].fix?.time == before)
        #expect(outputs.news[0].battery == 81)
        let own = Fix(time: world.now, position: World.middle)
        let joined = world.handle(.inputSignal(signal(2, world, fix: own)))
        #expect(joined.news[0].fix == own)
        world.pass(seconds: 60)
        _ = world.report(north: 20, battery: 79)
        _ = world.report(north: 20, after: 0, age: 3600, late: true, battery: 99)
        let taken = world.handle(.inputAcknowledgement(answer(1, world)))
        #expect(taken.news[0].fix?.time == world.now)
        #expect(taken.news[0].battery == 79)
    }

    @Test func `a panic counts for somebody who was never configured`() {
        var world = World()
        world.state = PartitionState()
        #expect(
            world.handle(.inputSignal(signal(1, world))).kinds == [
                .emergencyCountdown, .clockWanted,
            ])
    }

    @Test func `a removed person's emergency is resolved`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        #expect(
            world.handle(.inputPersonRemoved(PersonRemoval(person: World.person))).kinds == [
                .emergencyResolved, .clockUnwanted,
            ])
    }

    @Test func `a clock of another emergency changes nothing`() throws {
        var world = World()
        let first = try clock(world.handle(.inputSignal(signal(1, world))))
        _ = world.handle(cancel(1, world))
        _ = world.handle(.inputSignal(signal(2, world)))
        #expect(world.handle(.inputClock(FiredClock(clock: first, fired: world.now))).isEmpty)
    }
}
