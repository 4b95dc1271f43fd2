import Directory
import Model
import NotifierCore
import Testing

struct AlarmTests {
    private static let phone = ContactPoint(
        id: ContactID(ID128(high: 1, low: 9)), channel: .push, address: "push-1", rank: 5)
    private static let tablet = ContactPoint(
        id: ContactID(ID128(high: 1, low: 10)), channel: .push, address: "push-2", rank: 6)

    private func world(push: [ContactPoint] = []) -> World {
        var world = World(gateways: [
            Gateway(name: "sms", channels: [.sms]), Gateway(name: "mail", channels: [.email]),
            Gateway(name: "push", channels: [.push]),
        ])
        var aisha = Town.aisha
        aisha.contacts += push
        world.change(.personChanged(aisha))
        var river = Town.school
        river.name = "River"
        river.kind = .alert
        river.transitions = []
        world.change(.zoneChanged(river))
        world.clear()
        return world
    }

    private func news(
        _ world: World, rings: Int = 1, presence: Presence = .inside, initial: Bool = false,
        speaks: Bool = true, end: AlarmEnd? = nil, circle: CircleID? = Town.familyID
    ) -> AlarmNews {
        AlarmNews(
            alarm: AlarmID(ID128(high: 6, low: 1)), person: Town.aisha.id, zone: Town.school.id,
            zoneName: "River", category: "", priority: 1, circle: circle, vibrates: true,
            sound: "", presence: presence, rings: rings, initial: initial, speaks: speaks,
            end: end, fix: Town.fix(at: world.now))
    }

    /// Addresses with the beginnings of what was told to them.
    private func heard(_ world: World) -> [String] {
        world.sent.map { "\($0.address) \($0.text.prefix { $0 != "," })" }.sorted()
    }

    @Test func `arming again where nobody has moved is heard again`() {
        var world = world()
        for _ in 1...2 {
            world.clear()
            world.tell(.alarmStarted(news(world, initial: true)))
            #expect(world.addresses.contains("+60111000003"))
            world.clear()
            world.tell(.alarmEnded(news(world, end: .disarmed)))
            #expect(world.addresses.contains("+60111000003"))
        }
    }

    @Test func `own phones ring each time, guardians hear start and end once`() {
        var world = world(push: [Self.phone, Self.tablet])
        world.tell(.alarmStarted(news(world)))
        #expect(
            heard(world) == [
                "+60111000002 Jaga: ALERT Aisha entered River",
                "+60111000003 Jaga: ALERT Aisha entered River",
                "budi@example.org Jaga: ALERT Aisha entered River",
                "push-1 Jaga: ALERT: you are in River", "push-2 Jaga: ALERT: you are in River",
            ])
        for rings in 2...4 {
            world.clear()
            world.pass(.seconds(60))
            world.tell(.alarmRepeated(news(world, rings: rings)))
            #expect(world.addresses.sorted() == ["push-1", "push-2"])
        }
        world.clear()
        world.tell(.alarmEnded(news(world, rings: 4, presence: .outside, end: .exit)))
        #expect(
            heard(world) == [
                "+60111000002 Jaga: Over: Aisha left River",
                "+60111000003 Jaga: Over: Aisha left River",
                "budi@example.org Jaga: Over: Aisha left River",
            ])
    }

    @Test func `without a push contact the first ring goes the preferred way, and no other`() {
        var world = world()
        world.tell(.alarmStarted(news(world, circle: nil)))
        #expect(world.addresses == ["+60111000001"])
        #expect(world.notifications.map(\.severity) == [.safety])
        world.tell(.alarmRepeated(news(world, rings: 2, circle: nil)))
        world.tell(.alarmEnded(news(world, rings: 2, end: .exit, circle: nil)))
        #expect(world.addresses == ["+60111000001"])
        #expect(world.timeline.isEmpty, "a private zone is nobody else's")
    }

    @Test func `an alarm for which another speaks does not ring`() {
        var world = world(push: [Self.phone])
        world.tell(.alarmStarted(news(world, speaks: false)))
        #expect(!world.addresses.contains("push-1") && world.sent.count == 3)
    }

    @Test func `a ring that comes late is left to the next`() {
        var world = world(push: [Self.phone])
        let event = Event(
            id: EventID(ID128(high: 5, low: 1)), time: world.now,
            body: .alarmStarted(news(world)))
        world.now = world.now + .seconds(16 * 60)
        world.handle(.event(event))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.last?.decisions[1].reason == .tooOld)
    }

    @Test(arguments: [
        (Presence.near, false, "Jaga: ALERT Aisha is near River"),
        (.inside, true, "Jaga: ALERT Aisha is in River"),
    ])
    func `near and found are told as such`(presence: Presence, initial: Bool, text: String) {
        var world = world()
        world.tell(.alarmStarted(news(world, presence: presence, initial: initial)))
        #expect(heard(world).contains("+60111000002 \(text)"))
    }

    @Test(arguments: [AlarmEnd.disarmed, .zoneChanged])
    func `the end of an alarm that is no way out says so`(end: AlarmEnd) {
        var world = world()
        world.tell(.alarmEnded(news(world, end: end)))
        #expect(heard(world).contains("+60111000002 Jaga: Over: the alarm of River for Aisha"))
    }

    @Test func `a crossing and the alarm of the same fix are one message`() {
        var world = world()
        guard var river = world.directory.zone(Town.school.id) else { return }
        river.transitions = [.enter, .exit]
        world.change(.zoneChanged(river))
        world.clear()
        var crossing = Town.crossing(river, at: world.now)
        crossing.zoneKind = .alert
        world.tell(.zoneEntered(crossing))
        #expect(world.sent.count == 3)
        world.tell(.alarmStarted(news(world, circle: Town.familyID)))
        #expect(world.sent.count == 4, "the person's own")
        #expect(world.timeline.map(\.kind) == [.entered, .alarmStarted])
        #expect(world.timeline.last?.decisions[1].reason == .alreadyTold)
    }

    @Test func `entering and alarm are one message also with a restart between them`() {
        var world = world()
        guard var river = world.directory.zone(Town.school.id) else { return }
        river.transitions = [.enter, .exit]
        world.change(.zoneChanged(river))
        world.clear()
        var crossing = Town.crossing(river, at: world.now)
        crossing.zoneKind = .alert
        world.tell(.zoneEntered(crossing))
        world.restart()
        world.clear()
        world.tell(.alarmStarted(news(world, circle: Town.familyID)))
        #expect(world.sent.count == 1, "the person's own")
    }

    @Test func `out but still near is no end; out of reach is, once`() {
        var world = world()
        guard var river = world.directory.zone(Town.school.id) else { return }
        river.transitions = [.enter, .exit]
        world.change(.zoneChanged(river))
        world.clear()
        var crossing = Town.crossing(river, inside: false, at: world.now)
        crossing.zoneKind = .alert
        crossing.after = .near
        world.tell(.zoneExited(crossing))
        #expect(heard(world).contains("+60111000002 Jaga: Aisha left River"))
        world.clear()
        world.tell(.alarmEnded(news(world, presence: .outside, end: .exit)))
        #expect(heard(world).contains("+60111000002 Jaga: Over: Aisha left River"))
        world.clear()
        crossing.after = .outside
        world.tell(.zoneExited(crossing))
        #expect(world.sent.isEmpty, "the end of the same fix")
    }

    @Test func `a zone that spoke for another rings for itself when its turn comes`() {
        var world = world()
        world.tell(.alarmStarted(news(world, rings: 0, speaks: false)))
        #expect(!world.addresses.contains("+60111000001"))
        world.tell(.alarmRepeated(news(world, rings: 1)))
        world.tell(.alarmRepeated(news(world, rings: 2)))
        #expect(world.addresses.count { $0 == "+60111000001" } == 1)
    }

    @Test(arguments: [Sharing.off, .pausedUntil(World.start + .seconds(3600))])
    func `while sharing is paused nobody hears, and one's own alarms go on`(sharing: Sharing) {
        var world = world(push: [Self.phone])
        var family = Town.family
        family.members[0].sharing = sharing
        world.change(.circleChanged(family))
        world.clear()
        world.tell(.alarmStarted(news(world)))
        world.tell(.alarmRepeated(news(world, rings: 2)))
        world.tell(.alarmEnded(news(world, rings: 2, end: .exit)))
        #expect(world.addresses == ["push-1", "push-1"])
        #expect(world.timeline.allSatisfy { !$0.isShared })
    }

    @Test func `the end because the zone is gone is told of whom exact places are seen`() {
        for precision in Precision.allCases {
            var world = world()
            var family = Town.family
            family.members[0].precision = precision
            world.change(.circleChanged(family))
            world.change(.zoneRemoved(ZoneRemoval(zone: Town.school.id)))
            world.clear()
            world.tell(.alarmEnded(news(world, end: .removed)))
            #expect(world.sent.isEmpty == (precision == .zone))
        }
    }
}
