import Directory
import Model
import NotifierCore
import Testing

struct EmergencyTests {
    @Test func `nobody is notified during the countdown, or if it is cancelled then`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        world.pass(.seconds(5))
        world.receive(.sosCancelled(cancel(at: world.now)))
        world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.isEmpty)
    }

    @Test func `a further call notifies every recipient once`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        world.receive(.emergencyJoined(Town.change(signal: 2)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("PRESSED AGAIN") })
        world.clear()
        world.receive(.emergencyJoined(Town.change(signal: 2)))
        #expect(world.sent.isEmpty)
    }

    @Test func `a stuck button notifies once per 30 s, and each call is recorded`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        for press in UInt64(2)...31 { world.receive(.emergencyJoined(Town.change(signal: press))) }
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.timeline.filter { $0.kind == .pressedAgain }.count == 30)
        #expect(world.timeline.last?.decisions.map(\.reason) == [.alreadyNotified])
        world.clear()
        world.pass(.seconds(30))
        world.clear()
        world.receive(.emergencyJoined(Town.change(signal: 32)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
    }

    @Test func `further calls within 30 s notify once, whatever their triggers`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        let triggers: [EmergencyTrigger] = [.panic, .shake, .fall, .crash, .noMotion]
        for press in UInt64(2)...31 {
            var news = Town.change(signal: press)
            news.joinedTrigger = triggers[Int(press) % triggers.count]
            world.receive(.emergencyJoined(news))
        }
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.timeline.filter { $0.kind == .pressedAgain }.count == 30)
    }

    @Test func `a call after the end informs the person again that nobody has responded`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(3600))
        func isTold() -> Bool { world.addresses.contains("+60111000001") }
        #expect(isTold())
        world.receive(.emergencyResolved(Town.change(1, .resolved, by: Town.aisha.id)))
        world.pass(.seconds(10))
        world.clear()
        world.receive(.emergencyJoined(Town.change(signal: 2, reopened: true)))
        world.pass(.seconds(3600))
        #expect(isTold())
    }

    @Test func `messages of an active emergency stay in memory`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        let first = world.sent[0].notification
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(.seconds(3 * 3600))
        let isHeld = world.notifier.delivery.isInMemory(first)
        world.restart()
        let isStillHeld = world.notifier.delivery.isInMemory(first)
        #expect(isHeld && isStillHeld)
        world.receive(.emergencyResolved(Town.change(1, .resolved)))
        world.pass(.seconds(3 * 3600))
        let isForgotten = !world.notifier.delivery.isInMemory(first)
        #expect(isForgotten)
    }

    @Test func `an own call joins another trigger that was just notified`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.emergencyJoined(Town.change(signal: 2, joined: .fall)))
        world.clear()
        world.receive(.emergencyJoined(Town.change(signal: 3, joined: .panic)))
        #expect(world.addresses.isEmpty)
        world.pass(.seconds(30))
        world.clear()
        world.receive(.emergencyJoined(Town.change(signal: 4, joined: .panic)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
    }

    @Test func `a call right after an acknowledgement notifies everyone again`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.emergencyJoined(Town.change(signal: 2)))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.receive(.emergencyJoined(Town.change(signal: 3, reopened: true)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test(arguments: [true, false], [true, false])
    func `a watch that ends meanwhile is named, whichever record is read first`(
        isTaken: Bool, isSignalFirst: Bool
    ) {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        if isTaken {
            world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        }
        world.clear()
        let at = world.now + .seconds(600)
        let expiry = Town.signal(2, at: at, countdown: .zero, trigger: .watchExpired)
        let joined = Town.change(signal: 2, joined: .watchExpired, joinedRaised: at)
        if isSignalFirst { world.receive(.watchExpired(expiry)) }
        world.receive(.emergencyJoined(joined))
        if !isSignalFirst { world.receive(.watchExpired(expiry)) }
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        for delivery in world.sent {
            #expect(delivery.text.contains("ANOTHER ALARM"))
            #expect(delivery.text.contains("watch expired, 02:30"))
        }
        guard isTaken else { return }
        world.clear()
        world.restart()
        world.pass(.seconds(125))
        #expect(world.addresses == ["+60111000003"])
        #expect(world.sent[0].text.contains("watch expired, 02:30"))
    }

    @Test func `a text says that somebody called again only if that is known`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        world.receive(.emergencyJoined(Town.change(signal: 2, joined: nil)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("ANOTHER ALARM") })
    }

    @Test func `a further call after an acknowledgement restarts the escalation`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.receive(.emergencyJoined(Town.change(signal: 2, reopened: true)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.emergency(Town.emergency(1))?.state == .open)
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `an acknowledgement notifies all recipients and stops the escalation`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(120))
        world.clear()
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        #expect(
            Set(world.addresses) == ["+60111000003", "+60111000001", "aisha@example.org"],
            "all but Budi himself, and the person in danger")
        #expect(world.sent.allSatisfy { $0.text.contains("Budi is responding") })
        world.clear()
        world.pass(.seconds(15 * 60 - 1))
        #expect(world.sent.isEmpty)
    }

    @Test func `an expired acknowledgement reminds its responder, then resumes the escalation`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(.seconds(15 * 60 - 1))
        world.clear()
        world.pass(.seconds(1))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("Are you still helping Aisha?") })
        world.clear()
        world.pass(.seconds(120))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("NO ANSWER YET") })
        #expect(world.timeline.contains { $0.kind == .resumed })
    }

    @Test func `a confirmation renews the acknowledgement for 15 minutes`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.pass(.seconds(15 * 60 + 30))
        world.handle(.acknowledge(Town.command(2, by: .person(Town.budi.id))))
        world.clear()
        world.pass(.seconds(15 * 60 - 1))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(world.sent.allSatisfy { $0.text.contains("Are you still helping") })
        #expect(!world.sent.isEmpty)
    }

    @Test func `the acknowledgement timeout survives a restart`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.restart()
        world.pass(.seconds(15 * 60))
        #expect(world.sent.contains { $0.text.contains("Are you still helping") })
    }

    @Test func `the stand-down goes to all recipients and to the person`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
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
                    isOwn ? "Citra ended your emergency. Are you safe?" : "ended by Citra")
            })
        world.clear()
        world.receive(.emergencyResolved(Town.change(1, .resolved, by: Town.citra.id)))
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty, "the evaluator's word is no news")
    }

    @Test func `a cancellation by the person notifies all recipients`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        world.receive(.emergencyCancelled(Town.change(1, .cancelled, by: Town.aisha.id)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("Aisha cancelled it") })
    }

    @Test func `messages unsent before the end become one message about the outcome`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: .unreachable)
        }
        world.receive(.emergencyOpened(Town.change()))
        world.gateway = World().gateway
        world.clear()
        world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
        world.pass(.seconds(600))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("cancelled it") })
    }

    @Test func `an emergency opened after its countdown was cancelled here is notified`() {
        var world = World()
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        world.receive(.sosCancelled(cancel(at: world.now)))
        world.receive(.emergencyOpened(Town.change()))
        #expect(!world.sent.isEmpty, "the evaluator has the last word")
    }

    @Test func `an acknowledgement read from a stream counts in a restored store`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.emergencyAcknowledged(Town.change(1, .acknowledged, by: Town.budi.id)))
        #expect(world.emergency(Town.emergency(1))?.state == .acknowledged)
        world.clear()
        world.pass(.seconds(600))
        #expect(world.sent.isEmpty)
    }

    @Test func `the owner of a watch is reminded before it ends`() {
        var world = World()
        let deadline = World.start + .seconds(300)
        var watch = Watch(
            id: WatchID(.zero), person: Town.aisha.id, started: World.start, deadline: deadline)
        world.receive(.watchChanged(watch))
        #expect(world.sent.isEmpty)
        watch.state = .reminded
        watch.version += 1
        world.receive(.watchChanged(watch))
        #expect(Set(world.addresses) == ["+60111000001", "aisha@example.org"])
        #expect(world.sent.allSatisfy { $0.isSafety && $0.text.contains("02:25 UTC") })
    }

    private func cancel(at time: Timestamp) -> EmergencyCancel {
        EmergencyCancel(
            id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(1),
            received: time)
    }
}
