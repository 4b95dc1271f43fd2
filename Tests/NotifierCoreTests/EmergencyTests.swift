import Directory
import Model
import NotifierCore
import Testing

struct EmergencyTests {
    @Test func `nobody is told while it counts down, nor when it is cancelled then`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        world.pass(.seconds(5))
        world.tell(.sosCancelled(cancel(at: world.now)))
        world.tell(.emergencyCancelled(Town.news(1, .cancelled)))
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.isEmpty)
    }

    @Test func `pressed again: everyone told hears it once`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        world.tell(.emergencyJoined(Town.news(signal: 2)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("PRESSED AGAIN") })
        world.clear()
        world.tell(.emergencyJoined(Town.news(signal: 2)))
        #expect(world.sent.isEmpty)
    }

    @Test func `a button that sticks is told once in 30 s, and each press is on record`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        for press in UInt64(2)...31 { world.tell(.emergencyJoined(Town.news(signal: press))) }
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.timeline.filter { $0.kind == .pressedAgain }.count == 30)
        #expect(world.timeline.last?.decisions.map(\.reason) == [.alreadyTold])
        world.clear()
        world.pass(.seconds(30))
        world.clear()
        world.tell(.emergencyJoined(Town.news(signal: 32)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
    }

    @Test func `further calls within 30 s notify once, whatever their triggers`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        let triggers: [EmergencyTrigger] = [.panic, .shake, .fall, .crash, .noMotion]
        for press in UInt64(2)...31 {
            var news = Town.news(signal: press)
            news.joinedTrigger = triggers[Int(press) % triggers.count]
            world.tell(.emergencyJoined(news))
        }
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.timeline.filter { $0.kind == .pressedAgain }.count == 30)
    }

    @Test func `whoever calls again after the end hears again that nobody has answered`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.pass(.seconds(3600))
        func isTold() -> Bool { world.addresses.contains("+60111000001") }
        #expect(isTold())
        world.tell(.emergencyResolved(Town.news(1, .resolved, by: Town.aisha.id)))
        world.pass(.seconds(10))
        world.clear()
        world.tell(.emergencyJoined(Town.news(signal: 2, reopened: true)))
        world.pass(.seconds(3600))
        #expect(isTold())
    }

    @Test func `what was told of an emergency is known as long as it goes on`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        let first = world.sent[0].notification
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(.seconds(3 * 3600))
        let isHeld = world.notifier.holds(first)
        world.restart()
        let isHeldAnew = world.notifier.holds(first)
        #expect(isHeld && isHeldAnew)
        world.tell(.emergencyResolved(Town.news(1, .resolved)))
        world.pass(.seconds(3 * 3600))
        let isForgotten = !world.notifier.holds(first)
        #expect(isForgotten)
    }

    @Test func `a press joins another kind of call that everyone was notified of a moment ago`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.tell(.emergencyJoined(Town.news(signal: 2, joined: .fall)))
        world.clear()
        world.tell(.emergencyJoined(Town.news(signal: 3, joined: .panic)))
        #expect(world.addresses.isEmpty)
        world.pass(.seconds(30))
        world.clear()
        world.tell(.emergencyJoined(Town.news(signal: 4, joined: .panic)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
    }

    @Test func `a press a moment after somebody took it calls everyone again`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.tell(.emergencyJoined(Town.news(signal: 2)))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.tell(.emergencyJoined(Town.news(signal: 3, reopened: true)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test(arguments: [true, false], [true, false])
    func `a watch that runs out meanwhile says so, whichever word of it is read first`(
        isTaken: Bool, isSignalFirst: Bool
    ) {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        if isTaken {
            world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        }
        world.clear()
        let at = world.now + .seconds(600)
        let expiry = Town.signal(2, at: at, countdown: .zero, trigger: .watchExpired)
        let joined = Town.news(signal: 2, joined: .watchExpired, joinedRaised: at)
        if isSignalFirst { world.tell(.watchExpired(expiry)) }
        world.tell(.emergencyJoined(joined))
        if !isSignalFirst { world.tell(.watchExpired(expiry)) }
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        for delivery in world.sent {
            #expect(delivery.text.contains("ANOTHER ALARM"))
            #expect(delivery.text.contains("watch ran out unanswered, 02:30"))
        }
        guard isTaken else { return }
        world.clear()
        world.restart()
        world.pass(.seconds(125))
        #expect(world.addresses == ["+60111000003"])
        #expect(world.sent[0].text.contains("watch ran out unanswered, 02:30"))
    }

    @Test func `nobody is said to have pressed where that is not known`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        world.tell(.emergencyJoined(Town.news(signal: 2, joined: nil)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("ANOTHER ALARM") })
    }

    @Test func `pressed again after somebody took it: the ladder climbs anew`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.tell(.emergencyJoined(Town.news(signal: 2, reopened: true)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.emergency(Town.emergency(1))?.state == .open)
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `everyone told hears who took it, and the ladder stops`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.pass(.seconds(120))
        world.clear()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        #expect(
            Set(world.addresses) == ["+60111000003", "+60111000001", "aisha@example.org"],
            "all but Budi himself, and the person in danger")
        #expect(world.sent.allSatisfy { $0.text.contains("Budi has taken") })
        world.clear()
        world.pass(.seconds(15 * 60 - 1))
        #expect(world.sent.isEmpty)
    }

    @Test func `after the hold whoever took it is asked, then the ladder goes on`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(.seconds(15 * 60 - 1))
        world.clear()
        world.pass(.seconds(1))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("Still on the alarm of Aisha?") })
        world.clear()
        world.pass(.seconds(120))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("NO ANSWER YET") })
        #expect(world.timeline.contains { $0.kind == .resumed })
    }

    @Test func `whoever confirms holds for another quarter of an hour`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(.seconds(15 * 60 + 30))
        world.handle(.acknowledge(Town.command(2, by: .person(Town.budi.id))))
        world.clear()
        world.pass(.seconds(15 * 60 - 1))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(world.sent.allSatisfy { $0.text.contains("Still on the alarm") })
        #expect(!world.sent.isEmpty)
    }

    @Test func `the hold goes on after a restart`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.restart()
        world.pass(.seconds(15 * 60))
        #expect(world.sent.contains { $0.text.contains("Still on the alarm") })
    }

    @Test func `stand-down goes to everyone told, and to the person`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.pass(.seconds(120))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.citra.id))))
        world.clear()
        world.handle(.resolve(Town.command(2, by: .person(Town.citra.id))))
        #expect(
            Set(world.addresses) == [
                "+60111000002", "budi@example.org", "+60111000003", "+60111000001",
                "aisha@example.org",
            ])
        #expect(
            world.sent.allSatisfy { message in
                let isOwn = ["+60111000001", "aisha@example.org"].contains(message.address)
                return message.text.contains(
                    isOwn ? "Citra ended your emergency. Right?" : "resolved by Citra")
            })
        world.clear()
        world.tell(.emergencyResolved(Town.news(1, .resolved, by: Town.citra.id)))
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty, "the evaluator's word is no news")
    }

    @Test func `called off by the person: everyone told hears it`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        world.tell(.emergencyCancelled(Town.news(1, .cancelled, by: Town.aisha.id)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("Aisha called it off") })
    }

    @Test func `what was not sent before the end is told as its outcome, in one message`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: .unreachable)
        }
        world.tell(.emergencyOpened(Town.news()))
        world.gateway = World().gateway
        world.clear()
        world.tell(.emergencyCancelled(Town.news(1, .cancelled)))
        world.pass(.seconds(600))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("called it off") })
    }

    @Test func `an emergency opened after its countdown was cancelled here is told`() {
        var world = World()
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        world.tell(.sosCancelled(cancel(at: world.now)))
        world.tell(.emergencyOpened(Town.news()))
        #expect(!world.sent.isEmpty, "the evaluator has the last word")
    }

    @Test func `an acknowledgement heard from elsewhere counts in a store that lost it`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.tell(.emergencyAcknowledged(Town.news(1, .acknowledged, by: Town.budi.id)))
        #expect(world.emergency(Town.emergency(1))?.state == .acknowledged)
        world.clear()
        world.pass(.seconds(600))
        #expect(world.sent.isEmpty)
    }

    @Test func `a watch's owner is asked before it runs out`() {
        var world = World()
        let deadline = World.start + .seconds(300)
        var watch = Watch(
            id: WatchID(.zero), person: Town.aisha.id, started: World.start, deadline: deadline)
        world.tell(.watchChanged(watch))
        #expect(world.sent.isEmpty)
        watch.state = .reminded
        world.tell(.watchChanged(watch))
        #expect(Set(world.addresses) == ["+60111000001", "aisha@example.org"])
        #expect(world.sent.allSatisfy { $0.isSafety && $0.text.contains("02:25 UTC") })
    }

    private func cancel(at time: Timestamp) -> EmergencyCancel {
        EmergencyCancel(
            id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(1),
            received: time)
    }
}
