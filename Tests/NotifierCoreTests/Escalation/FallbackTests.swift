import Directory
import Model
import NotifierCore
import Testing

struct FallbackTests {
    @Test func `with all evaluators down a panic is notified three seconds after its countdown`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.pass(.milliseconds(12_999))
        #expect(world.sent.isEmpty)
        world.pass(.milliseconds(1))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(openedByFallback(in: world) == [Town.emergency(1)])
        #expect(world.warnings.contains(.openedByFallback(Town.emergency(1))))
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"], "the escalation advances")
    }

    @Test func `the same applies to a watch that ended`() {
        var world = World()
        world.receive(.watchExpired(Town.signal(countdown: .zero, trigger: .watchExpired)))
        world.pass(.seconds(3))
        #expect(world.sent.count == 2)
        #expect(world.sent.allSatisfy { $0.text.contains("watch expired") })
    }

    @Test func `the fallback does not need the timer`() {
        var world = World()
        world.isTimerAlive = false
        world.receive(.sosRaised(Town.signal(countdown: .zero)))
        world.pass(.seconds(3) + Limits.deadlineGrace)
        #expect(world.sent.count == 2)
    }

    @Test(arguments: [-3600, -5, 5, 3600], [0, 10])
    func `a fast or slow clock of ingest makes no countdown longer`(
        ahead: Int64, countdown: Int64
    ) {
        var world = World()
        let notified = Town.signal(at: world.now + .seconds(ahead), countdown: .seconds(countdown))
        world.receive(.sosRaised(notified))
        world.pass(.seconds(max(0, min(countdown, countdown + ahead)) + 3) - .milliseconds(1))
        #expect(world.sent.isEmpty)
        world.pass(.milliseconds(1))
        #expect(openedByFallback(in: world) == [Town.emergency(1)])
    }

    @Test(arguments: ["opened", "joined", "cancelled"])
    func `an evaluator's answer cancels the fallback`(answer: String) {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        #expect(world.scheduledDeadlines.values.map(\.kind) == [.fallback])
        switch answer {
        case "opened": world.receive(.emergencyOpened(Town.change()))
        case "joined": world.receive(.emergencyJoined(Town.change(9, signal: 1)))
        default: world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
        }
        #expect(!world.scheduledDeadlines.values.contains { $0.kind == .fallback })
        world.clear()
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty)
    }

    @Test func `an answer before the signal counts`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.sosRaised(Town.signal()))
        #expect(!world.scheduledDeadlines.values.contains { $0.kind == .fallback })
    }

    @Test func `an evaluator crash during the countdown loses no emergency`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        world.pass(.seconds(13))
        #expect(world.sent.count == 2)
    }

    @Test func `a late record of the opening notifies nobody twice`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.pass(.seconds(13))
        world.clear()
        world.receive(.emergencyCountdown(Town.change(1, .countdown)))
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.sent.isEmpty)
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.emergency(Town.emergency(1))?.state == .acknowledged)
    }

    @Test func `a countdown cancelled without evaluators notifies nobody`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.pass(.seconds(9))
        world.receive(.sosCancelled(cancel(1)))
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `a cancellation after the fallback notifies all recipients`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.pass(.seconds(20))
        world.clear()
        world.receive(.sosCancelled(cancel(1)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("cancelled it") })
        world.clear()
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `once an evaluator knows of it, the evaluator decides about a cancellation`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.pass(.seconds(13))
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.sosCancelled(cancel(1)))
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test func `a further signal joins the open emergency`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        world.receive(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("PRESSED AGAIN") })
        #expect(openedByFallback(in: world) == [Town.emergency(2)])
        world.clear()
        world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        #expect(world.sent.isEmpty, "it was notified already")
    }

    @Test func `two signals without evaluators are one emergency, named by the first`() {
        var world = World()
        world.receive(.sosRaised(Town.signal(1)))
        world.pass(.seconds(1))
        world.receive(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        world.pass(.seconds(3))
        #expect(world.emergencies.keys.sorted() == [Town.emergency(1)])
        #expect(world.sent.count == 2)
        world.clear()
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty, "the first one's wait has ended too")
    }

    @Test func `a fallback emergency that evaluators joined elsewhere is merged`() {
        var world = World()
        world.receive(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.receive(.emergencyOpened(Town.change(1)))
        world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        #expect(world.emergency(Town.emergency(2))?.state == .cancelled)
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test(arguments: ["opened", "joined"])
    func `evaluators that name it by another signal start no second escalation`(way: String) {
        var world = World()
        world.receive(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.pass(.seconds(60))
        let reference = world.emergency(Town.emergency(2))?.reference
        world.clear()
        if way == "opened" {
            world.receive(.emergencyOpened(Town.change(1)))
            world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        } else {
            world.receive(.emergencyJoined(Town.change(1, signal: 3)))
        }
        #expect(world.sent.isEmpty, "nobody is notified twice")
        #expect(world.emergency(Town.emergency(2))?.state == .cancelled)
        #expect(world.emergency(Town.emergency(1))?.reference == reference)
        world.restart()
        world.pass(.seconds(59))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(world.addresses == ["+60111000003"], "the escalation advances once, in time")
        world.clear()
        world.receive(.emergencyResolved(Town.change(1, .resolved)))
        #expect(world.addresses.contains("+60111000002"))
        #expect(world.addresses.contains("+60111000003"))
        world.clear()
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `an acknowledgement counts under the new id, too`() {
        var world = World()
        world.receive(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id), emergency: 2)))
        world.clear()
        world.receive(.emergencyOpened(Town.change(1)))
        #expect(world.sent.isEmpty)
        #expect(world.emergency(Town.emergency(1))?.firstAcknowledgement?.by == Town.budi.id)
        world.pass(Limits.acknowledgementTimeout)
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"], "asked once")
    }

    @Test func `a panic that evaluators join to an emergency that ended here is notified`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.handle(.acknowledge(Town.command(1, by: .operator)))
        world.handle(.resolve(Town.command(2, by: .operator)))
        world.clear()
        world.pass(.seconds(60))
        world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `a reopened emergency ends again, and all recipients are notified again`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        var ends: [EventID] = []
        for round in 1...2 as ClosedRange<UInt64> {
            if round == 2 {
                world.pass(.seconds(60))
                world.restart()
                world.receive(.emergencyJoined(Town.change(1, signal: 2)))
            }
            world.handle(.acknowledge(Town.command(round * 2, by: .operator)))
            world.clear()
            world.handle(.resolve(Town.command(round * 2 + 1, by: .operator)))
            #expect(world.addresses.contains("+60111000002"), "round \(round)")
            ends += world.effects.compactMap { effect in
                guard case .publish(let event) = effect, case .resolutionCommitted = event.body
                else { return nil }
                return event.id
            }
        }
        #expect(ends.count == 2 && Set(ends).count == 2)
    }

    @Test func `its escalation continues if evaluators join it to an emergency that ended here`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
        world.receive(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.clear()
        world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `a call after a record-only signal is a full emergency`() {
        var world = World()
        let raised = World.start - .seconds(26 * 3600)
        world.receive(.emergencyOpened(Town.change(late: true, raised: raised)))
        world.clear()
        world.receive(.emergencyJoined(Town.change(1, signal: 2, late: true, raised: raised)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.hasPrefix("PRESSED AGAIN") })
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `an end decided here is published for evaluators that return`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.pass(.seconds(20))
        world.receive(.sosCancelled(cancel(1)))
        #expect(
            world.published.contains {
                if case .resolutionCommitted(let answer) = $0 {
                    answer.by == Town.aisha.id
                } else {
                    false
                }
            })
    }

    @Test(arguments: ["joined", "opened by the second press", "own escalation goes on"])
    func `an end names the signals it covers`(way: String) {
        var world = World()
        var asked: UInt64 = 1
        switch way {
        case "joined":
            world.receive(.emergencyOpened(Town.change()))
            world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        case "opened by the second press":
            world.receive(.emergencyCountdown(Town.change(1, .countdown)))
            world.receive(.emergencyOpened(Town.change(1, signal: 2)))
        default:
            world.receive(.emergencyOpened(Town.change()))
            world.receive(.emergencyCancelled(Town.change(1, .cancelled)))
            world.receive(.sosRaised(Town.signal(2, countdown: .zero)))
            world.pass(.seconds(3))
            world.receive(.emergencyJoined(Town.change(1, signal: 2)))
            asked = 2
        }
        world.handle(.acknowledge(Town.command(1, by: .operator, emergency: asked)))
        world.handle(.resolve(Town.command(2, by: .operator, emergency: asked)))
        let known = world.published.compactMap { body in
            if case .resolutionCommitted(let answer) = body { Set(answer.signals) } else { nil }
        }
        #expect(known == [[Town.emergency(1), Town.emergency(2)]])
    }

    @Test func `a newer position is used`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        var news = Town.change(signal: 2)
        news.fix?.time = World.start + .seconds(30)
        news.fix?.position.latitudeE7 = 42_000_000
        world.receive(.emergencyJoined(news))
        #expect(world.sent.allSatisfy { $0.text.contains("mlat=4.20000") || $0.channel != .sms })
        #expect(world.emergency(Town.emergency(1))?.fix?.position.latitudeE7 == 42_000_000)
    }

    @Test func `an emergency is found by the ids of all its signals`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.receive(.emergencyJoined(Town.change(signal: 2)))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id), emergency: 2)))
        #expect(world.emergency(Town.emergency(1))?.firstAcknowledgement?.by == Town.budi.id)
    }

    @Test func `acknowledging works while evaluators are down`() {
        var world = World()
        world.receive(.sosRaised(Town.signal(countdown: .zero)))
        world.pass(.seconds(3))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.pass(.seconds(600))
        #expect(world.sent.isEmpty)
    }

    @Test func `the fallback deadline survives a restart`() {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        world.restart()
        world.pass(.seconds(13))
        #expect(world.sent.count == 2)
        #expect(world.emergencies.count == 1)
    }

    @Test func `a late signal followed by its cancellation notifies nobody`() {
        var world = World()
        let signal = Town.signal()
        world.pass(.seconds(600))
        world.receive(.sosRaised(signal))
        world.pass(.seconds(1))
        world.receive(.sosCancelled(cancel(1)))
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `a late signal without a cancellation is notified after the wait`() {
        var world = World()
        let signal = Town.signal()
        world.pass(.seconds(600))
        world.receive(.sosRaised(signal))
        world.pass(Limits.fallbackWait - .milliseconds(1))
        #expect(world.sent.isEmpty)
        world.pass(.milliseconds(1))
        #expect(world.sent.count == 2)
    }

    @Test(arguments: [true, false])
    func `a cancellation missed while the notifier was down is read first`(isCancelled: Bool) throws
    {
        var world = World()
        world.receive(.sosRaised(Town.signal()))
        let deadline = try #require(world.scheduledDeadlines.values.first { $0.kind == .fallback })
        world.isTimerAlive = false
        world.now = World.start + .seconds(600)
        world.restart()
        world.receive(.deadlineExpired(ExpiredDeadline(deadline: deadline, expired: deadline.due)))
        #expect(world.sent.isEmpty)
        if isCancelled { world.receive(.sosCancelled(cancel(1))) }
        world.pass(Limits.fallbackWait)
        #expect(world.sent.count == (isCancelled ? 0 : 2))
        world.pass(.seconds(60))
        #expect(world.sent.count == (isCancelled ? 0 : 2))
    }

    private func openedByFallback(in world: World) -> [EmergencyID] {
        world.published.compactMap { body in
            if case .escalationFallbackOpened(let signal) = body { signal.id } else { nil }
        }
    }

    private func cancel(_ number: UInt64) -> EmergencyCancel {
        EmergencyCancel(
            id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(number),
            received: World.start)
    }
}
