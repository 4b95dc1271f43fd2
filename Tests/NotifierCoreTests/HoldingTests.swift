import Directory
import Model
import NotifierCore
import Testing

@Suite struct `What became due while the notifier was away` {
    private let hour = Duration.seconds(3600)

    private func held(_ world: World) -> [Held] { world.notifier.heldItems.map(\.held) }

    private var emergency: Held { .emergency(Town.emergency(1)) }

    /// An emergency opened while nobody listened, read an hour later.
    private func openedMeanwhile() -> World {
        var world = World()
        world.sleep(hour)
        let raised = World.start + .seconds(60)
        world.tell(
            .sosRaised(Town.signal(at: raised)), happened: raised)
        world.tell(.emergencyOpened(Town.news(raised: raised)), happened: raised + .seconds(10))
        return world
    }

    @Test func `waits ten minutes, and goes out with a word about the delay`() {
        var world = openedMeanwhile()
        #expect(world.sent.isEmpty)
        #expect(held(world) == [emergency])
        #expect(world.notifier.heldItems.first?.due == World.start + .seconds(60))
        world.pass(.seconds(599))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        for delivery in world.sent {
            #expect(
                delivery.text.contains("Was due at 02:21 UTC, our server was down until 03:20 UTC"))
        }
        #expect(held(world).isEmpty)
        world.clear()
        world.pass(.seconds(119))
        #expect(world.sent.isEmpty, "the tier has its whole time from then on")
        world.pass(.seconds(1) + Limits.clockGrace)
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `a press of now is told as one of now, whatever is told of then`() {
        var world = openedMeanwhile()
        let then = World.start + .seconds(90)
        world.tell(.emergencyJoined(Town.news(signal: 2, joinedRaised: then)), happened: then)
        #expect(world.sent.isEmpty)
        world.pass(.seconds(12))
        world.tell(.emergencyJoined(Town.news(signal: 3, joinedRaised: world.now)))
        #expect(world.sent.allSatisfy { $0.text.contains("Was due") }, "it waited for this")
        world.clear()
        world.pass(.seconds(12))
        world.tell(.emergencyJoined(Town.news(signal: 4, joinedRaised: world.now)))
        #expect(world.sent.count == 2)
        for message in world.sent {
            #expect(message.text.contains("PRESSED AGAIN") && !message.text.contains("Was due"))
        }
    }

    @Test func `is sent at once when the operator says so`() {
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

    @Test func `that the operator drops is over, and nobody hears of it`() {
        var world = openedMeanwhile()
        world.handle(.drop([emergency]))
        #expect(world.emergency(Town.emergency(1))?.state == .resolved)
        let resolved = world.published.filter {
            if case .resolutionGiven(let answer) = $0 { answer.by == nil } else { false }
        }
        #expect(resolved.count == 1)
        world.pass(hour)
        #expect(world.sent.isEmpty && held(world).isEmpty)
        #expect(world.notifications.allSatisfy { $0.state == .expired })
    }

    @Test func `goes out as soon as the same person calls for help anew`() {
        var world = openedMeanwhile()
        world.pass(.seconds(30))
        world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        #expect(world.sent.count >= 2)
        #expect(held(world).isEmpty)
    }

    /// An emergency whose tier became due while nobody listened; back, and its clock is not heard
    /// of yet.
    private func climbingMeanwhile() -> World {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.isTimerAlive = false
        world.sleep(hour)
        world.clear()
        return world
    }

    @Test(arguments: [EmergencyTrigger.panic, .watchExpired])
    func `goes on where a call comes before the clock of its tier is heard of`(
        _ trigger: EmergencyTrigger
    ) {
        var world = climbingMeanwhile()
        #expect(held(world) == [emergency], "it is shown from the start")
        #expect(world.notifier.heldItems.first?.due == World.start + .seconds(120))
        world.pass(.milliseconds(100))
        let call = Town.signal(2, at: world.now, countdown: .zero, trigger: trigger)
        world.tell(trigger == .panic ? .sosRaised(call) : .watchExpired(call))
        world.tell(.emergencyJoined(Town.news(signal: 2, trigger: trigger)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        world.pass(Limits.clockGrace + .seconds(1))
        #expect(world.addresses.contains("+60111000003"), "the next tier")
        #expect(held(world).isEmpty && world.notifier.holdEnds == nil)
    }

    @Test func `goes on where a call comes before anything of it is held`() {
        var world = World()
        let works = world.gateway
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: .unreachable)
        }
        world.tell(.emergencyOpened(Town.news()))
        // The store was put back a moment later.
        world.gateway = works
        world.now = world.now + .milliseconds(500)
        world.restart(
            after: Outage(
                from: World.start, until: world.now, holdEnds: world.now + .seconds(600)))
        world.clear()
        #expect(held(world).isEmpty, "its messages are tried again later, its tier has its time")
        world.now = world.now + .milliseconds(100)
        world.tell(.emergencyJoined(Town.news(signal: 2)))
        world.pass(.seconds(60))
        #expect(held(world).isEmpty)
        #expect(world.notifications.allSatisfy { !$0.isPending })
    }

    @Test func `whose person says afterwards that it is over is over at once`() {
        var world = climbingMeanwhile()
        world.pass(.seconds(30))
        world.tell(.emergencyCancelled(Town.news(1, .cancelled, by: Town.aisha.id)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(held(world).isEmpty)

        var untold = openedMeanwhile()
        untold.pass(.seconds(30))
        untold.tell(.emergencyCancelled(Town.news(1, .cancelled, by: Town.aisha.id)))
        #expect(Set(untold.addresses) == ["+60111000002", "budi@example.org"])
        for delivery in untold.sent {
            #expect(delivery.text.contains("called it off"), "its outcome, in one message")
        }
        untold.clear()
        untold.pass(hour)
        #expect(untold.sent.isEmpty)
    }

    @Test func `climbs no more once somebody takes it`() {
        var world = climbingMeanwhile()
        world.pass(.seconds(30))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        #expect(Set(world.addresses) == ["+60111000001", "aisha@example.org"])
        #expect(held(world).isEmpty)
    }

    @Test func `is over by a signal taken back where no evaluator opened it, else it waits on`() {
        var opened = openedMeanwhile()
        var adopted = World()
        adopted.tell(.sosRaised(Town.signal()))
        adopted.pass(.seconds(13))
        adopted.isTimerAlive = false
        adopted.sleep(hour)
        adopted.pass(.seconds(30))
        adopted.clear()
        let cancel = EmergencyCancel(
            id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(1),
            received: adopted.now)
        for isOpened in [true, false] {
            var world = isOpened ? opened : adopted
            #expect(held(world) == [emergency])
            world.tell(.sosCancelled(cancel))
            #expect(held(world) == (isOpened ? [emergency] : []))
            #expect(
                Set(world.addresses) == (isOpened ? [] : ["+60111000002", "budi@example.org"]))
        }
        opened.handle(.release([emergency]))
        #expect(opened.sent.count == 2)
    }

    @Test func `goes on where the call was heard before it, and nobody answers that`() {
        var world = World()
        world.sleep(hour)
        world.pass(.milliseconds(100))
        world.tell(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        let raised = World.start + .seconds(60)
        world.tell(.emergencyOpened(Town.news(raised: raised)), happened: raised)
        #expect(held(world) == [emergency])
        world.pass(.seconds(10))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(held(world).isEmpty)
    }

    @Test func `says so of a watch that ran out meanwhile, in an emergency of before`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.sleep(hour)
        world.clear()
        world.pass(.seconds(30))
        let expiry = Town.signal(
            2, at: World.start + .seconds(1800), countdown: .zero, trigger: .watchExpired)
        world.tell(.watchExpired(expiry))
        world.tell(.emergencyJoined(Town.news(signal: 2, joined: .watchExpired)))
        let told = world.sent.filter { $0.text.contains("watch ran out") }
        #expect(Set(told.map(\.address)) == ["+60111000002", "budi@example.org"])
        for delivery in told {
            #expect(
                delivery.text.contains("Was due at 02:50 UTC, our server was down until 03:20 UTC"))
        }
    }

    @Test func `holds up nothing of what happens afterwards`() {
        var world = openedMeanwhile()
        world.pass(.seconds(30))
        let other = EmergencyNews(
            emergency: Town.emergency(5), person: Town.citra.id, state: .open, trigger: .panic,
            signal: Town.emergency(5), raised: world.now, countdownEnds: world.now)
        world.tell(.emergencyOpened(other))
        #expect(!world.sent.isEmpty)
        #expect(world.sent.allSatisfy { !$0.text.contains("Was due") })
        #expect(held(world) == [emergency])
    }

    @Test func `includes messages that had not left, each on its own where it is no emergency`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: .unreachable)
        }
        world.tell(.zoneEntered(Town.crossing()))
        #expect(!world.notifications.filter(\.isPending).isEmpty)
        world.clear()
        let outage = world.sleep(.seconds(300))
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt, outcome: .accepted)
        }
        world.pass(.seconds(5))
        #expect(world.sent.isEmpty)
        let items = world.notifier.heldItems
        #expect(!items.isEmpty && items.allSatisfy { $0.recipient != nil && $0.emergency == nil })
        world.handle(.drop([items[0].held]))
        world.handle(.release(items.dropFirst().map(\.held)))
        #expect(world.sent.count == items.count - 1)
        #expect(world.notifier.holdEnds == nil)
        #expect(outage.until < world.now)
    }

    @Test func `includes ladders whose time to climb came, and calls that nobody answered`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        #expect(world.sent.count == 2)
        world.clear()
        world.sleep(hour)
        world.pass(.seconds(300))
        #expect(world.sent.isEmpty && held(world) == [emergency])
        world.handle(.release(held(world)))
        #expect(world.addresses == ["+60111000003"], "the next tier, at once")

        var other = World()
        other.tell(.sosRaised(Town.signal()))
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

    @Test func `is taken by whoever acknowledges it meanwhile`() {
        var world = openedMeanwhile()
        world.pass(.seconds(30))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        #expect(world.emergency(Town.emergency(1))?.state == .acknowledged)
        #expect(held(world).isEmpty)
    }

    @Test func `is held where the store is new, and nothing that came to it since`() {
        var world = World()
        world.now = world.now + hour
        world.restart(
            after: Outage(from: .zero, until: world.now, holdEnds: world.now + .seconds(600)))
        world.pass(.seconds(1))
        let raised = World.start + .seconds(60)
        let late = EmergencyNews(
            emergency: Town.emergency(5), person: Town.citra.id, state: .open, trigger: .panic,
            signal: Town.emergency(5), raised: raised, countdownEnds: raised)
        world.tell(.emergencyOpened(late))
        #expect(!world.sent.isEmpty, "of a phone that had no network")
        #expect(world.sent.allSatisfy { !$0.text.contains("Was due") })
        world.clear()
        world.tell(.emergencyOpened(Town.news(raised: raised)), happened: raised)
        #expect(world.sent.isEmpty && held(world) == [emergency])
        world.handle(.release([emergency]))
        #expect(!world.sent.isEmpty && world.sent.allSatisfy { $0.text.contains("Was due") })
    }

    @Test func `is held also where nobody who is to be told is known yet`() {
        var world = World()
        let directory = world.directory
        world.directory = Replica()
        world.sleep(hour)
        world.tell(.emergencyOpened(Town.news()), happened: World.start)
        #expect(held(world) == [emergency])
        world.directory = directory
        world.change(.circleChanged(Town.family))
        #expect(world.sent.isEmpty)
        world.handle(.release([emergency]))
        #expect(world.sent.count == 2)
    }

    @Test func `is not held after a short absence`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.now = world.now + .seconds(130)
        world.restart()
        world.pass(.seconds(10))
        #expect(world.addresses.contains("+60111000003") && held(world).isEmpty)
    }

    @Test func `is told at the next start where the hold is over by then`() {
        var world = openedMeanwhile()
        world.pass(.seconds(30))
        world.now = world.now + .seconds(700)
        world.restart()
        world.pass(.seconds(1))
        #expect(Set(world.addresses).isSuperset(of: ["+60111000002", "budi@example.org"]))
        #expect(held(world).isEmpty && world.notifier.holdEnds == nil)
    }

    @Test func `is held no longer once the time is over, whatever the clock says then`() {
        var world = World()
        world.sleep(hour)
        let end = world.now + .seconds(600)
        #expect(world.notifier.nextDeadline.map { $0 <= end } ?? false)
        world.pass(.seconds(601))
        world.now = world.now - .seconds(300)
        world.tell(.emergencyOpened(Town.news()), happened: World.start)
        #expect(world.sent.count == 2 && held(world).isEmpty)
    }
}
