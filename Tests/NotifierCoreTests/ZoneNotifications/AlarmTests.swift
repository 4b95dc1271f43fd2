import Directory
import Model
import NotifierCore
import Testing

struct AlarmTests {
    private static let phone = ContactPoint(
        id: ContactID(ID128(high: 1, low: 9)), channel: .push, address: "push-1", rank: 5,
        verified: .zero)
    private static let tablet = ContactPoint(
        id: ContactID(ID128(high: 1, low: 10)), channel: .push, address: "push-2", rank: 6,
        verified: .zero)

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

    private func change(
        _ world: World, rings: Int = 1, presence: Presence = .inside, initial: Bool = false,
        isAudible: Bool = true, end: AlarmEnd? = nil, circle: CircleID? = Town.familyID
    ) -> AlarmChange {
        AlarmChange(
            alarm: AlarmID(ID128(high: 6, low: 1)), person: Town.aisha.id, zone: Town.school.id,
            zoneName: "River", category: "", priority: 1, circle: circle, vibrates: true,
            sound: "", presence: presence, rings: rings, initial: initial, isAudible: isAudible,
            end: end, fix: Town.fix(at: world.now))
    }

    /// Addresses with the beginnings of their messages.
    private func notices(_ world: World) -> [String] {
        world.sent.map { "\($0.address) \($0.text.prefix { $0 != "," })" }.sorted()
    }

    @Test func `arming again without a movement is notified again`() {
        var world = world()
        for _ in 1...2 {
            world.clear()
            world.receive(.alarmStarted(change(world, initial: true)))
            #expect(world.addresses.contains("+60111000003"))
            world.clear()
            world.receive(.alarmEnded(change(world, end: .disarmed)))
            #expect(world.addresses.contains("+60111000003"))
        }
    }

    @Test func `own phones ring each time, guardians are notified of start and end once`() {
        var world = world(push: [Self.phone, Self.tablet])
        world.receive(.alarmStarted(change(world)))
        #expect(
            notices(world) == [
                "+60111000002 Jaga: ALERT Aisha entered River",
                "+60111000003 Jaga: ALERT Aisha entered River",
                "budi@example.org Jaga: ALERT Aisha entered River",
                "push-1 Jaga: ALERT: you are in River", "push-2 Jaga: ALERT: you are in River",
            ])
        for rings in 2...4 {
            world.clear()
            world.pass(.seconds(60))
            world.receive(.alarmRepeated(change(world, rings: rings)))
            #expect(world.addresses.sorted() == ["push-1", "push-2"])
        }
        world.clear()
        world.receive(.alarmEnded(change(world, rings: 4, presence: .outside, end: .exit)))
        #expect(
            notices(world) == [
                "+60111000002 Jaga: Alarm ended: Aisha left River",
                "+60111000003 Jaga: Alarm ended: Aisha left River",
                "budi@example.org Jaga: Alarm ended: Aisha left River",
            ])
    }

    @Test func `without a push contact only the first alarm goes to the preferred contact point`() {
        var world = world()
        world.receive(.alarmStarted(change(world, circle: nil)))
        #expect(world.addresses == ["+60111000001"])
        #expect(world.notifications.map(\.severity) == [.safety])
        world.receive(.alarmRepeated(change(world, rings: 2, circle: nil)))
        world.receive(.alarmEnded(change(world, rings: 2, end: .exit, circle: nil)))
        #expect(world.addresses == ["+60111000001"])
        #expect(world.timeline.isEmpty, "a private zone is nobody else's")
    }

    @Test func `an alarm that is not audible does not ring`() {
        var world = world(push: [Self.phone])
        world.receive(.alarmStarted(change(world, isAudible: false)))
        #expect(!world.addresses.contains("push-1") && world.sent.count == 3)
    }

    @Test func `a late alarm is left to the next repetition`() {
        var world = world(push: [Self.phone])
        let event = Event(
            id: EventID(ID128(high: 5, low: 1)), time: world.now,
            body: .alarmStarted(change(world)))
        world.now = world.now + .seconds(16 * 60)
        world.handle(.event(event))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.last?.decisions[1].reason == .tooOld)
    }

    @Test(arguments: [
        (Presence.near, false, "Jaga: ALERT Aisha is near River"),
        (.inside, true, "Jaga: ALERT Aisha is in River"),
    ])
    func `near and found inside have their own texts`(
        presence: Presence, initial: Bool, text: String
    ) {
        var world = world()
        world.receive(.alarmStarted(change(world, presence: presence, initial: initial)))
        #expect(notices(world).contains("+60111000002 \(text)"))
    }

    @Test(arguments: [AlarmEnd.disarmed, .zoneChanged])
    func `the end of an alarm without an exit has its own text`(end: AlarmEnd) {
        var world = world()
        world.receive(.alarmEnded(change(world, end: end)))
        #expect(notices(world).contains("+60111000002 Jaga: Alarm ended: Aisha"))
    }

    @Test func `a crossing and the alarm of the same fix are one message`() {
        var world = world()
        guard var river = world.directory.zone(Town.school.id) else { return }
        river.transitions = [.enter, .exit]
        world.change(.zoneChanged(river))
        world.clear()
        var crossing = Town.crossing(river, at: world.now)
        crossing.zoneKind = .alert
        world.receive(.zoneEntered(crossing))
        #expect(world.sent.count == 3)
        world.receive(.alarmStarted(change(world, circle: Town.familyID)))
        #expect(world.sent.count == 4, "the person's own")
        #expect(world.timeline.map(\.kind) == [.entered, .alarmStarted])
        #expect(world.timeline.last?.decisions[1].reason == .alreadyNotified)
    }

    @Test func `entry and alarm are one message, also across a restart`() {
        var world = world()
        guard var river = world.directory.zone(Town.school.id) else { return }
        river.transitions = [.enter, .exit]
        world.change(.zoneChanged(river))
        world.clear()
        var crossing = Town.crossing(river, at: world.now)
        crossing.zoneKind = .alert
        world.receive(.zoneEntered(crossing))
        world.restart()
        world.clear()
        world.receive(.alarmStarted(change(world, circle: Town.familyID)))
        #expect(world.sent.count == 1, "the person's own")
    }

    @Test func `an exit to the vicinity ends no alarm, an exit from it does, once`() {
        var world = world()
        guard var river = world.directory.zone(Town.school.id) else { return }
        river.transitions = [.enter, .exit]
        world.change(.zoneChanged(river))
        world.clear()
        var crossing = Town.crossing(river, inside: false, at: world.now)
        crossing.zoneKind = .alert
        crossing.after = .near
        world.receive(.zoneExited(crossing))
        #expect(notices(world).contains("+60111000002 Jaga: Aisha left River"))
        world.clear()
        world.receive(.alarmEnded(change(world, presence: .outside, end: .exit)))
        #expect(notices(world).contains("+60111000002 Jaga: Alarm ended: Aisha left River"))
        world.clear()
        crossing.after = .outside
        world.receive(.zoneExited(crossing))
        #expect(world.sent.isEmpty, "the end of the same fix")
    }

    @Test func `a zone that becomes audible rings itself`() {
        var world = world()
        world.receive(.alarmStarted(change(world, rings: 0, isAudible: false)))
        #expect(!world.addresses.contains("+60111000001"))
        world.receive(.alarmRepeated(change(world, rings: 1)))
        world.receive(.alarmRepeated(change(world, rings: 2)))
        #expect(world.addresses.count { $0 == "+60111000001" } == 1)
    }

    @Test(arguments: [Sharing.off, .pausedUntil(World.start + .seconds(3600))])
    func `while sharing is paused nobody is notified, but own alarms go on`(sharing: Sharing) {
        var world = world(push: [Self.phone])
        var family = Town.family
        family.members[0].sharing = sharing
        world.change(.circleChanged(family))
        world.clear()
        world.receive(.alarmStarted(change(world)))
        world.receive(.alarmRepeated(change(world, rings: 2)))
        world.receive(.alarmEnded(change(world, rings: 2, end: .exit)))
        #expect(world.addresses == ["push-1", "push-1"])
        #expect(world.timeline.allSatisfy { !$0.isShared })
    }

    @Test func `the end of a removed zone's alarm is notified to those who see exact positions`() {
        for precision in Precision.allCases {
            var world = world()
            var family = Town.family
            family.members[0].precision = precision
            world.change(.circleChanged(family))
            world.change(.zoneRemoved(ZoneRemoval(zone: Town.school.id)))
            world.clear()
            world.receive(.alarmEnded(change(world, end: .removed)))
            #expect(world.sent.isEmpty == (precision == .zone))
        }
    }
}
