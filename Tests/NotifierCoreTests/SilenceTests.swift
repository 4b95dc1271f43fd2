import Model
import NotifierCore
import Testing

/// Phones that are not heard.
@Suite struct SilenceTests {
    private func news(
        _ state: SilenceState, at time: Timestamp = World.start, isWatched: Bool = false,
        end: SilenceEnd? = nil
    ) -> SilenceNews {
        SilenceNews(
            person: Town.aisha.id, device: DeviceID(.zero), state: state, at: time,
            since: World.start - .seconds(3600), maxSilenceSeconds: 1800, isWatched: isWatched,
            fix: Town.fix(at: World.start - .seconds(3600)), end: end)
    }

    private let clock = WantedClock(
        id: ClockID(ID128(high: 6, low: 1)), rule: .contact, person: Town.aisha.id,
        emergency: Town.emergency(1), due: World.start)

    @Test func `the person is asked on everything, and nobody else hears of it`() {
        var world = World()
        world.tell(.silenceQuiet(news(.quiet)))
        #expect(world.sent.isEmpty)
        world.tell(.silenceOverdue(news(.overdue)))
        #expect(Set(world.addresses) == ["+60111000001", "aisha@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("Are you all right?") })
        #expect(world.sent.allSatisfy { !$0.text.contains("alarmed at") })
        #expect(world.notifications.allSatisfy { $0.severity == .safety })
    }

    @Test func `OK by SMS from whoever was asked is an answer, once they were`() {
        var world = World()
        func write(_ text: String, from sender: String) {
            let id = ID128(high: 55, low: UInt64(world.published.count))
            world.handle(.reply(Reply(id: id, sender: sender, text: text, trace: "t")))
        }
        func given() -> [Contact] {
            world.published.compactMap {
                if case .contactGiven(let contact) = $0 { contact } else { nil }
            }
        }
        write("OK", from: "+60111000001")
        world.tell(.silenceOverdue(news(.overdue)))
        write("OK", from: "+60111000002")
        write("OK 4711", from: "+60111000001")
        write("later", from: "+60111000001")
        #expect(given().isEmpty)
        write("ok.", from: "+60111000001")
        #expect(given().map(\.person) == [Town.aisha.id])
        #expect(given().first?.kind == .allRight)
    }

    @Test func `on a watch they hear when their circle is alarmed`() {
        var world = World()
        world.tell(.silenceOverdue(news(.overdue, isWatched: true)))
        #expect(world.sent.allSatisfy { $0.text.contains("your circle is alarmed at 02:25") })
    }

    @Test func `nobody is asked long after, nor while an emergency goes on`() {
        var world = World()
        world.tell(.silenceOverdue(news(.overdue, at: World.start - .seconds(901))))
        #expect(world.sent.isEmpty)
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        world.tell(.silenceOverdue(news(.overdue)))
        #expect(world.addresses.allSatisfy { $0 != "+60111000001" })
    }

    @Test func `guardians and admins hear once that there is no contact, and that there is again`()
    {
        var world = World()
        world.tell(.silenceLost(news(.lost)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org", "+60111000003"])
        #expect(world.sent.allSatisfy { $0.text.contains("No contact with Aisha since 01:20") })
        #expect(world.notifications.allSatisfy { $0.severity == .news })
        #expect(world.timeline.map(\.kind) == [.contactLost])
        world.clear()
        world.tell(.silenceEnded(news(.lost, end: .heard)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org", "+60111000003"])
        #expect(world.timeline.map(\.kind) == [.contactRestored])
    }

    @Test func `who does not share is not told of, and the reason is kept`() {
        var world = World()
        var circle = Town.family
        circle.members[0].sharing = .off
        world.change(.circleChanged(circle))
        world.tell(.silenceLost(news(.lost)))
        #expect(world.sent.isEmpty)
        #expect(
            world.timeline.first?.decisions.allSatisfy { $0.reason == .sharingOff } == true)
        #expect(world.timeline.first?.isShared == false)
    }

    @Test func `a silence that did not come so far ends without a word`() {
        var world = World()
        world.tell(.silenceEnded(news(.overdue, end: .answered)))
        world.tell(.silenceEnded(news(.lost, end: .changed)))
        #expect(world.sent.isEmpty && world.timeline.isEmpty)
    }

    @Test func `contact restored closes no emergency and stands beside it`() {
        var world = World()
        world.tell(.silenceLost(news(.lost, isWatched: true)))
        #expect(world.sent.isEmpty, "the emergency tells")
        world.tell(.emergencyOpened(Town.news(trigger: .lostContact)))
        #expect(world.sent.contains { $0.text.contains("contact lost") })
        world.clear()
        world.tell(.silenceEnded(news(.lost, end: .heard)))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.first?.emergency == Town.emergency(1))
        #expect(world.emergency(Town.emergency(1))?.state == .open)
    }

    @Test func `with every evaluator dead who is lost on a watch is told of all the same`() {
        var world = World()
        world.tell(.clockFired(FiredClock(clock: clock, fired: World.start)))
        world.pass(.seconds(2))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(world.sent.contains { $0.text.contains("contact lost") })
        #expect(world.emergency(Town.emergency(1))?.trigger == .lostContact)
    }

    @Test(arguments: [true, false])
    func `with every evaluator dead the emergency of a lost contact has the last position`(
        isLocatedFirst: Bool
    ) {
        var world = World()
        let place = EmergencyPlace(
            emergency: Town.emergency(1), person: Town.aisha.id,
            fix: Town.fix(at: World.start - .seconds(600)), battery: 41, trace: "t")
        let bodies: [EventBody] = [
            .clockFired(FiredClock(clock: clock, fired: World.start)), .sosLocated(place),
        ]
        for body in isLocatedFirst ? bodies.reversed() : bodies { world.tell(body) }
        world.pass(.seconds(3))
        let alarms = world.sent.filter { $0.text.contains("contact lost") }
        #expect(!alarms.isEmpty)
        #expect(alarms.allSatisfy { !$0.text.contains("No position known") }, "\(alarms)")
    }

    @Test(arguments: [true, false])
    func `a clock that was given up raises nothing, in whichever order it is heard of`(
        _ isFiredFirst: Bool
    ) {
        var world = World()
        let bodies: [EventBody] = [
            .clockFired(FiredClock(clock: clock, fired: World.start)), .clockUnwanted(clock),
        ]
        for body in isFiredFirst ? bodies : bodies.reversed() { world.tell(body) }
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty)
    }

    @Test func `what an evaluator opened is not opened again by the clock`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news(trigger: .lostContact)))
        world.clear()
        world.tell(.clockFired(FiredClock(clock: clock, fired: World.start)))
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty)
    }

    @Test func `a clock that is late tells of the suite's absence, not the person's`() {
        var world = World()
        world.tell(.clockFired(FiredClock(clock: clock, fired: World.start, late: true)))
        world.pass(.seconds(60))
        #expect(world.sent.isEmpty)
    }

    @Test func `a low battery is told to its person, in one message`() {
        var world = World()
        world.tell(
            .batteryLow(
                BatteryNews(
                    person: Town.aisha.id, device: DeviceID(.zero), battery: 14, mark: 15)))
        #expect(world.addresses == ["+60111000001"])
        #expect(world.sent.first?.text.contains("battery is at 14%") == true)
        #expect(world.timeline.map(\.kind) == [.batteryLow])
    }

    @Test func `that a phone may fall silent is told to its person and to those who guard them`() {
        var world = World()
        let news = Blindness(
            person: Town.aisha.id, device: DeviceID(.zero),
            hindrances: [.approximateLocation, .locationPermission], at: World.start)
        world.tell(.phoneBlind(news))
        #expect(world.addresses.contains("+60111000001") && world.addresses.count > 1)
        #expect(Set(world.addresses).count == world.addresses.count, "each once")
        #expect(
            world.sent.allSatisfy { $0.text.contains("the app may not know the location") })
        #expect(world.timeline.map(\.kind) == [.phoneBlind])
    }

    @Test func `that a phone may fall silent is its person's own affair where nobody else is told`()
    {
        var world = World(tellsGuardiansOfBlindness: false)
        world.tell(
            .phoneBlind(
                Blindness(
                    person: Town.aisha.id, device: DeviceID(.zero), hindrances: [.hibernation],
                    at: World.start)))
        #expect(world.addresses == ["+60111000001", "aisha@example.org"])
    }
}
