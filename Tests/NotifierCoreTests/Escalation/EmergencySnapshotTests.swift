import Directory
import Model
import NotifierCore
import Testing

/// After a restore of ingest's store, emergencies are published again and nobody is notified.
struct EmergencySnapshotTests {
    private let guardian = Principal.person(Town.budi.id)

    @Test func `a snapshot has all signals and recipients, and notifies nobody`() {
        var world = World()
        open(&world)
        world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        world.clear()
        world.handle(.ingestReplaced(nil))
        let snapshot = snapshots(in: world).first
        #expect(snapshots(in: world).count == 1)
        #expect(snapshot?.state == .open)
        #expect(snapshot?.signals.map(\.id) == [Town.emergency(1), Town.emergency(2)])
        #expect(snapshot?.signals.first == Town.signal())
        #expect(snapshot?.recipients == [Town.budi.id])
        #expect(snapshot?.reached == .accepted)
        #expect(world.sent.isEmpty)
        world.pass(.seconds(119))
        #expect(world.sent.isEmpty, "the escalation does not move")
        world.pass(.seconds(1))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `a repeated snapshot has the same id until something changes`() {
        var world = World()
        open(&world)
        var ids: [[EventID]] = []
        for _ in 0..<3 {
            world.clear()
            world.handle(.ingestReplaced(nil))
            ids.append(snapshotIDs(in: world))
            if ids.count == 2 { world.handle(.acknowledge(Town.command(1, by: guardian))) }
        }
        #expect(ids[0].count == 1)
        #expect(ids[0] == ids[1])
        #expect(ids[1] != ids[2])
    }

    @Test func `only people of the given partition are published`() {
        var world = World()
        open(&world)
        let own = Partition.of(Town.aisha.id)
        for partition in Partition.all {
            world.clear()
            world.handle(.ingestReplaced(partition))
            #expect(snapshots(in: world).count == (partition == own ? 1 : 0))
        }
    }

    @Test func `an acknowledgement survives`() throws {
        var world = World()
        open(&world)
        world.handle(.acknowledge(Town.command(1, by: guardian)))
        let acknowledged = world.published.compactMap { body in
            if case .acknowledgementCommitted(let answer) = body { answer } else { nil }
        }
        world.pass(.seconds(60))
        world.clear()
        world.handle(.ingestReplaced(nil))
        let snapshot = try #require(snapshots(in: world).first)
        #expect(snapshot.state == .acknowledged)
        #expect(snapshot.by == Town.budi.id)
        #expect(snapshot.at == acknowledged.first?.at)
        #expect(world.sent.isEmpty)
    }

    @Test(arguments: [EmergencyState.resolved, .cancelled])
    func `a recently ended emergency is published as ended`(state: EmergencyState) {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        if state == .resolved {
            world.receive(.emergencyOpened(Town.change()))
            world.receive(.emergencyResolved(Town.change(1, .resolved, by: Town.budi.id)))
        } else {
            world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
        }
        world.clear()
        world.handle(.ingestReplaced(nil))
        #expect(snapshots(in: world).map(\.state) == [state])
        world.pass(.seconds(25 * 3600))
        world.clear()
        world.handle(.ingestReplaced(nil))
        #expect(snapshots(in: world).isEmpty, "only what ended lately is")
    }

    @Test func `a renamed emergency is published under its new id only`() {
        var world = World()
        world.receive(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.receive(.emergencyOpened(Town.change(1, signal: 2)))
        world.clear()
        world.handle(.ingestReplaced(nil))
        #expect(snapshots(in: world).map(\.emergency) == [Town.emergency(1)])
    }

    @Test func `a waiting signal is published, and still falls back in time`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        world.handle(.ingestReplaced(nil))
        #expect(snapshots(in: world).map(\.state) == [.countdown])
        #expect(snapshots(in: world).first?.signals == [Town.signal()])
        world.pass(.seconds(13))
        #expect(world.sent.count == 2)
    }

    @Test func `a countdown known only from evaluators is not lost with them`() {
        var world = World()
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        world.handle(.ingestReplaced(Partition.of(Town.aisha.id)))
        #expect(snapshots(in: world).map(\.state) == [.countdown])
        world.pass(.seconds(3))
        #expect(world.sent.count == 2)
    }

    @Test func `one cancelled before its countdown was read is over, and nobody is notified`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.receive(
            .sosCancelled(
                EmergencyCancel(
                    id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(1),
                    received: world.now)))
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        world.handle(.ingestReplaced(nil))
        #expect(world.emergency(Town.emergency(1))?.state == .cancelled)
        world.pass(.seconds(600))
        #expect(world.sent.isEmpty)
    }

    @Test func `a call that evaluators take for the first is a further one here`() {
        var world = World()
        open(&world)
        world.handle(.acknowledge(Town.command(1, by: guardian)))
        world.handle(.ingestReplaced(nil))
        world.clear()
        world.pass(.seconds(60))
        world.receive(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        world.receive(.emergencyOpened(Town.change(2, raised: world.now)))
        #expect(world.emergency(Town.emergency(2))?.state == .open)
        #expect(world.emergency(Town.emergency(1))?.state == .cancelled)
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(
            world.sent.allSatisfy { $0.text.hasPrefix("PRESSED AGAIN") },
            "\(world.sent.map(\.text))")
        #expect(snapshots(in: world).last?.emergency == Town.emergency(2))
        #expect(snapshots(in: world).last?.state == .open)
    }

    @Test
    func `one cancelled during its countdown is not reopened by evaluators that lost the end`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
        world.handle(.ingestReplaced(nil))
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(600))
        #expect(world.sent.isEmpty)
        // Another signal is another call.
        world.receive(.emergencyOpened(Town.change(1, signal: 2)))
        #expect(world.sent.count == 2)
    }

    @Test func `an escalation resumed after an unanswered reminder is published as open`() {
        var world = World()
        open(&world)
        world.handle(.acknowledge(Town.command(1, by: guardian)))
        world.clear()
        world.pass(Limits.acknowledgementTimeout + Limits.reminderAnswerWait)
        let snapshot = snapshots(in: world).first
        #expect(snapshots(in: world).count == 1)
        #expect(snapshot?.state == .open)
        #expect(snapshot?.reached == nil, "nobody was notified since")
        world.clear()
        world.handle(.ingestReplaced(nil))
        #expect(snapshots(in: world).first?.reached == .accepted)
    }

    @Test func `a snapshot can be repeated after a restart`() {
        var world = World()
        open(&world)
        world.restart()
        world.handle(.ingestReplaced(nil))
        #expect(snapshots(in: world).map(\.state) == [.open])
    }

    /// Opens Aisha's emergency and notifies Budi.
    private func open(_ world: inout World) {
        world.receive(.sosRaised(Town.signal(countdown: .seconds(10))))
        world.pass(.seconds(10))
        world.receive(.emergencyOpened(Town.change()))
    }

    private func snapshots(in world: World) -> [EmergencySnapshot] {
        world.published.compactMap { body in
            if case .emergencySnapshot(let snapshot) = body { snapshot } else { nil }
        }
    }

    private func snapshotIDs(in world: World) -> [EventID] {
        world.effects.compactMap { effect in
            if case .publish(let event) = effect, event.kind == .emergencySnapshot {
                event.id
            } else {
                nil
            }
        }
    }
}
