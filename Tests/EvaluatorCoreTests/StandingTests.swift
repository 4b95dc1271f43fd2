import EvaluatorCore
import Model
import Testing

/// The notifier says how an emergency stands: what was lost is true again.
@Suite struct StandingTests {
    private static let guardian = PersonID(ID128(high: 2, low: 7))

    private func id(_ number: UInt64) -> EmergencyID { EmergencyID(ID128(high: 5, low: number)) }

    private func signal(_ number: UInt64, _ world: World, countdown: Int64 = 0) -> EmergencySignal {
        EmergencySignal(
            id: id(number), person: World.person, trigger: .panic, raised: world.now,
            received: world.now, countdownEnds: world.now + .seconds(countdown))
    }

    private func standing(
        _ state: EmergencyState, _ world: World, _ signals: [EmergencySignal],
        by person: PersonID? = guardian
    ) -> LadderStanding {
        LadderStanding(
            emergency: signals[0].id, person: World.person, state: state,
            by: state == .open ? nil : person, at: world.now, signals: signals)
    }

    private func answer(_ number: UInt64, _ world: World) -> EmergencyAnswer {
        EmergencyAnswer(
            emergency: id(number), person: World.person, by: Self.guardian, at: world.now)
    }

    @Test func `one that was lost is open again, with all that joined it, once`() {
        var world = World()
        let standing = standing(.open, world, [signal(1, world), signal(2, world)])
        let outputs = world.handle(.inputStanding(standing))
        #expect(outputs.kinds == [.emergencyOpened, .emergencyJoined])
        #expect(outputs.news.allSatisfy { $0.emergency == id(1) && $0.state == .open })
        #expect(world.handle(.inputStanding(standing)).isEmpty)
        #expect(world.handle(.inputSignal(signal(1, world))).isEmpty)
        #expect(world.handle(.inputSignal(signal(3, world))).kinds == [.emergencyJoined])
        #expect(
            world.handle(.inputAcknowledgement(answer(1, world))).kinds == [.emergencyAcknowledged])
        #expect(
            world.handle(.inputStanding(self.standing(.resolved, world, [signal(1, world)])))
                .isEmpty)
    }

    @Test func `one that somebody has taken stays taken`() {
        var world = World()
        let standing = standing(.acknowledged, world, [signal(1, world)])
        let outputs = world.handle(.inputStanding(standing))
        #expect(outputs.kinds == [.emergencyOpened, .emergencyAcknowledged])
        #expect(outputs.news.last?.by == Self.guardian)
        #expect(world.handle(.inputStanding(standing)).isEmpty)
    }

    @Test func `the same answer heard before is none again`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        _ = world.handle(.inputAcknowledgement(answer(1, world)))
        let known = standing(.acknowledged, world, [signal(1, world)])
        #expect(world.handle(.inputStanding(known)).isEmpty)
    }

    @Test func `an answer that knew of the press that reopened it is a step of its own`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        let first = world.handle(.inputAcknowledgement(answer(1, world)))
        #expect(world.handle(.inputSignal(signal(2, world))).kinds == [.emergencyJoined])
        let standing = standing(.acknowledged, world, [signal(1, world), signal(2, world)])
        let again = world.handle(.inputStanding(standing))
        #expect(again.kinds == [.emergencyAcknowledged])
        #expect(first.map(\.id) != again.map(\.id))
    }

    @Test func `who took it did not know of a further press`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        _ = world.handle(.inputSignal(signal(2, world)))
        let known = standing(.acknowledged, world, [signal(1, world)])
        #expect(world.handle(.inputStanding(known)).isEmpty)
        let resolved = standing(.resolved, world, [signal(1, world)])
        #expect(world.handle(.inputStanding(resolved)).isEmpty)
        let both = standing(.resolved, world, [signal(1, world), signal(2, world)])
        #expect(world.handle(.inputStanding(both)).kinds == [.emergencyResolved])
    }

    @Test func `an answer that came to nothing opens it again, each once`() {
        var world = World()
        let first = signal(1, world)
        var ids = [world.handle(.inputSignal(first)).first?.id]
        for _ in 0..<2 {
            world.pass(seconds: 60)
            _ = world.handle(.inputAcknowledgement(answer(1, world)))
            let outputs = world.handle(.inputStanding(standing(.open, world, [first])))
            #expect(outputs.kinds == [.emergencyOpened])
            #expect(outputs.news.first?.state == .open)
            #expect(world.handle(.inputStanding(standing(.open, world, [first]))).isEmpty)
            ids.append(outputs.first?.id)
        }
        #expect(Set(ids).count == 3)
    }

    @Test(arguments: [EmergencyState.resolved, .cancelled])
    func `what has ended is not opened by what is heard late`(state: EmergencyState) {
        var world = World()
        let ended = standing(state, world, [signal(1, world)])
        #expect(world.handle(.inputStanding(ended)).isEmpty)
        #expect(world.handle(.inputSignal(signal(1, world))).isEmpty)
        #expect(world.handle(.inputAdoption(signal(1, world))).isEmpty)
        #expect(world.handle(.inputStanding(standing(.open, world, [signal(1, world)]))).isEmpty)
        #expect(world.handle(.inputSignal(signal(2, world))).kinds == [.emergencyOpened])
    }

    @Test func `what has ended there ends here, and its countdown`() {
        var world = World()
        let first = signal(1, world, countdown: 10)
        _ = world.handle(.inputSignal(first))
        let outputs = world.handle(.inputStanding(standing(.cancelled, world, [first])))
        #expect(outputs.kinds == [.emergencyCancelled, .clockUnwanted])
    }

    @Test func `a signal that waits counts down again, once`() {
        var world = World()
        let waiting = standing(.countdown, world, [signal(1, world, countdown: 10)])
        #expect(world.handle(.inputStanding(waiting)).kinds == [.emergencyCountdown, .clockWanted])
        #expect(world.handle(.inputStanding(waiting)).isEmpty)
    }
}
