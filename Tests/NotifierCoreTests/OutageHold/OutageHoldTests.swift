import Directory
import Model
import NotifierCore
import Testing

@Suite struct `An item that became due during an outage` {
    private let hour = Duration.seconds(3600)

    private func held(_ world: World) -> [HeldItem] { world.notifier.heldSummaries.map(\.item) }

    private var emergency: HeldItem { .emergency(Town.emergency(1)) }

    /// An emergency opened while the notifier was down, read an hour later.
    private func openedMeanwhile() -> World {
        var world = World()
        world.sleep(hour)
        let raised = World.start + .seconds(60)
        world.receive(
            .sosRaised(Town.signal(at: raised)), happened: raised)
        world.receive(
            .emergencyOpened(Town.change(raised: raised)), happened: raised + .seconds(10))
        return world
    }

    @Test func `is held for ten minutes, then sent with its delay`() {
        var world = openedMeanwhile()
        #expect(world.sent.isEmpty)
        #expect(held(world) == [emergency])
        #expect(world.notifier.heldSummaries.first?.due == World.start + .seconds(60))
        world.pass(.seconds(599))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        for delivery in world.sent {
            #expect(
                delivery.text.contains(
                    "Late: due at 02:21 UTC, our server was down until 03:20 UTC"))
        }
        #expect(held(world).isEmpty)
        world.clear()
        world.pass(.seconds(119))
        #expect(world.sent.isEmpty, "the tier has its whole time from then on")
        world.pass(.seconds(1) + Limits.deadlineGrace)
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `does not delay a call from now, which is notified as new`() {
        var world = openedMeanwhile()
        let then = World.start + .seconds(90)
        world.receive(.emergencyJoined(Town.change(signal: 2, joinedRaised: then)), happened: then)
        #expect(world.sent.isEmpty)
        world.pass(.seconds(12))
        world.receive(.emergencyJoined(Town.change(signal: 3, joinedRaised: world.now)))
        #expect(world.sent.allSatisfy { $0.text.contains("Late: due") }, "it waited for this")
        world.clear()
        world.pass(.seconds(12))
        world.receive(.emergencyJoined(Town.change(signal: 4, joinedRaised: world.now)))
        #expect(world.sent.count == 2)
        for message in world.sent {
            #expect(message.text.contains("PRESSED AGAIN") && !message.text.contains("Late: due"))
        }
    }

    @Test func `is sent at once when the operator releases it`() {
        var world = openedMeanwhile()
        world.pass(.seconds(30))
        world.handle(.release([emergency]))
        #expect(world.sent.count == 2)
        world.restart(
            after: Outage(
                from: World.start, until: World.start + hour,
                holdEnds: World.start + hour + .seconds(600)))
        #expect(held(world).isEmpty, "also after a restart within the hold")
        world.clear()
        world.pass(.seconds(125))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `is over silently when the operator drops it`() {
        var world = openedMeanwhile()
        world.handle(.drop([emergency]))
        #expect(world.emergency(Town.emergency(1))?.state == .resolved)
        let resolved = world.published.filter {
            if case .resolutionCommitted(let answer) = $0 { answer.by == nil } else { false }
        }
        #expect(resolved.count == 1)
        world.pass(hour)
        #expect(world.sent.isEmpty && held(world).isEmpty)
        #expect(world.notifications.allSatisfy { $0.state == .expired })
    }

    @Test func `is released when the same person calls for help again`() {
        var world = openedMeanwhile()
        world.pass(.seconds(30))
        world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        #expect(world.sent.count >= 2)
        #expect(held(world).isEmpty)
    }

    /// An emergency with a tier due while the notifier was down; the timer has not reported the
    /// deadline yet.
    private func advancingMeanwhile() -> World {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.isTimerAlive = false
        world.sleep(hour)
        world.clear()
        return world
    }

    @Test(arguments: [EmergencyTrigger.panic, .watchExpired])
    func `is released when a call is read before the deadline of its tier`(
        _ trigger: EmergencyTrigger
    ) {
        var world = advancingMeanwhile()
        #expect(held(world) == [emergency], "it is shown from the start")
        #expect(world.notifier.heldSummaries.first?.due == World.start + .seconds(120))
        world.pass(.milliseconds(100))
        let call = Town.signal(2, at: world.now, countdown: .zero, trigger: trigger)
        world.receive(trigger == .panic ? .sosRaised(call) : .watchExpired(call))
        world.receive(.emergencyJoined(Town.change(signal: 2, trigger: trigger)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        world.pass(Limits.deadlineGrace + .seconds(1))
        #expect(world.addresses.contains("+60111000003"), "the next tier")
        #expect(held(world).isEmpty && world.notifier.holdEnds == nil)
    }

    @Test func `is released when a call is read before anything was held`() {
        var world = World()
        let works = world.gateway
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: .unreachable)
        }
        world.receive(.emergencyOpened(Town.change()))
        // The store was restored a moment later.
        world.gateway = works
        world.now = world.now + .milliseconds(500)
        world.restart(
            after: Outage(
                from: World.start, until: world.now, holdEnds: world.now + .seconds(600)))
        world.clear()
        #expect(held(world).isEmpty, "its messages are tried again later, its tier has its time")
        world.now = world.now + .milliseconds(100)
        world.receive(.emergencyJoined(Town.change(signal: 2)))
        world.pass(.seconds(60))
        #expect(held(world).isEmpty)
        #expect(world.notifications.allSatisfy { !$0.isPending })
    }

    @Test func `ends at once if the person ends it afterwards`() {
        var world = advancingMeanwhile()
        world.pass(.seconds(30))
        world.receive(.emergencyCancelled(Town.change(1, .cancelled, by: Town.aisha.id)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(held(world).isEmpty)

        var untold = openedMeanwhile()
        untold.pass(.seconds(30))
        untold.receive(.emergencyCancelled(Town.change(1, .cancelled, by: Town.aisha.id)))
        #expect(Set(untold.addresses) == ["+60111000002", "budi@example.org"])
        for delivery in untold.sent {
            #expect(delivery.text.contains("cancelled it"), "its outcome, in one message")
        }
        untold.clear()
        untold.pass(hour)
        #expect(untold.sent.isEmpty)
    }

    @Test func `does not escalate once it is acknowledged`() {
        var world = advancingMeanwhile()
        world.pass(.seconds(30))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        #expect(Set(world.addresses) == ["+60111000001", "aisha@example.org"])
        #expect(held(world).isEmpty)
    }

    @Test func `ends by a cancelled signal unless an evaluator opened it`() {
        var opened = openedMeanwhile()
        var openedByFallback = World()
        openedByFallback.receive(.sosRaised(Town.signal()))
        openedByFallback.pass(.seconds(13))
        openedByFallback.isTimerAlive = false
        openedByFallback.sleep(hour)
        openedByFallback.pass(.seconds(30))
        openedByFallback.clear()
        let cancel = EmergencyCancel(
            id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(1),
            received: openedByFallback.now)
        for isOpened in [true, false] {
            var world = isOpened ? opened : openedByFallback
            #expect(held(world) == [emergency])
            world.receive(.sosCancelled(cancel))
            #expect(held(world) == (isOpened ? [emergency] : []))
            #expect(
                Set(world.addresses) == (isOpened ? [] : ["+60111000002", "budi@example.org"]))
        }
        opened.handle(.release([emergency]))
        #expect(opened.sent.count == 2)
    }

    @Test func `is released if the call was read earlier and nobody answers it`() {
        var world = World()
        world.sleep(hour)
        world.pass(.milliseconds(100))
        world.receive(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        let raised = World.start + .seconds(60)
        world.receive(.emergencyOpened(Town.change(raised: raised)), happened: raised)
        #expect(held(world) == [emergency])
        world.pass(.seconds(10))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(held(world).isEmpty)
    }

    @Test func `includes a watch that expired meanwhile in an older emergency`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.sleep(hour)
        world.clear()
        world.pass(.seconds(30))
        let expiry = Town.signal(
            2, at: World.start + .seconds(1800), countdown: .zero, trigger: .watchExpired)
        world.receive(.watchExpired(expiry))
        world.receive(.emergencyJoined(Town.change(signal: 2, joined: .watchExpired)))
        let notified = world.sent.filter { $0.text.contains("watch expired") }
        #expect(Set(notified.map(\.address)) == ["+60111000002", "budi@example.org"])
        for delivery in notified {
            #expect(
                delivery.text.contains(
                    "Late: due at 02:50 UTC, our server was down until 03:20 UTC"))
        }
    }

    @Test func `does not delay what happens afterwards`() {
        var world = openedMeanwhile()
        world.pass(.seconds(30))
        let other = EmergencyChange(
            emergency: Town.emergency(5), person: Town.citra.id, state: .open, trigger: .panic,
            signal: Town.emergency(5), raised: world.now, countdownEnds: world.now)
        world.receive(.emergencyOpened(other))
        #expect(!world.sent.isEmpty)
        #expect(world.sent.allSatisfy { !$0.text.contains("Late: due") })
        #expect(held(world) == [emergency])
    }

    @Test func `includes unsent messages, individually if they are about no emergency`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: .unreachable)
        }
        world.receive(.zoneEntered(Town.crossing()))
        #expect(!world.notifications.filter(\.isPending).isEmpty)
        world.clear()
        let outage = world.sleep(.seconds(300))
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt, outcome: .accepted)
        }
        world.pass(.seconds(5))
        #expect(world.sent.isEmpty)
        let items = world.notifier.heldSummaries
        #expect(!items.isEmpty && items.allSatisfy { $0.recipient != nil && $0.emergency == nil })
        world.handle(.drop([items[0].item]))
        world.handle(.release(items.dropFirst().map(\.item)))
        #expect(world.sent.count == items.count - 1)
        #expect(world.notifier.holdEnds == nil)
        #expect(outage.until < world.now)
    }

    @Test func `includes due tiers and unanswered signals`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.sent.count == 2)
        world.clear()
        world.sleep(hour)
        world.pass(.seconds(300))
        #expect(world.sent.isEmpty && held(world) == [emergency])
        world.handle(.release(held(world)))
        #expect(world.addresses == ["+60111000003"], "the next tier, at once")

        var other = World()
        other.receive(.sosRaised(Town.signal()))
        other.sleep(hour)
        other.pass(.seconds(300))
        #expect(other.sent.isEmpty && held(other) == [emergency])
        var dropped = other
        other.handle(.release(held(other)))
        #expect(other.sent.count == 2)
        dropped.handle(.drop(held(dropped)))
        dropped.pass(hour)
        #expect(dropped.sent.isEmpty && held(dropped).isEmpty)
    }

    @Test func `is released by an acknowledgement`() {
        var world = openedMeanwhile()
        world.pass(.seconds(30))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        #expect(world.emergency(Town.emergency(1))?.state == .acknowledged)
        #expect(held(world).isEmpty)
    }

    @Test func `includes records read with a new store, but nothing newer`() {
        var world = World()
        world.now = world.now + hour
        world.restart(
            after: Outage(from: .zero, until: world.now, holdEnds: world.now + .seconds(600)))
        world.pass(.seconds(1))
        let raised = World.start + .seconds(60)
        let late = EmergencyChange(
            emergency: Town.emergency(5), person: Town.citra.id, state: .open, trigger: .panic,
            signal: Town.emergency(5), raised: raised, countdownEnds: raised)
        world.receive(.emergencyOpened(late))
        #expect(!world.sent.isEmpty, "of a phone that had no network")
        #expect(world.sent.allSatisfy { !$0.text.contains("Late: due") })
        world.clear()
        world.receive(.emergencyOpened(Town.change(raised: raised)), happened: raised)
        #expect(world.sent.isEmpty && held(world) == [emergency])
        world.handle(.release([emergency]))
        #expect(!world.sent.isEmpty && world.sent.allSatisfy { $0.text.contains("Late: due") })
    }

    @Test func `is held even if its recipients are not known yet`() {
        var world = World()
        let directory = world.directory
        world.directory = Replica()
        world.sleep(hour)
        world.receive(.emergencyOpened(Town.change()), happened: World.start)
        #expect(held(world) == [emergency])
        world.directory = directory
        world.change(.circleChanged(Town.family))
        #expect(world.sent.isEmpty)
        world.handle(.release([emergency]))
        #expect(world.sent.count == 2)
    }

    @Test func `is not held after a short outage`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.now = world.now + .seconds(130)
        world.restart()
        world.pass(.seconds(10))
        #expect(world.addresses.contains("+60111000003") && held(world).isEmpty)
    }

    @Test func `is sent at the next start if the hold has ended by then`() {
        var world = openedMeanwhile()
        world.pass(.seconds(30))
        world.now = world.now + .seconds(700)
        world.restart()
        world.pass(.seconds(1))
        #expect(Set(world.addresses).isSuperset(of: ["+60111000002", "budi@example.org"]))
        #expect(held(world).isEmpty && world.notifier.holdEnds == nil)
    }

    @Test func `is not held after the hold has ended, whatever the clock says then`() {
        var world = World()
        world.sleep(hour)
        let end = world.now + .seconds(600)
        #expect(world.notifier.nextDeadline.map { $0 <= end } ?? false)
        world.pass(.seconds(601))
        world.now = world.now - .seconds(300)
        world.receive(.emergencyOpened(Town.change()), happened: World.start)
        #expect(world.sent.count == 2 && held(world).isEmpty)
    }
}
