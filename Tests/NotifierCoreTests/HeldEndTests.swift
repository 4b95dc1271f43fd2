import Directory
import Model
import NotifierCore
import Testing

@Suite struct `An emergency that ended while the notifier was away` {
    private let hour = Duration.seconds(3600)
    private let budi: Set = ["+60111000002", "budi@example.org"]
    private let aisha: Set = ["+60111000001", "aisha@example.org"]

    private func held(_ world: World) -> [Held] { world.notifier.heldItems.map(\.held) }

    private var emergency: Held { .emergency(Town.emergency(1)) }

    /// - Parameter ago: how long before the notifier was back it ended
    private func endedMeanwhile(_ ago: Duration, isToldBefore: Bool = false) -> World {
        var world = World()
        let raised = World.start + .seconds(isToldBefore ? 0 : 60)
        if isToldBefore { world.tell(.emergencyOpened(Town.news())) }
        world.clear()
        world.isTimerAlive = false
        world.sleep(.seconds(3 * 3600))
        let back = world.now
        if !isToldBefore {
            world.tell(.emergencyOpened(Town.news(raised: raised)), happened: raised)
        }
        world.tell(
            .emergencyResolved(Town.news(1, .resolved, by: Town.citra.id)), happened: back - ago)
        #expect(world.emergency(Town.emergency(1))?.state == .resolved)
        return world
    }

    private func isOver(_ delivery: Delivery) -> Bool { !delivery.text.contains("SOS") }

    @Test func `and long ago is over without a word to whom nobody told of it`() {
        var world = endedMeanwhile(hour + .seconds(1))
        #expect(held(world).isEmpty)
        world.pass(hour)
        #expect(world.sent.isEmpty)

        var told = endedMeanwhile(hour + .seconds(1), isToldBefore: true)
        told.pass(hour)
        #expect(Set(told.addresses) == budi.union(aisha))
    }

    @Test func `and lately is held, and told as its outcome with a word about the delay`() {
        var world = endedMeanwhile(hour)
        #expect(world.sent.isEmpty && held(world) == [emergency])
        var dropped = world
        world.pass(.seconds(599))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(Set(world.addresses) == budi.union(aisha))
        for delivery in world.sent {
            #expect(isOver(delivery) && delivery.text.contains("Was due at 04:20 UTC"))
        }
        dropped.clear()
        dropped.handle(.drop([emergency]))
        #expect(dropped.published.allSatisfy { $0.kind != .resolutionGiven }, "it was over")
        dropped.pass(hour)
        #expect(dropped.sent.isEmpty && held(dropped).isEmpty)
    }

    @Test(arguments: [false, true])
    func `is told of before the next call for help, never after it`(isToldBefore: Bool) {
        var world = endedMeanwhile(.seconds(600), isToldBefore: isToldBefore)
        #expect(world.sent.isEmpty && !held(world).isEmpty)
        world.pass(.seconds(30))
        world.tell(.sosRaised(Town.signal(2, at: world.now)))
        #expect(Set(world.addresses) == budi.union(aisha), "while the next one counts down")
        #expect(world.sent.allSatisfy(isOver))
        world.clear()
        world.pass(.seconds(10))
        world.tell(.emergencyOpened(Town.news(2, raised: world.now)))
        #expect(Set(world.addresses) == budi)
        world.pass(hour)
        #expect(world.sent.allSatisfy { !isOver($0) || aisha.contains($0.address) })
        #expect(!world.sent.contains { $0.text.contains("Was due") })
    }

    @Test func `is told of before an alarm for which nobody pressed, too`() {
        var world = endedMeanwhile(.seconds(600))
        world.pass(.seconds(30))
        let clock = WantedClock(
            id: ClockID(ID128(high: 6, low: 2)), rule: .contact, person: Town.aisha.id,
            emergency: Town.emergency(2), due: world.now)
        world.tell(.clockFired(FiredClock(clock: clock, fired: world.now)))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(10))
        for address in budi {
            let said = world.sent.filter { $0.address == address }.map(isOver)
            #expect(said == [true, false], "no evaluator answers")
        }
        world.clear()
        world.pass(.seconds(700))
        #expect(world.sent.allSatisfy { !isOver($0) || aisha.contains($0.address) })
    }

    @Test func `is told of no more once it goes on itself`() {
        var world = endedMeanwhile(.seconds(600))
        world.pass(.seconds(30))
        world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        #expect(Set(world.addresses) == budi && !world.sent.contains(where: isOver))
        world.clear()
        world.pass(.seconds(700))
        #expect(world.addresses.contains("+60111000003"), "its ladder climbs")
        #expect(world.sent.allSatisfy { !isOver($0) || aisha.contains($0.address) })
    }

    @Test func `is dropped with a word to those who heard of it by another name`() {
        var world = World()
        // A call of yesterday that no evaluator answers turns out to be a part of another.
        var late = Town.signal(2, at: World.start - .seconds(25 * 3600), countdown: .zero)
        late.received = World.start
        world.tell(.sosRaised(late))
        world.pass(.seconds(3))
        #expect(Set(world.addresses) == budi)
        world.sleep(.seconds(1800))
        let raised = World.start + .seconds(60)
        world.tell(.emergencyOpened(Town.news(raised: raised)), happened: raised)
        world.tell(.emergencyJoined(Town.news(signal: 2, raised: raised)), happened: raised)
        #expect(held(world) == [emergency])
        world.clear()
        world.handle(.drop(held(world)))
        #expect(Set(world.addresses).isSuperset(of: budi), "it is over, and Budi had heard of it")
    }

    @Test func `ends no call that came after it and that no evaluator answered`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.sleep(hour)
        world.clear()
        // The call is heard before the end; the fallback takes it for a part of what goes on.
        world.pass(.seconds(1))
        world.tell(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        world.pass(.seconds(4))
        #expect(Set(world.addresses).isSuperset(of: budi))
        world.clear()
        let ended = World.start + .seconds(1800)
        world.tell(.emergencyResolved(Town.news(1, .resolved, by: Town.citra.id)), happened: ended)
        #expect(world.emergency(Town.emergency(1))?.state == .resolved)
        #expect(world.emergency(Town.emergency(2))?.state == .open)
        #expect(world.sent.isEmpty, "nobody hears that it is over")
        world.pass(.seconds(600))
        #expect(world.addresses.contains("+60111000003"), "its ladder climbs")
        #expect(world.sent.allSatisfy { !isOver($0) || aisha.contains($0.address) })
        world.clear()
        world.tell(.emergencyOpened(Town.news(2, raised: world.now)))
        #expect(world.sent.isEmpty, "evaluators are back, and call it the same")
        world.tell(.emergencyResolved(Town.news(2, .resolved, by: Town.citra.id)))
        #expect(world.sent.allSatisfy(isOver) && Set(world.addresses).isSuperset(of: budi))
        #expect(world.emergencies.values.allSatisfy { !$0.state.isActive })
    }

    @Test func `ends no call that went on under its name meanwhile`() {
        var world = World()
        world.sleep(hour)
        world.pass(.seconds(1))
        world.tell(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        world.pass(.seconds(3))
        #expect(Set(world.addresses) == budi)
        world.clear()
        let raised = World.start + .seconds(60)
        world.tell(.emergencyOpened(Town.news(raised: raised)), happened: raised)
        world.tell(
            .emergencyCancelled(Town.news(1, .cancelled, by: Town.aisha.id)),
            happened: World.start + .seconds(1800))
        #expect(world.sent.isEmpty && world.emergency(Town.emergency(2))?.state == .open)
        world.pass(.seconds(125))
        #expect(world.addresses == ["+60111000003"], "its ladder climbs, once")
        world.clear()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id), emergency: 2)))
        #expect(Set(world.addresses).isSuperset(of: aisha))
    }

    @Test func `ends no watch that ran out after it was taken back`() {
        var world = World()
        world.tell(.sosRaised(Town.signal(1, countdown: .zero)))
        world.pass(.seconds(60))
        let taken = world.now
        world.pass(.seconds(10))
        world.tell(
            .watchExpired(
                Town.signal(2, at: world.now, countdown: .zero, trigger: .watchExpired)))
        world.pass(.seconds(4))
        world.clear()
        let cancel = EmergencyCancel(
            id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(1),
            received: taken)
        world.tell(.sosCancelled(cancel))
        #expect(world.emergency(Town.emergency(1))?.state == .cancelled)
        #expect(world.emergency(Town.emergency(2))?.state == .open)
        #expect(world.sent.isEmpty)
        let ended = world.published.compactMap { body in
            if case .resolutionGiven(let answer) = body { answer.signals } else { nil }
        }
        #expect(ended == [[Town.emergency(1)]])
        world.pass(.seconds(120))
        #expect(world.addresses.contains("+60111000003"))
    }
}
