import EvaluatorCore
import Model
import Testing

/// Snapshots of emergencies by the notifier restore what was lost.
@Suite struct EmergencySnapshotTests {
    private static let guardian = PersonID(ID128(high: 2, low: 7))

    private func id(_ number: UInt64) -> EmergencyID { EmergencyID(ID128(high: 5, low: number)) }

    private func signal(_ number: UInt64, _ world: World, countdown: Int64 = 0) -> EmergencySignal {
        EmergencySignal(
            id: id(number), person: World.person, trigger: .panic, raised: world.now,
            received: world.now, countdownEnds: world.now + .seconds(countdown))
    }

    private func snapshot(
        _ state: EmergencyState, _ world: World, _ signals: [EmergencySignal],
        by person: PersonID? = guardian
    ) -> EmergencySnapshot {
        EmergencySnapshot(
            emergency: signals[0].id, person: World.person, state: state,
            by: state == .open ? nil : person, at: world.now, signals: signals)
    }

    private func answer(_ number: UInt64, _ world: World) -> EmergencyAnswer {
        EmergencyAnswer(
            emergency: id(number), person: World.person, by: Self.guardian, at: world.now)
    }

    @Test func `a lost emergency is opened again with all its signals, once`() {
        var world = World()
        let snapshot = snapshot(.open, world, [signal(1, world), signal(2, world)])
        let outputs = world.handle(.inputEmergencySnapshot(snapshot))
        #expect(outputs.kinds == [.emergencyOpened, .emergencyJoined])
        #expect(outputs.emergencyChanges.allSatisfy { $0.emergency == id(1) && $0.state == .open })
        #expect(world.handle(.inputEmergencySnapshot(snapshot)).isEmpty)
        #expect(world.handle(.inputSignal(signal(1, world))).isEmpty)
        #expect(world.handle(.inputSignal(signal(3, world))).kinds == [.emergencyJoined])
        #expect(
            world.handle(.inputAcknowledgement(answer(1, world))).kinds == [.emergencyAcknowledged])
        #expect(
            world.handle(
                .inputEmergencySnapshot(self.snapshot(.resolved, world, [signal(1, world)]))
            )
            .isEmpty)
    }

    @Test func `an acknowledged emergency stays acknowledged`() {
        var world = World()
        let snapshot = snapshot(.acknowledged, world, [signal(1, world)])
        let outputs = world.handle(.inputEmergencySnapshot(snapshot))
        #expect(outputs.kinds == [.emergencyOpened, .emergencyAcknowledged])
        #expect(outputs.emergencyChanges.last?.by == Self.guardian)
        #expect(world.handle(.inputEmergencySnapshot(snapshot)).isEmpty)
    }

    @Test func `an earlier acknowledgement of a joined emergency does not come back`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        _ = world.handle(.inputSignal(signal(2, world)))
        let first = snapshot(.acknowledged, world, [signal(1, world), signal(2, world)])
        world.now = world.now + .seconds(1)
        let other = PersonID(ID128(high: 2, low: 8))
        let second = snapshot(
            .acknowledged, world, [signal(2, world), signal(1, world)], by: other)
        #expect(world.handle(.inputEmergencySnapshot(first)).kinds == [.emergencyAcknowledged])
        #expect(world.handle(.inputEmergencySnapshot(second)).kinds == [.emergencyAcknowledged])
        #expect(world.handle(.inputEmergencySnapshot(first)).isEmpty)
        #expect(world.handle(.inputEmergencySnapshot(second)).isEmpty)
    }

    @Test func `a repeated answer emits nothing`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        _ = world.handle(.inputAcknowledgement(answer(1, world)))
        let known = snapshot(.acknowledged, world, [signal(1, world)])
        #expect(world.handle(.inputEmergencySnapshot(known)).isEmpty)
    }

    @Test func `an answer that knew of the reopening signal is a separate step`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        let first = world.handle(.inputAcknowledgement(answer(1, world)))
        #expect(world.handle(.inputSignal(signal(2, world))).kinds == [.emergencyJoined])
        let snapshot = snapshot(.acknowledged, world, [signal(1, world), signal(2, world)])
        let again = world.handle(.inputEmergencySnapshot(snapshot))
        #expect(again.kinds == [.emergencyAcknowledged])
        #expect(first.map(\.id) != again.map(\.id))
    }

    @Test func `an acknowledgement without knowledge of a further signal does not count`() {
        var world = World()
        _ = world.handle(.inputSignal(signal(1, world)))
        _ = world.handle(.inputSignal(signal(2, world)))
        let known = snapshot(.acknowledged, world, [signal(1, world)])
        #expect(world.handle(.inputEmergencySnapshot(known)).isEmpty)
        let resolved = snapshot(.resolved, world, [signal(1, world)])
        #expect(world.handle(.inputEmergencySnapshot(resolved)).isEmpty)
        let both = snapshot(.resolved, world, [signal(1, world), signal(2, world)])
        #expect(world.handle(.inputEmergencySnapshot(both)).kinds == [.emergencyResolved])
    }

    @Test func `each revoked acknowledgement reopens it once`() {
        var world = World()
        let first = signal(1, world)
        var ids = [world.handle(.inputSignal(first)).first?.id]
        for _ in 0..<2 {
            world.advance(seconds: 60)
            _ = world.handle(.inputAcknowledgement(answer(1, world)))
            let outputs = world.handle(.inputEmergencySnapshot(snapshot(.open, world, [first])))
            #expect(outputs.kinds == [.emergencyOpened])
            #expect(outputs.emergencyChanges.first?.state == .open)
            #expect(world.handle(.inputEmergencySnapshot(snapshot(.open, world, [first]))).isEmpty)
            ids.append(outputs.first?.id)
        }
        #expect(Set(ids).count == 3)
    }

    @Test(arguments: [EmergencyState.resolved, .cancelled])
    func `an ended emergency is not opened by a late snapshot`(state: EmergencyState) {
        var world = World()
        let ended = snapshot(state, world, [signal(1, world)])
        #expect(world.handle(.inputEmergencySnapshot(ended)).isEmpty)
        #expect(world.handle(.inputSignal(signal(1, world))).isEmpty)
        #expect(world.handle(.inputFallbackOpened(signal(1, world))).isEmpty)
        #expect(
            world.handle(.inputEmergencySnapshot(snapshot(.open, world, [signal(1, world)])))
                .isEmpty)
        #expect(world.handle(.inputSignal(signal(2, world))).kinds == [.emergencyOpened])
    }

    @Test func `an emergency that ended at the notifier ends here, with its countdown`() {
        var world = World()
        let first = signal(1, world, countdown: 10)
        _ = world.handle(.inputSignal(first))
        let outputs = world.handle(.inputEmergencySnapshot(snapshot(.cancelled, world, [first])))
        #expect(outputs.kinds == [.emergencyCancelled, .deadlineCancelled])
    }

    @Test func `a pending signal counts down again, once`() {
        var world = World()
        let waiting = snapshot(.countdown, world, [signal(1, world, countdown: 10)])
        #expect(
            world.handle(.inputEmergencySnapshot(waiting)).kinds == [
                .emergencyCountdown, .deadlineScheduled,
            ])
        #expect(world.handle(.inputEmergencySnapshot(waiting)).isEmpty)
    }
}
