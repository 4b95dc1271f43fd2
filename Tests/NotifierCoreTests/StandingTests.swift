import Directory
import Model
import NotifierCore
import Testing

/// Ingest's store was put back: what goes on here is told to it again, and nobody else.
struct StandingTests {
    private let guardian = Principal.person(Town.budi.id)

    @Test func `what is open is told with its signals and with who was told, and nobody else is`() {
        var world = World()
        open(&world)
        world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        world.clear()
        world.handle(.ingestReplaced(nil))
        let standing = standings(in: world).first
        #expect(standings(in: world).count == 1)
        #expect(standing?.state == .open)
        #expect(standing?.signals.map(\.id) == [Town.emergency(1), Town.emergency(2)])
        #expect(standing?.signals.first == Town.signal())
        #expect(standing?.told == [Town.budi.id])
        #expect(standing?.reached == .accepted)
        #expect(world.sent.isEmpty)
        world.pass(.seconds(119))
        #expect(world.sent.isEmpty, "the ladder stands where it stood")
        world.pass(.seconds(1))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `told again it has the same id until something changes`() {
        var world = World()
        open(&world)
        var ids: [[EventID]] = []
        for _ in 0..<3 {
            world.clear()
            world.handle(.ingestReplaced(nil))
            ids.append(standingIDs(in: world))
            if ids.count == 2 { world.handle(.acknowledge(Town.command(1, by: guardian))) }
        }
        #expect(ids[0].count == 1)
        #expect(ids[0] == ids[1])
        #expect(ids[1] != ids[2])
    }

    @Test func `only people of the partition concerned are told of`() {
        var world = World()
        open(&world)
        let own = Partition.of(Town.aisha.id)
        for partition in Partition.all {
            world.clear()
            world.handle(.ingestReplaced(partition))
            #expect(standings(in: world).count == (partition == own ? 1 : 0))
        }
    }

    @Test func `who has taken it has it still`() throws {
        var world = World()
        open(&world)
        world.handle(.acknowledge(Town.command(1, by: guardian)))
        let given = world.published.compactMap { body in
            if case .acknowledgementGiven(let answer) = body { answer } else { nil }
        }
        world.pass(.seconds(60))
        world.clear()
        world.handle(.ingestReplaced(nil))
        let standing = try #require(standings(in: world).first)
        #expect(standing.state == .acknowledged)
        #expect(standing.by == Town.budi.id)
        #expect(standing.at == given.first?.at)
        #expect(world.sent.isEmpty)
    }

    @Test(arguments: [EmergencyState.resolved, .cancelled])
    func `what ended lately is told as ended`(state: EmergencyState) {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        if state == .resolved {
            world.tell(.emergencyOpened(Town.news()))
            world.tell(.emergencyResolved(Town.news(1, .resolved, by: Town.budi.id)))
        } else {
            world.tell(.emergencyCancelled(Town.news(1, .cancelled)))
        }
        world.clear()
        world.handle(.ingestReplaced(nil))
        #expect(standings(in: world).map(\.state) == [state])
        world.pass(.seconds(25 * 3600))
        world.clear()
        world.handle(.ingestReplaced(nil))
        #expect(standings(in: world).isEmpty, "only what ended lately is")
    }

    @Test func `one that goes on under another name is told of by that`() {
        var world = World()
        world.tell(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.tell(.emergencyOpened(Town.news(1, signal: 2)))
        world.clear()
        world.handle(.ingestReplaced(nil))
        #expect(standings(in: world).map(\.emergency) == [Town.emergency(1)])
    }

    @Test func `a signal that waits is told of, and answered here in time all the same`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        world.handle(.ingestReplaced(nil))
        #expect(standings(in: world).map(\.state) == [.countdown])
        #expect(standings(in: world).first?.signals == [Town.signal()])
        world.pass(.seconds(13))
        #expect(world.sent.count == 2)
    }

    @Test func `a countdown of which only evaluators told is not lost with them`() {
        var world = World()
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        world.handle(.ingestReplaced(Partition.of(Town.aisha.id)))
        #expect(standings(in: world).map(\.state) == [.countdown])
        world.pass(.seconds(3))
        #expect(world.sent.count == 2)
    }

    @Test func `one taken back before it was heard that it counts is over, and nobody is told`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.tell(
            .sosCancelled(
                EmergencyCancel(
                    id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(1),
                    received: world.now)))
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        world.handle(.ingestReplaced(nil))
        #expect(world.emergency(Town.emergency(1))?.state == .cancelled)
        world.pass(.seconds(600))
        #expect(world.sent.isEmpty)
    }

    @Test func `a press that evaluators take for the first is a further one here`() {
        var world = World()
        open(&world)
        world.handle(.acknowledge(Town.command(1, by: guardian)))
        world.handle(.ingestReplaced(nil))
        world.clear()
        world.pass(.seconds(60))
        world.tell(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        world.tell(.emergencyOpened(Town.news(2, raised: world.now)))
        #expect(world.emergency(Town.emergency(2))?.state == .open)
        #expect(world.emergency(Town.emergency(1))?.state == .cancelled)
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(
            world.sent.allSatisfy { $0.text.hasPrefix("PRESSED AGAIN") },
            "\(world.sent.map(\.text))")
        #expect(standings(in: world).last?.emergency == Town.emergency(2))
        #expect(standings(in: world).last?.state == .open)
    }

    @Test func `what was cancelled in its countdown is not opened by evaluators that lost that`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        world.tell(.emergencyCancelled(Town.news(1, .cancelled)))
        world.handle(.ingestReplaced(nil))
        world.tell(.emergencyOpened(Town.news()))
        world.pass(.seconds(600))
        #expect(world.sent.isEmpty)
        // Another signal is another cry.
        world.tell(.emergencyOpened(Town.news(1, signal: 2)))
        #expect(world.sent.count == 2)
    }

    @Test func `a ladder that climbs again for want of an answer is told as open`() {
        var world = World()
        open(&world)
        world.handle(.acknowledge(Town.command(1, by: guardian)))
        world.clear()
        world.pass(Limits.acknowledgementHold + Limits.holderAnswerWait)
        let standing = standings(in: world).first
        #expect(standings(in: world).count == 1)
        #expect(standing?.state == .open)
        #expect(standing?.reached == nil, "nobody has heard of it since")
        world.clear()
        world.handle(.ingestReplaced(nil))
        #expect(standings(in: world).first?.reached == .accepted)
    }

    @Test func `it is told again after a restart`() {
        var world = World()
        open(&world)
        world.restart()
        world.handle(.ingestReplaced(nil))
        #expect(standings(in: world).map(\.state) == [.open])
    }

    /// Aisha's call is open, and Budi has been told.
    private func open(_ world: inout World) {
        world.tell(.sosRaised(Town.signal(countdown: .seconds(10))))
        world.pass(.seconds(10))
        world.tell(.emergencyOpened(Town.news()))
    }

    private func standings(in world: World) -> [LadderStanding] {
        world.published.compactMap { body in
            if case .ladderStanding(let standing) = body { standing } else { nil }
        }
    }

    private func standingIDs(in world: World) -> [EventID] {
        world.effects.compactMap { effect in
            if case .publish(let event) = effect, event.kind == .ladderStanding {
                event.id
            } else {
                nil
            }
        }
    }
}
