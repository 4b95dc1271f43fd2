import Directory
import Model
import NotifierCore
import Testing

struct ZoneChangeTests {
    @Test func `guardians and admins are notified once on each of their channels`() {
        var world = World()
        world.receive(.zoneEntered(Town.crossing()))
        #expect(
            Set(world.addresses) == ["+60111000002", "budi@example.org", "+60111000003"])
        #expect(world.sent.count == 3)
    }

    @Test func `a repeated event notifies nobody twice`() {
        var world = World()
        let event = Event(
            id: EventID(ID128(high: 5, low: 5)), time: world.now,
            body: .zoneEntered(Town.crossing()))
        world.handle(.event(event))
        world.handle(.event(event))
        #expect(world.sent.count == 3)
    }

    @Test func `every member's reason is recorded`() {
        var world = World()
        world.receive(.zoneExited(Town.crossing(inside: false)))
        let record = world.timeline.last
        #expect(record?.kind == .left)
        #expect(
            record?.decisions == [
                NotifyDecision(recipient: Town.aisha.id, reason: .themselves),
                NotifyDecision(recipient: Town.budi.id, reason: .zoneCrossed),
                NotifyDecision(recipient: Town.citra.id, reason: .zoneCrossed),
                NotifyDecision(recipient: Town.dewi.id, reason: .role),
                NotifyDecision(recipient: Town.eko.id, reason: .notJoined),
            ])
    }

    @Test func `an initial presence notifies nobody`() {
        var world = World()
        world.receive(.zonePresenceEstablished(Town.crossing()))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.isEmpty)
    }

    @Test func `a private zone concerns nobody else`() {
        var world = World()
        var crossing = Town.crossing()
        crossing.circle = nil
        world.receive(.zoneEntered(crossing))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.isEmpty)
    }

    @Test(arguments: [
        (Sharing.off, NotifyReason.sharingOff),
        (.pausedUntil(World.start + .seconds(60)), .sharingPaused),
        (.pausedUntil(World.start - .seconds(60)), .zoneCrossed),
        (.on, .zoneCrossed),
    ])
    func `a person who does not share is not reported`(sharing: Sharing, reason: NotifyReason) {
        var world = World()
        var family = Town.family
        family.members[0].sharing = sharing
        world.change(.circleChanged(family))
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.sent.isEmpty == !reason.sendsMessage)
        #expect(world.timeline.last?.decisions[1].reason == reason)
        #expect(world.timeline.last?.isShared == reason.sendsMessage)
    }

    @Test func `precision zone names large zones without a position, and no small ones`() {
        var world = World()
        var family = Town.family
        family.members[0].precision = .zone
        world.change(.circleChanged(family))
        world.receive(.zoneEntered(Town.crossing(Town.kiosk)))
        #expect(world.timeline.last?.decisions[1].reason == .zoneTooSmall)
        #expect(world.sent.isEmpty)
        world.receive(.zoneEntered(Town.crossing(Town.school)))
        #expect(world.sent.count == 3)
        #expect(world.sent.allSatisfy { !$0.text.contains("3.139") && $0.text.contains("School") })
    }

    @Test func `a change older than fifteen minutes is not notified`() {
        var world = World()
        world.now = World.start + .seconds(15 * 60 + 1)
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.timeline.last?.decisions[1].reason == .tooOld)
        #expect(world.sent.isEmpty)
    }

    @Test(arguments: [CrossingReason.uncontradicted, .silence])
    func `the age of a held-back crossing counts from its decision`(reason: CrossingReason) {
        var left = Town.crossing(inside: false)
        left.reason = reason
        // The longest hold-back, and some minutes of transport.
        var world = World()
        world.now = World.start + .seconds(2000 + 14 * 60)
        world.receive(.zoneExited(left), happened: World.start + .seconds(2000))
        #expect(world.sent.count == 3)
        #expect(world.sent.allSatisfy { $0.text.contains("02:20") })
        // An old fix was too old when it came.
        var old = World()
        old.now = World.start + .seconds(2000 + 15 * 60 + 1)
        old.receive(.zoneExited(left))
        #expect(old.sent.isEmpty)
        #expect(old.timeline.last?.decisions[1].reason == .tooOld)
    }

    @Test func `a transition that the zone has off is not notified`() {
        var world = World()
        var school = Town.school
        school.transitions = [.enter]
        world.change(.zoneChanged(school))
        world.receive(.zoneExited(Town.crossing(inside: false)))
        #expect(world.timeline.last?.decisions[1].reason == .transitionOff)
        #expect(world.sent.isEmpty)
    }

    @Test func `a member without contact points is recorded as unreachable`() {
        var world = World()
        var budi = Town.budi
        budi.contacts = []
        world.change(.personChanged(budi))
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.timeline.last?.decisions[1].reason == .unreachable)
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `of two numbers of a person the preferred one is used`() {
        var world = World()
        var citra = Town.citra
        citra.contacts.append(
            ContactPoint(
                id: ContactID(ID128(high: 3, low: 9)), channel: .sms, address: "+60111000033",
                rank: -1, verified: .zero))
        world.change(.personChanged(citra))
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.addresses.contains("+60111000033"))
        #expect(!world.addresses.contains("+60111000003"))
    }

    @Test func `reasons that send a message come first in the list`() {
        let notified = NotifyReason.allCases.filter(\.sendsMessage)
        #expect(notified == Array(NotifyReason.allCases.prefix(notified.count)))
        #expect(Set(NotifyReason.allCases.map(\.rawValue)).count == NotifyReason.allCases.count)
    }
}
