import Directory
import Model
import NotifierCore
import Testing

/// Zone notifications other than entry and exit.
struct ZoneKindTests {
    private func world(_ transitions: [Transition], audience: ZoneAudience? = nil) -> World {
        var world = World()
        var school = Town.school
        school.transitions = transitions
        school.audience = audience
        world.change(.zoneChanged(school))
        world.clear()
        return world
    }

    private func absence(_ hasContact: Bool) -> ZoneAbsence {
        ZoneAbsence(
            person: Town.aisha.id, zone: Town.school.id, zoneName: "School",
            circle: Town.familyID, by: World.start, fix: Town.fix(at: World.start - .seconds(60)),
            hasContact: hasContact)
    }

    private func passing(inside: Bool) -> ZoneCrossing {
        var crossing = Town.crossing(inside: inside)
        crossing.interpolated = true
        crossing.reason = .passedThrough
        return crossing
    }

    @Test(arguments: [Transition.approach, .dwell, .absent])
    func `a transition that a zone has on is notified, others are recorded with a reason`(
        transition: Transition
    ) {
        let bodies: [(Transition, EventBody, NotifyReason)] = [
            (.approach, .zoneApproached(Town.crossing(inside: false)), .zoneApproached),
            (.dwell, .zoneDwelled(Town.crossing()), .zoneDwelled),
            (.absent, .zoneAbsent(absence(true)), .zoneAbsent),
        ]
        for (scheduledDeadlines, body, reason) in bodies {
            var world = world([transition])
            world.receive(body)
            let isWanted = scheduledDeadlines == transition
            #expect(world.sent.count == (isWanted ? 3 : 0))
            #expect(
                world.timeline.last?.decisions[1].reason
                    == (isWanted ? reason : .transitionOff))
        }
    }

    @Test func `guardians are notified once of a passage through an alert zone`() {
        var pit = Town.school
        pit.kind = .alert
        pit.transitions = [.enter, .exit, .cross]
        var world = World()
        world.change(.zoneChanged(pit))
        for isInside in [true, false] {
            var crossing = passing(inside: isInside)
            crossing.zoneKind = .alert
            world.receive(isInside ? .zoneEntered(crossing) : .zoneExited(crossing))
        }
        #expect(world.sent.count == 3)
        #expect(world.sent.allSatisfy { $0.text.contains("Aisha passed through School") })
    }

    @Test func `each kind has its text and its timeline entry`() {
        var world = world([.approach, .dwell, .absent, .cross])
        let bodies: [(EventBody, TimelineKind, String)] = [
            (.zoneApproached(Town.crossing(inside: false)), .approached, "Aisha is near School"),
            (.zoneDwelled(Town.crossing()), .dwelled, "Aisha is still in School"),
            (.zoneEntered(passing(inside: true)), .passedThrough, "Aisha passed through School"),
            (.zoneAbsent(absence(true)), .absent, "Aisha was not at School by 02:20 UTC"),
            (.zoneAbsent(absence(false)), .noContact, "Aisha: no contact since 02:19 UTC"),
        ]
        for (body, kind, text) in bodies {
            world.clear()
            world.receive(body)
            #expect(world.timeline.last?.kind == kind)
            #expect(world.sent.count == 3)
            #expect(world.sent.allSatisfy { $0.text.contains(text) })
        }
        #expect(world.sent.allSatisfy { !$0.text.contains("osm.org") }, "an old place is none")
    }

    @Test func `a passage is one message, and only if the zone has passages on`() {
        var world = world([.cross])
        world.receive(.zoneEntered(passing(inside: true)))
        world.receive(.zoneExited(passing(inside: false)))
        #expect(world.sent.count == 3 && world.timeline.count == 1)
        world = self.world([.enter, .exit])
        world.receive(.zoneEntered(passing(inside: true)))
        world.receive(.zoneExited(passing(inside: false)))
        #expect(world.sent.isEmpty)
        #expect(world.timeline.last?.decisions[1].reason == .transitionOff)
    }

    @Test func `a long stay is notified when it is long, however old the fix`() {
        var world = world([.dwell])
        world.now = World.start + .seconds(3600)
        world.receive(.zoneDwelled(Town.crossing()))
        #expect(world.sent.count == 3)
    }

    @Test func `a long stay by an old fix shows its age`() {
        var world = world([.dwell])
        world.now = World.start + .seconds(7000)
        var stay = Town.crossing()
        stay.isFixOld = true
        stay.fix.time = world.now - .seconds(116 * 60)
        world.receive(.zoneDwelled(stay))
        #expect(world.sent.count == 3)
        #expect(
            world.sent.allSatisfy {
                $0.text.contains("Aisha is still in School, last position 116 min ago")
            })
    }

    @Test func `an approach by an inaccurate fix notifies nobody`() {
        var world = world([.approach, .enter])
        var near = Town.crossing(inside: false)
        near.zoneKind = .alert
        (near.after, near.coarse, near.reason) = (.near, true, .tooCoarse)
        world.receive(.zoneApproached(near))
        #expect(world.sent.isEmpty && world.timeline.isEmpty)
        near.coarse = false
        world.receive(.zoneApproached(near))
        #expect(world.sent.count == 3)
    }

    @Test(arguments: [
        (ZoneAudience(), ["budi@example.org", "+60111000002"]),
        (ZoneAudience(roles: [], people: [Town.dewi.id]), ["+60111000004"]),
        (ZoneAudience(roles: [.admin], people: [Town.aisha.id]), ["+60111000003"]),
        (ZoneAudience(roles: [], people: []), []),
        (nil, ["+60111000002", "budi@example.org", "+60111000003"]),
    ])
    func `a zone chooses its recipients among those allowed`(
        audience: ZoneAudience?, addresses: [String]
    ) {
        var world = world([.enter], audience: audience)
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.addresses.sorted() == addresses.sorted())
        #expect(world.timeline.last?.decisions[0].reason == .themselves)
        #expect(world.timeline.last?.decisions[4].reason == .notJoined)
    }

    @Test func `held-back and initial changes notify nobody`() {
        var world = world([.enter, .exit, .approach, .dwell, .cross, .absent])
        world.receive(.zoneSuppressed(Town.crossing()))
        world.receive(.zonePresenceEstablished(Town.crossing()))
        #expect(world.sent.isEmpty && world.timeline.isEmpty)
    }

    @Test func `a zone of a set notifies each subscribed circle with which the person shares`() {
        var world = World()
        let set = ZoneSetID(ID128(high: 7, low: 1))
        world.change(.setChanged(ZoneSet(id: set, name: "Schools")))
        var school = Town.school
        school.owner = .set(set)
        world.change(.zoneChanged(school))
        func circle(_ number: UInt64, sets: [ZoneSetID], _ sharing: Sharing) -> EventBody {
            var members = [
                Town.member(Town.aisha, .member, "AI"), Town.member(Town.budi, .guardian, "BU"),
            ]
            if number == 2 { members[1] = Town.member(Town.dewi, .guardian, "DE") }
            members[0].sharing = sharing
            return .circleChanged(
                Circle(
                    id: CircleID(ID128(high: 3, low: number)), name: "C", members: members,
                    sets: sets))
        }
        world.change(circle(1, sets: [set], .on))
        world.change(circle(2, sets: [set], .off))
        world.change(circle(3, sets: [], .on))
        world.change(circle(4, sets: [set], .on))
        var crossing = Town.crossing(school)
        crossing.circle = nil
        crossing.set = set
        world.clear()
        world.receive(.zoneEntered(crossing))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        #expect(world.timeline.map(\.circle.raw.low) == [1, 2, 4])
        #expect(
            world.timeline.map { $0.decisions.last?.reason }
                == [.zoneCrossed, .sharingOff, .alreadyNotified])
    }
}
