import Directory
import Model
import NotifierCore
import Testing

struct ZoneNewsTests {
    @Test func `guardians and admins hear once on each of their channels`() {
        var world = World()
        world.tell(.zoneEntered(Town.crossing()))
        #expect(
            Set(world.addresses) == ["+60111000002", "budi@example.org", "+60111000003"])
        #expect(world.sent.count == 3)
    }

    @Test func `the same event tells nobody twice`() {
        var world = World()
        let event = Event(
            id: EventID(ID128(high: 5, low: 5)), time: world.now,
            body: .zoneEntered(Town.crossing()))
        world.handle(.event(event))
        world.handle(.event(event))
        #expect(world.sent.count == 3)
    }

    @Test func `everybody's reason is kept`() {
        var world = World()
        world.tell(.zoneExited(Town.crossing(inside: false)))
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

    @Test func `a first decision is told to nobody`() {
        var world = World()
        world.tell(.zoneInitial(Town.crossing()))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.isEmpty)
    }

    @Test func `a private zone concerns nobody else`() {
        var world = World()
        var crossing = Town.crossing()
        crossing.circle = nil
        world.tell(.zoneEntered(crossing))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.isEmpty)
    }

    @Test(arguments: [
        (Sharing.off, NotifyReason.sharingOff),
        (.pausedUntil(World.start + .seconds(60)), .sharingPaused),
        (.pausedUntil(World.start - .seconds(60)), .zoneCrossed),
        (.on, .zoneCrossed),
    ])
    func `who does not share is not told of`(sharing: Sharing, reason: NotifyReason) {
        var world = World()
        var family = Town.family
        family.members[0].sharing = sharing
        world.change(.circleChanged(family))
        world.tell(.zoneEntered(Town.crossing()))
        #expect(world.sent.isEmpty == !reason.isTold)
        #expect(world.timeline.last?.decisions[1].reason == reason)
        #expect(world.timeline.last?.isShared == reason.isTold)
    }

    @Test func `precision zone names large zones without a place, and no small ones`() {
        var world = World()
        var family = Town.family
        family.members[0].precision = .zone
        world.change(.circleChanged(family))
        world.tell(.zoneEntered(Town.crossing(Town.kiosk)))
        #expect(world.timeline.last?.decisions[1].reason == .zoneTooSmall)
        #expect(world.sent.isEmpty)
        world.tell(.zoneEntered(Town.crossing(Town.school)))
        #expect(world.sent.count == 3)
        #expect(world.sent.allSatisfy { !$0.text.contains("3.139") && $0.text.contains("School") })
    }

    @Test func `news older than fifteen minutes is not told`() {
        var world = World()
        world.now = World.start + .seconds(15 * 60 + 1)
        world.tell(.zoneEntered(Town.crossing()))
        #expect(world.timeline.last?.decisions[1].reason == .tooOld)
        #expect(world.sent.isEmpty)
    }

    @Test(arguments: [CrossingReason.uncontradicted, .silence])
    func `what was held back grows old from when it was decided`(reason: CrossingReason) {
        var left = Town.crossing(inside: false)
        left.reason = reason
        // The longest that anything is held back, and then some minutes on the way.
        var world = World()
        world.now = World.start + .seconds(2000 + 14 * 60)
        world.tell(.zoneExited(left), happened: World.start + .seconds(2000))
        #expect(world.sent.count == 3)
        #expect(world.sent.allSatisfy { $0.text.contains("02:20") })
        // A fix of long ago was no news when it came.
        var old = World()
        old.now = World.start + .seconds(2000 + 15 * 60 + 1)
        old.tell(.zoneExited(left))
        #expect(old.sent.isEmpty)
        #expect(old.timeline.last?.decisions[1].reason == .tooOld)
    }

    @Test func `a transition that the zone does not want is not told`() {
        var world = World()
        var school = Town.school
        school.transitions = [.enter]
        world.change(.zoneChanged(school))
        world.tell(.zoneExited(Town.crossing(inside: false)))
        #expect(world.timeline.last?.decisions[1].reason == .transitionUnwanted)
        #expect(world.sent.isEmpty)
    }

    @Test func `who has no contact point is shown as unreachable`() {
        var world = World()
        var budi = Town.budi
        budi.contacts = []
        world.change(.personChanged(budi))
        world.tell(.zoneEntered(Town.crossing()))
        #expect(world.timeline.last?.decisions[1].reason == .unreachable)
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `two numbers of one person: the preferred one is told`() {
        var world = World()
        var citra = Town.citra
        citra.contacts.append(
            ContactPoint(
                id: ContactID(ID128(high: 3, low: 9)), channel: .sms, address: "+60111000033",
                rank: -1))
        world.change(.personChanged(citra))
        world.tell(.zoneEntered(Town.crossing()))
        #expect(world.addresses.contains("+60111000033"))
        #expect(!world.addresses.contains("+60111000003"))
    }

    @Test func `every reason is told or not, and those that are stand first`() {
        let told = NotifyReason.allCases.filter(\.isTold)
        #expect(told == Array(NotifyReason.allCases.prefix(30)))
        #expect(Set(NotifyReason.allCases.map(\.rawValue)).count == NotifyReason.allCases.count)
    }
}
