import Directory
import Model
import NotifierCore
import Testing

struct FallbackTests {
    @Test func `with every evaluator dead a panic is told three seconds after its countdown`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.pass(.milliseconds(12_999))
        #expect(world.sent.isEmpty)
        world.pass(.milliseconds(1))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(adopted(in: world) == [Town.emergency(1)])
        #expect(world.warnings.contains(.adopted(Town.emergency(1))))
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"], "the ladder climbs")
    }

    @Test func `the same holds for a watch that ran out`() {
        var world = World()
        world.tell(.watchExpired(Town.signal(countdown: .zero, trigger: .watchExpired)))
        world.pass(.seconds(3))
        #expect(world.sent.count == 2)
        #expect(world.sent.allSatisfy { $0.text.contains("watch ran out") })
    }

    @Test func `the fallback does not need the timer`() {
        var world = World()
        world.isTimerAlive = false
        world.tell(.sosRaised(Town.signal(countdown: .zero)))
        world.pass(.seconds(3) + Limits.clockGrace)
        #expect(world.sent.count == 2)
    }

    @Test(arguments: [-3600, -5, 5, 3600], [0, 10])
    func `a clock of ingest that runs ahead or behind makes no countdown longer`(
        ahead: Int64, countdown: Int64
    ) {
        var world = World()
        let told = Town.signal(at: world.now + .seconds(ahead), countdown: .seconds(countdown))
        world.tell(.sosRaised(told))
        world.pass(.seconds(max(0, min(countdown, countdown + ahead)) + 3) - .milliseconds(1))
        #expect(world.sent.isEmpty)
        world.pass(.milliseconds(1))
        #expect(adopted(in: world) == [Town.emergency(1)])
    }

    @Test(arguments: ["opened", "joined", "cancelled"])
    func `an evaluator's answer ends the wait`(answer: String) {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        #expect(world.wanted.values.map(\.rule) == [.fallback])
        switch answer {
        case "opened": world.tell(.emergencyOpened(Town.news()))
        case "joined": world.tell(.emergencyJoined(Town.news(9, signal: 1)))
        default: world.tell(.emergencyCancelled(Town.news(1, .cancelled)))
        }
        #expect(!world.wanted.values.contains { $0.rule == .fallback })
        world.clear()
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty)
    }

    @Test func `an answer that came before the signal counts`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.tell(.sosRaised(Town.signal()))
        #expect(!world.wanted.values.contains { $0.rule == .fallback })
    }

    @Test func `an evaluator that dies in the countdown takes no emergency along`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        world.pass(.seconds(13))
        #expect(world.sent.count == 2)
    }

    @Test func `a late opened tells nobody twice`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.pass(.seconds(13))
        world.clear()
        world.tell(.emergencyCountdown(Town.news(1, .countdown)))
        world.tell(.emergencyOpened(Town.news()))
        #expect(world.sent.isEmpty)
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.tell(.emergencyOpened(Town.news()))
        #expect(world.emergency(Town.emergency(1))?.state == .acknowledged)
    }

    @Test func `cancelled in the countdown without evaluators: nobody is told`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.pass(.seconds(9))
        world.tell(.sosCancelled(cancel(1)))
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `cancelled after the ladder was opened here: everyone told hears it`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.pass(.seconds(20))
        world.clear()
        world.tell(.sosCancelled(cancel(1)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("called it off") })
        world.clear()
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `once an evaluator knows of it, its word decides about a cancel`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.pass(.seconds(13))
        world.tell(.emergencyOpened(Town.news()))
        world.tell(.sosCancelled(cancel(1)))
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test func `a further signal joins the emergency that is open`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        world.tell(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("PRESSED AGAIN") })
        #expect(adopted(in: world) == [Town.emergency(2)])
        world.clear()
        world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        #expect(world.sent.isEmpty, "it was told already")
    }

    @Test func `two signals without evaluators are one emergency, named by the first`() {
        var world = World()
        world.tell(.sosRaised(Town.signal(1)))
        world.pass(.seconds(1))
        world.tell(.sosRaised(Town.signal(2, at: world.now, countdown: .zero)))
        world.pass(.seconds(3))
        #expect(world.emergencies.keys.sorted() == [Town.emergency(1)])
        #expect(world.sent.count == 2)
        world.clear()
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty, "the first one's wait has ended too")
    }

    @Test func `a signal adopted as its own and then joined elsewhere is folded in`() {
        var world = World()
        world.tell(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.tell(.emergencyOpened(Town.news(1)))
        world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        #expect(world.emergency(Town.emergency(2))?.state == .cancelled)
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test(arguments: ["opened", "joined"])
    func `evaluators that name it by another signal start no second ladder`(way: String) {
        var world = World()
        world.tell(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.pass(.seconds(60))
        let reference = world.emergency(Town.emergency(2))?.reference
        world.clear()
        if way == "opened" {
            world.tell(.emergencyOpened(Town.news(1)))
            world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        } else {
            world.tell(.emergencyJoined(Town.news(1, signal: 3)))
        }
        #expect(world.sent.isEmpty, "who was told is not told again")
        #expect(world.emergency(Town.emergency(2))?.state == .cancelled)
        #expect(world.emergency(Town.emergency(1))?.reference == reference)
        world.restart()
        world.pass(.seconds(59))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(world.addresses == ["+60111000003"], "the ladder climbs once, in its time")
        world.clear()
        world.tell(.emergencyResolved(Town.news(1, .resolved)))
        #expect(world.addresses.contains("+60111000002"))
        #expect(world.addresses.contains("+60111000003"))
        world.clear()
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `who has taken it has it under its other name too`() {
        var world = World()
        world.tell(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id), emergency: 2)))
        world.clear()
        world.tell(.emergencyOpened(Town.news(1)))
        #expect(world.sent.isEmpty)
        #expect(world.emergency(Town.emergency(1))?.taken?.by == Town.budi.id)
        world.pass(Limits.acknowledgementHold)
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"], "asked once")
    }

    @Test func `a panic that evaluators join to what is over here is told all the same`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.handle(.acknowledge(Town.command(1, by: .operator)))
        world.handle(.resolve(Town.command(2, by: .operator)))
        world.clear()
        world.pass(.seconds(60))
        world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `what began again is ended again, and everyone told hears it again`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        var ends: [EventID] = []
        for round in 1...2 as ClosedRange<UInt64> {
            if round == 2 {
                world.pass(.seconds(60))
                world.restart()
                world.tell(.emergencyJoined(Town.news(1, signal: 2)))
            }
            world.handle(.acknowledge(Town.command(round * 2, by: .operator)))
            world.clear()
            world.handle(.resolve(Town.command(round * 2 + 1, by: .operator)))
            #expect(world.addresses.contains("+60111000002"), "round \(round)")
            ends += world.effects.compactMap { effect in
                guard case .publish(let event) = effect, case .resolutionGiven = event.body
                else { return nil }
                return event.id
            }
        }
        #expect(ends.count == 2 && Set(ends).count == 2)
    }

    @Test func `its own ladder goes on when evaluators join it to what is over here`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.tell(.emergencyCancelled(Town.news(1, .cancelled)))
        world.tell(.sosRaised(Town.signal(2, countdown: .zero)))
        world.pass(.seconds(3))
        world.clear()
        world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `a press after a record of long ago is an emergency in full`() {
        var world = World()
        let raised = World.start - .seconds(26 * 3600)
        world.tell(.emergencyOpened(Town.news(late: true, raised: raised)))
        world.clear()
        world.tell(.emergencyJoined(Town.news(1, signal: 2, late: true, raised: raised)))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.hasPrefix("PRESSED AGAIN") })
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `an end decided here is told to evaluators that come back`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.pass(.seconds(20))
        world.tell(.sosCancelled(cancel(1)))
        #expect(
            world.published.contains {
                if case .resolutionGiven(let answer) = $0 {
                    answer.by == Town.aisha.id
                } else {
                    false
                }
            })
    }

    @Test(arguments: ["joined", "opened by the second press", "own ladder goes on"])
    func `an end tells which signals it knew`(way: String) {
        var world = World()
        var asked: UInt64 = 1
        switch way {
        case "joined":
            world.tell(.emergencyOpened(Town.news()))
            world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        case "opened by the second press":
            world.tell(.emergencyCountdown(Town.news(1, .countdown)))
            world.tell(.emergencyOpened(Town.news(1, signal: 2)))
        default:
            world.tell(.emergencyOpened(Town.news()))
            world.tell(.emergencyCancelled(Town.news(1, .cancelled)))
            world.tell(.sosRaised(Town.signal(2, countdown: .zero)))
            world.pass(.seconds(3))
            world.tell(.emergencyJoined(Town.news(1, signal: 2)))
            asked = 2
        }
        world.handle(.acknowledge(Town.command(1, by: .operator, emergency: asked)))
        world.handle(.resolve(Town.command(2, by: .operator, emergency: asked)))
        let known = world.published.compactMap { body in
            if case .resolutionGiven(let answer) = body { Set(answer.signals) } else { nil }
        }
        #expect(known == [[Town.emergency(1), Town.emergency(2)]])
    }

    @Test func `a later place is the one that is told`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        var news = Town.news(signal: 2)
        news.fix?.time = World.start + .seconds(30)
        news.fix?.position.latitudeE7 = 42_000_000
        world.tell(.emergencyJoined(news))
        #expect(world.sent.allSatisfy { $0.text.contains("mlat=4.20000") || $0.channel != .sms })
        #expect(world.emergency(Town.emergency(1))?.fix?.position.latitudeE7 == 42_000_000)
    }

    @Test func `an emergency is known by the ids of all its signals`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.tell(.emergencyJoined(Town.news(signal: 2)))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id), emergency: 2)))
        #expect(world.emergency(Town.emergency(1))?.taken?.by == Town.budi.id)
    }

    @Test func `acknowledging works while evaluators are dead`() {
        var world = World()
        world.tell(.sosRaised(Town.signal(countdown: .zero)))
        world.pass(.seconds(3))
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.pass(.seconds(600))
        #expect(world.sent.isEmpty)
    }

    @Test func `the wait survives a restart`() {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        world.restart()
        world.pass(.seconds(13))
        #expect(world.sent.count == 2)
        #expect(world.emergencies.count == 1)
    }

    @Test func `a signal heard late with its cancel behind it rings nowhere`() {
        var world = World()
        let signal = Town.signal()
        world.pass(.seconds(600))
        world.tell(.sosRaised(signal))
        world.pass(.seconds(1))
        world.tell(.sosCancelled(cancel(1)))
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `a signal heard late that nobody takes back rings after the wait`() {
        var world = World()
        let signal = Town.signal()
        world.pass(.seconds(600))
        world.tell(.sosRaised(signal))
        world.pass(Limits.fallbackWait - .milliseconds(1))
        #expect(world.sent.isEmpty)
        world.pass(.milliseconds(1))
        #expect(world.sent.count == 2)
    }

    @Test(arguments: [true, false])
    func `a cancel missed while the notifier was down is read first`(isCancelled: Bool) throws {
        var world = World()
        world.tell(.sosRaised(Town.signal()))
        let clock = try #require(world.wanted.values.first { $0.rule == .fallback })
        world.isTimerAlive = false
        world.now = World.start + .seconds(600)
        world.restart()
        world.tell(.clockFired(FiredClock(clock: clock, fired: clock.due)))
        #expect(world.sent.isEmpty)
        if isCancelled { world.tell(.sosCancelled(cancel(1))) }
        world.pass(Limits.fallbackWait)
        #expect(world.sent.count == (isCancelled ? 0 : 2))
        world.pass(.seconds(60))
        #expect(world.sent.count == (isCancelled ? 0 : 2))
    }

    private func adopted(in world: World) -> [EmergencyID] {
        world.published.compactMap { body in
            if case .ladderAdopted(let signal) = body { signal.id } else { nil }
        }
    }

    private func cancel(_ number: UInt64) -> EmergencyCancel {
        EmergencyCancel(
            id: EventID(.zero), person: Town.aisha.id, emergency: Town.emergency(number),
            received: World.start)
    }
}
