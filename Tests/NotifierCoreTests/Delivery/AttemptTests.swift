import Directory
import Model
import NotifierCore
import Testing

struct AttemptTests {
    /// A gateway with these outcomes in turn, then accepting.
    private func gateway(
        _ outcomes: [AttemptOutcome], retryAfter: Duration? = nil
    ) -> (OutgoingMessage) -> AttemptResult? {
        { delivery in
            let index = delivery.attempt - 1
            return AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: outcomes.indices.contains(index) ? outcomes[index] : .accepted,
                answer: "said \(delivery.attempt)", retryAfter: retryAfter)
        }
    }

    /// One recipient with one number.
    private func worldWithOneRecipient() -> World {
        var world = World()
        var family = Town.family
        family.members = [family.members[0], family.members[2]]
        world.change(.circleChanged(family))
        return world
    }

    private func states(of id: NotificationID, in world: World) -> [NotificationState] {
        world.published.compactMap { body in
            guard case .notificationChanged(let news) = body, news.notification == id else {
                return nil
            }
            return news.state
        }
    }

    @Test func `each state is published once and in order`() {
        var world = worldWithOneRecipient()
        world.receive(.zoneEntered(Town.crossing()))
        let id = world.sent[0].notification
        world.handle(.receipt(Receipt(notification: id, kind: .delivered)))
        world.handle(.receipt(Receipt(notification: id, kind: .delivered)))
        #expect(states(of: id, in: world) == [.queued, .sending, .accepted, .delivered])
    }

    @Test func `the attempt is saved before the network call`() {
        var world = worldWithOneRecipient()
        world.receive(.zoneEntered(Town.crossing()))
        let attempt = world.effects.firstIndex {
            if case .save(.attempt(let attempt)) = $0 { attempt.outcome == nil } else { false }
        }
        let send = world.effects.firstIndex { if case .send = $0 { true } else { false } }
        #expect(attempt != nil && send != nil && attempt! < send!)
    }

    @Test func `a message that no gateway can send falls over to the next channel`() {
        var world = World()
        var family = Town.family
        family.escalation = [EscalationTier(roles: [.guardian], channels: [.email])]
        world.change(.circleChanged(family))
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.channel == .email ? .unroutable : .accepted)
        }
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.addresses == ["budi@example.org", "+60111000002"])
    }

    @Test func `a temporary failure is retried with growing waits`() {
        var world = worldWithOneRecipient()
        world.gateway = gateway([.later, .later, .later])
        world.receive(.emergencyOpened(Town.change()))
        var waits: [Duration] = []
        var last = world.now
        for expected in 2...4 {
            while world.sent.count < expected, world.now - World.start < .seconds(60) {
                world.pass(.milliseconds(50))
            }
            waits.append(world.now - last)
            last = world.now
        }
        #expect(world.sent.count == 4)
        #expect(waits[0] <= .milliseconds(1050) && waits[2] > waits[0])
        #expect(Set(world.sent.map(\.messageID)).count == 1)
    }

    @Test func `a gateway's request to wait is honoured`() {
        var world = worldWithOneRecipient()
        world.gateway = gateway([.later], retryAfter: .seconds(40))
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(39))
        #expect(world.sent.count == 1)
        world.pass(.seconds(1))
        #expect(world.sent.count == 2)
    }

    @Test func `long waits are scheduled with the timer, short ones in memory`() {
        for (asked, isClock) in [(40, false), (90, true)] {
            var world = worldWithOneRecipient()
            world.gateway = gateway([.later], retryAfter: .seconds(asked))
            world.receive(.zoneEntered(Town.crossing()))
            #expect(world.scheduledDeadlines.values.contains { $0.kind == .retry } == isClock)
            world.pass(.seconds(asked))
            #expect(world.sent.count == 2)
        }
    }

    @Test(arguments: [true, false])
    func `a wait scheduled with the timer survives a restart`(isTimerAlive: Bool) {
        var world = worldWithOneRecipient()
        world.gateway = gateway([.later], retryAfter: .seconds(90))
        world.receive(.zoneEntered(Town.crossing()))
        world.pass(.seconds(30))
        world.restart()
        world.isTimerAlive = isTimerAlive
        world.pass(.seconds(59))
        #expect(world.sent.count == 1)
        world.pass(.seconds(1) + Limits.deadlineGrace)
        #expect(world.sent.map(\.attempt) == [1, 2])
        #expect(world.notifications.map(\.state) == [.accepted])
    }

    @Test func `routine messages that cannot be sent in time expire with a reason`() {
        var world = worldWithOneRecipient()
        world.gateway = gateway(.init(repeating: .later, count: 99))
        world.receive(.zoneEntered(Town.crossing()))
        world.pass(.seconds(1000))
        let id = world.sent[0].notification
        #expect(world.notification(id)?.state == .expired)
        let sent = world.sent.count
        world.pass(.seconds(3600))
        #expect(world.sent.count == sent)
    }

    @Test func `a rejected number is not retried; the next contact point is used`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address == "+60111000003" ? .rejected : .accepted)
        }
        var citra = Town.citra
        citra.contacts.append(
            ContactPoint(
                id: ContactID(ID128(high: 3, low: 7)), channel: .sms, address: "+60111000033",
                rank: 5, verified: .zero))
        world.change(.personChanged(citra))
        world.receive(.zoneEntered(Town.crossing()))
        world.pass(.seconds(800))
        #expect(world.addresses.filter { $0 == "+60111000003" }.count == 1)
        #expect(world.addresses.filter { $0 == "+60111000033" }.count == 1)
    }

    @Test func `after an unknown outcome an emergency is resent with the same reference and id`() {
        var world = worldWithOneRecipient()
        world.gateway = gateway([.unknown])
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(5))
        #expect(world.sent.count == 2)
        #expect(world.sent[0].messageID == world.sent[1].messageID)
        #expect(world.sent[0].text == world.sent[1].text)
        #expect(world.sent[0].token == world.sent[1].token)
        #expect(world.notification(world.sent[0].notification)?.state == .accepted)
    }

    @Test func `unknown outcomes limit the resends of an emergency`() {
        var world = worldWithOneRecipient()
        world.gateway = gateway(.init(repeating: .unknown, count: 99))
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(100))
        #expect(world.sent.count == 1 + Limits.unknownResendsMax)
    }

    @Test func `after an unknown outcome a zone notification is not resent`() {
        var world = worldWithOneRecipient()
        world.gateway = gateway([.unknown])
        world.receive(.zoneEntered(Town.crossing()))
        world.pass(.seconds(800))
        #expect(world.sent.count == 1)
        #expect(world.notification(world.sent[0].notification)?.state == .unknown)
    }

    @Test func `after a crash in-flight emergencies are resent, zone notifications are not`() {
        var world = worldWithOneRecipient()
        world.gateway = { _ in nil }
        world.receive(.zoneEntered(Town.crossing()))
        world.receive(.emergencyOpened(Town.change()))
        let before = world.sent
        #expect(before.count == 2)
        world.clear()
        world.gateway = gateway([])
        world.restart()
        world.pass(.seconds(5))
        #expect(world.sent.map(\.messageID) == [before[1].messageID])
        #expect(world.sent.map(\.attempt) == [2])
        #expect(world.notification(before[0].notification)?.state == .unknown)
        #expect(world.attempts.filter { $0.outcome == .unknown }.count == 2)
    }

    @Test func `an attempt without a result has an unknown outcome after a while`() {
        var world = worldWithOneRecipient()
        world.gateway = { _ in nil }
        world.receive(.zoneEntered(Town.crossing()))
        world.pass(Limits.attemptTimeout)
        #expect(world.notification(world.sent[0].notification)?.state == .unknown)
    }

    @Test func `the result of an old attempt changes nothing`() {
        var world = worldWithOneRecipient()
        world.gateway = gateway([.later])
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(5))
        world.handle(
            .attempted(
                AttemptResult(
                    notification: world.sent[0].notification, number: 1, outcome: .rejected)))
        #expect(world.notification(world.sent[0].notification)?.state == .accepted)
    }

    @Test func `rounds of an escalation do not pile up messages that wait for a gateway`() {
        var world = worldWithOneRecipient()
        world.gateway = gateway(.init(repeating: .unreachable, count: 999))
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(3600))
        world.gateway = World().gateway
        world.clear()
        world.pass(.seconds(60))
        #expect(world.addresses.filter { $0 == "+60111000003" }.count == 1)
    }

    @Test func `safety goes first, whatever the number of zone notifications`() {
        var world = World()
        var family = Town.family
        family.members = [family.members[0]]
        for number in 10..<110 as Range<UInt64> {
            let person = Town.person(number, "Guardian", sms: "+6011200\(number)", mail: nil)
            world.change(.personChanged(person))
            family.members.append(Town.member(person, .guardian, "G\(number)"))
        }
        world.change(.circleChanged(family))
        world.gateway = { _ in nil }
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.sent.count == Limits.routineInFlightMax * 3 / 4, "about one person")
        world.clear()
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.sent.map(\.isSafety) == Array(repeating: true, count: world.sent.count))
        #expect(world.sent.count == Limits.safetyInFlightMax * 3 / 4)
    }
}
