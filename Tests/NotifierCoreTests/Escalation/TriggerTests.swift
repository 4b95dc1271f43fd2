import Directory
import Model
import Testing

@testable import NotifierCore

/// What triggers change for the person and for recipients.
struct TriggerTests {
    private static let asking = EmergencyTrigger.allCases.filter(\.rules.asksPerson)

    @Test(arguments: asking)
    func `the person is asked on every contact point, and the circle is not notified`(
        trigger: EmergencyTrigger
    ) {
        var world = World()
        var signal = Town.signal(countdown: .seconds(60), trigger: trigger)
        world.receive(.sosRaised(signal))
        var change = Town.change(1, .countdown, trigger: trigger)
        change.countdownEnds = signal.countdownEnds
        world.receive(.emergencyCountdown(change))
        world.pass(.seconds(1))
        #expect(world.addresses.sorted() == ["+60111000001", "aisha@example.org"], "once each")
        #expect(world.sent.allSatisfy { $0.text.contains("Are you OK?") })
        #expect(world.sent.allSatisfy { $0.text.contains("02:21") }, "when the circle is alerted")
        world.clear()
        world.pass(.seconds(58))
        #expect(world.sent.isEmpty)
        signal.id = Town.emergency(2)
        world.receive(.sosRaised(signal))
        #expect(world.sent.isEmpty, "a further signal opens it")
    }

    @Test(arguments: EmergencyTrigger.allCases.filter { !asking.contains($0) })
    func `other triggers ask nothing`(trigger: EmergencyTrigger) {
        var world = World()
        world.receive(.sosRaised(Town.signal(countdown: .seconds(60), trigger: trigger)))
        world.pass(.seconds(10))
        #expect(world.sent.isEmpty)
    }

    @Test func `nobody is asked late or after a cancel`() {
        var world = World()
        world.receive(.sosRaised(Town.signal(countdown: .zero, trigger: .fall)))
        #expect(world.sent.isEmpty)
        world = World()
        world.receive(
            .sosCancelled(
                EmergencyCancel(
                    id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(1),
                    received: world.now)))
        world.receive(.sosRaised(Town.signal(countdown: .seconds(60), trigger: .fall)))
        #expect(world.sent.isEmpty)
    }

    @Test func `an unsent question is dropped when the countdown is cancelled`() {
        var world = World()
        world.gateway = { _ in nil }
        var change = Town.change(1, .countdown, trigger: .zone)
        change.countdownEnds = world.now + .seconds(60)
        world.receive(.emergencyCountdown(change))
        world.receive(.emergencyCancelled(Town.change(1, .cancelled, trigger: .zone)))
        #expect(world.notifications.allSatisfy { !$0.isPending || $0.isInFlight })
    }

    @Test func `an emergency that only evaluators saw opens without them, too`() {
        var world = World()
        var change = Town.change(1, .countdown, trigger: .zone)
        change.countdownEnds = world.now + .seconds(60)
        world.receive(.emergencyCountdown(change))
        world.clear()
        world.pass(.seconds(63) - .milliseconds(1))
        #expect(world.sent.isEmpty)
        world.pass(.milliseconds(1))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("alert zone") })
    }

    // MARK: On behalf

    private func raised(by caller: Person = Town.budi) -> EmergencyChange {
        var change = Town.change(trigger: .guardian)
        change.raisedBy = caller.id
        return change
    }

    @Test func `a guardian's call names the guardian, also to the person`() {
        var world = World()
        world.receive(.emergencyOpened(raised()))
        let helpers = world.texts(to: Town.budi)
        #expect(!helpers.isEmpty && helpers.allSatisfy { $0.contains("called by Budi") })
        let own = world.texts(to: Town.aisha)
        #expect(own.count == 2 && own.allSatisfy { $0.contains("Budi called for help") })
        #expect(world.timeline.first { $0.kind == .emergencyOpened }?.by == Town.budi.id)
    }

    @Test func `a guardian's call that joins names the guardian`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        var change = Town.change(1, signal: 2, joined: .guardian)
        change.raisedBy = Town.citra.id
        world.receive(.emergencyJoined(change))
        #expect(world.texts(to: Town.budi).allSatisfy { $0.contains("called by Citra") })
        #expect(world.texts(to: Town.aisha).allSatisfy { $0.contains("Citra called for help") })
        #expect(world.timeline.first { $0.kind == .pressedAgain }?.by == Town.citra.id)
    }

    // MARK: Late

    @Test func `a late call says that the person was seen later`() {
        func text(sign: Int64?, late: Bool = true) -> String? {
            var world = World()
            var signal = Town.signal(at: world.now - .seconds(3600), countdown: .zero)
            signal.received = world.now
            signal.countdownEnds = world.now
            signal.signOfLife = sign.map { world.now - .seconds($0) }
            world.receive(.sosRaised(signal))
            world.receive(
                .emergencyOpened(Town.change(late: late, raised: world.now - .seconds(3600))))
            return world.texts(to: Town.budi).first
        }
        #expect(text(sign: 60)?.hasPrefix("1 h 0 min ago. Seen 02:19 UTC. SOS Aisha") == true)
        #expect(text(sign: nil)?.hasPrefix("1 h 0 min ago. SOS Aisha") == true)
        #expect(text(sign: 3700)?.contains("Seen") == false, "older than the call")
    }

    // MARK: Reopening

    private func reopen(_ world: inout World, _ request: UInt64, by person: Person = Town.aisha) {
        world.handle(.reopen(Town.command(request, by: .person(person.id))))
    }

    /// Aisha's emergency, ended by Budi.
    private func ended() -> World {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        world.pass(.seconds(1))
        world.clear()
        return world
    }

    private func status(_ world: World, _ request: UInt64) -> EmergencyStatus? {
        if case .status(let status)? = world.answers[request] { status } else { nil }
    }

    @Test func `the person reopens it for ten minutes after somebody else ended it`() throws {
        var world = ended()
        world.pass(.seconds(599))
        world.clear()
        reopen(&world, 3)
        let open = try #require(status(world, 3))
        #expect(open.state == .open)
        #expect(world.texts(to: Town.budi).contains { $0.contains("SOS Aisha") })
        let signal = try #require(
            world.published.compactMap {
                if case .escalationFallbackOpened(let signal) = $0 { signal } else { nil }
            }.first, "evaluators and ingest learn of it")
        #expect(signal.id == open.emergency && signal.trigger == .panic)
        // The evaluator's records of both come later and change nothing.
        world.clear()
        world.receive(.emergencyResolved(Town.change(1, .resolved, by: Town.budi.id)))
        var opened = Town.change()
        (opened.emergency, opened.signal) = (signal.id, signal.id)
        opened.raised = signal.raised
        world.receive(.emergencyOpened(opened))
        #expect(world.sent.isEmpty)
        #expect(world.emergency(signal.id)?.state == .open)
        world.pass(.seconds(120))
        #expect(!world.sent.isEmpty, "the escalation goes on")
        reopen(&world, 4)
        #expect(status(world, 4)?.emergency == open.emergency, "twice is once")
        world.acknowledge(5, by: Town.budi)
        world.resolve(6, by: Town.budi)
        #expect(world.emergency(signal.id)?.state == .resolved)
        var again = Town.command(7, by: .person(Town.aisha.id))
        again.emergency = signal.id
        world.handle(.reopen(again))
        #expect(status(world, 7)?.state == .open, "and again")
    }

    @Test func `nobody else reopens it, and not later`() {
        var world = ended()
        for (request, person) in [(3, Town.budi), (4, Town.eko)] as [(UInt64, Person)] {
            reopen(&world, request, by: person)
        }
        #expect(world.answers[3] == .denied(.personOnly) && world.answers[4] == .unknown)
        world.pass(.seconds(600))
        reopen(&world, 5)
        #expect(world.answers[5] == .notReopenable)
        #expect(world.emergencies.values.allSatisfy { !$0.state.isActive })
    }

    @Test func `one that the person cancelled or that is open is not reopened`() {
        var world = World()
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        reopen(&world, 1)
        #expect(world.answers[1] == .notYet)
        world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
        reopen(&world, 2)
        #expect(world.answers[2] == .notReopenable)
        world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        reopen(&world, 3)
        #expect(status(world, 3)?.state == .open && world.sent.isEmpty)
    }

    @Test func `reopening alerts the circle in which it ended, and leaves the id`() {
        var world = World.inTwoCircles()
        world.acknowledge(1, by: Town.budi)
        world.resolve(2, by: Town.budi)
        world.clear()
        reopen(&world, 3)
        #expect(status(world, 3)?.emergency == Town.emergency(1))
        #expect(world.emergency?.endedCircles == [])
        #expect(world.texts(to: Town.budi).contains { $0.contains("PRESSED AGAIN") })
    }
}
