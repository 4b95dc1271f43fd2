import Directory
import Model
import NotifierCore
import Testing

@Suite struct `An emergency that ended during an outage` {
    private let hour = Duration.seconds(3600)
    private let budi: Set = ["+60111000002", "budi@example.org"]
    private let aisha: Set = ["+60111000001", "aisha@example.org"]

    private func held(_ world: World) -> [HeldItem] { world.notifier.heldSummaries.map(\.item) }

    private var emergency: HeldItem { .emergency(Town.emergency(1)) }

    /// - Parameter ago: time between its end and the notifier's return
    private func endedMeanwhile(_ ago: Duration, isNotifiedBefore: Bool = false) -> World {
        var world = World()
        let raised = World.start + .seconds(isNotifiedBefore ? 0 : 60)
        if isNotifiedBefore { world.receive(.emergencyOpened(Town.change())) }
        world.clear()
        world.isTimerAlive = false
        world.sleep(.seconds(3 * 3600))
        let back = world.now
        if !isNotifiedBefore {
            world.receive(.emergencyOpened(Town.change(raised: raised)), happened: raised)
        }
        world.receive(
            .emergencyResolved(Town.change(1, .resolved, by: Town.citra.id)), happened: back - ago)
        #expect(world.emergency(Town.emergency(1))?.state == .resolved)
        return world
    }

    private func isOver(_ delivery: OutgoingMessage) -> Bool { !delivery.text.contains("SOS") }

    @Test func `long ago is over silently for people who were never notified`() {
        var world = endedMeanwhile(hour + .seconds(1))
        #expect(held(world).isEmpty)
        world.pass(hour)
        #expect(world.sent.isEmpty)

        var notified = endedMeanwhile(hour + .seconds(1), isNotifiedBefore: true)
        notified.pass(hour)
        #expect(Set(notified.addresses) == budi.union(aisha))
    }

    @Test func `recently is held, and its outcome is notified with the delay`() {
        var world = endedMeanwhile(hour)
        #expect(world.sent.isEmpty && held(world) == [emergency])
        var dropped = world
        world.pass(.seconds(599))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(Set(world.addresses) == budi.union(aisha))
        for delivery in world.sent {
            #expect(isOver(delivery) && delivery.text.contains("Late: due at 04:20 UTC"))
        }
        dropped.clear()
        dropped.handle(.drop([emergency]))
        #expect(dropped.published.allSatisfy { $0.kind != .resolutionCommitted }, "it was over")
        dropped.pass(hour)
        #expect(dropped.sent.isEmpty && held(dropped).isEmpty)
    }

    @Test(arguments: [false, true])
    func `is notified before the next call for help, never after it`(isNotifiedBefore: Bool) {
        var world = endedMeanwhile(.seconds(600), isNotifiedBefore: isNotifiedBefore)
        #expect(world.sent.isEmpty && !held(world).isEmpty)
        world.pass(.seconds(30))
        world.receive(.sosRaised(Town.signal(2, at: world.now)))
        #expect(Set(world.addresses) == budi.union(aisha), "while the next one counts down")
        #expect(world.sent.allSatisfy(isOver))
        world.clear()
        world.pass(.seconds(10))
        world.receive(.emergencyOpened(Town.change(2, raised: world.now)))
        #expect(Set(world.addresses) == budi)
        world.pass(hour)
        #expect(world.sent.allSatisfy { !isOver($0) || aisha.contains($0.address) })
        #expect(!world.sent.contains { $0.text.contains("Late: due") })
    }

    @Test func `is notified before an alarm without an own call, too`() {
        var world = endedMeanwhile(.seconds(600))
        world.pass(.seconds(30))
        let deadline = Deadline(
            id: DeadlineID(ID128(high: 6, low: 2)), kind: .contact, person: Town.aisha.id,
            emergency: Town.emergency(2), due: world.now)
        world.receive(.deadlineExpired(ExpiredDeadline(deadline: deadline, expired: world.now)))
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

    @Test func `is not notified if it continues`() {
        var world = endedMeanwhile(.seconds(600))
        world.pass(.seconds(30))
        world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        #expect(Set(world.addresses) == budi && !world.sent.contains(where: isOver))
        world.clear()
        world.pass(.seconds(700))
        #expect(world.addresses.contains("+60111000003"), "its escalation advances")
        #expect(world.sent.allSatisfy { !isOver($0) || aisha.contains($0.address) })
    }

    @Test func `is dropped with a message to recipients under another id`() {
        var world = World()
        // A call of yesterday that no evaluator answered turns out to belong to another emergency.
        var late = Town.signal(2, at: World.start - .seconds(25 * 3600), countdown: .zero)
        late.received = World.start
        world.receive(.sosRaised(late))
        world.pass(.seconds(3))
        #expect(Set(world.addresses) == budi)
        world.sleep(.seconds(1800))
        let raised = World.start + .seconds(60)
        world.receive(.emergencyOpened(Town.change(raised: raised)), happened: raised)
        world.receive(.emergencyJoined(Town.change(signal: 2, raised: raised)), happened: raised)
        #expect(held(world) == [emergency])
        world.clear()
        world.handle(.drop(held(world)))
        #expect(
            Set(world.addresses).isSuperset(of: budi), "it is over, and Budi was notified of it")
    }

    @Test func `ends no later call that no evaluator answered`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.sleep(hour)
        world.clear()
        // The call is read before the end; the fallback joins it to the active emergency.
        world.pass(.seconds(1))
        world.receive(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        world.pass(.seconds(4))
        #expect(Set(world.addresses).isSuperset(of: budi))
        world.clear()
        let ended = World.start + .seconds(1800)
        world.receive(
            .emergencyResolved(Town.change(1, .resolved, by: Town.citra.id)), happened: ended)
        #expect(world.emergency(Town.emergency(1))?.state == .resolved)
        #expect(world.emergency(Town.emergency(2))?.state == .open)
        #expect(world.sent.isEmpty, "nobody is notified of its end")
        world.pass(.seconds(600))
        #expect(world.addresses.contains("+60111000003"), "its escalation advances")
        #expect(world.sent.allSatisfy { !isOver($0) || aisha.contains($0.address) })
        world.clear()
        world.receive(.emergencyOpened(Town.change(2, raised: world.now)))
        #expect(world.sent.isEmpty, "evaluators are back, and call it the same")
        world.receive(.emergencyResolved(Town.change(2, .resolved, by: Town.citra.id)))
        #expect(world.sent.allSatisfy(isOver) && Set(world.addresses).isSuperset(of: budi))
        #expect(world.emergencies.values.allSatisfy { !$0.state.isActive })
    }

    @Test func `ends no call that continued under its id meanwhile`() {
        var world = World()
        world.sleep(hour)
        world.pass(.seconds(1))
        world.receive(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        world.pass(.seconds(3))
        #expect(Set(world.addresses) == budi)
        world.clear()
        let raised = World.start + .seconds(60)
        world.receive(.emergencyOpened(Town.change(raised: raised)), happened: raised)
        world.receive(
            .emergencyCancelled(Town.change(1, .cancelled, by: Town.aisha.id)),
            happened: World.start + .seconds(1800))
        #expect(world.sent.isEmpty && world.emergency(Town.emergency(2))?.state == .open)
        world.pass(.seconds(125))
        #expect(world.addresses == ["+60111000003"], "its escalation advances once")
        world.clear()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id), emergency: 2)))
        #expect(Set(world.addresses).isSuperset(of: aisha))
    }

    @Test func `ends no watch that expired after the cancellation`() {
        var world = World()
        world.receive(.sosRaised(Town.signal(1, countdown: .zero)))
        world.pass(.seconds(60))
        let taken = world.now
        world.pass(.seconds(10))
        world.receive(
            .watchExpired(
                Town.signal(2, at: world.now, countdown: .zero, trigger: .watchExpired)))
        world.pass(.seconds(4))
        world.clear()
        let cancel = EmergencyCancel(
            id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(1),
            received: taken)
        world.receive(.sosCancelled(cancel))
        #expect(world.emergency(Town.emergency(1))?.state == .cancelled)
        #expect(world.emergency(Town.emergency(2))?.state == .open)
        #expect(world.sent.isEmpty)
        let ended = world.published.compactMap { body in
            if case .resolutionCommitted(let answer) = body { answer.signals } else { nil }
        }
        #expect(ended == [[Town.emergency(1)]])
        world.pass(.seconds(120))
        #expect(world.addresses.contains("+60111000003"))
    }
}
