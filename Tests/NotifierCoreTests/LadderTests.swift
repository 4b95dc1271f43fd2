import Directory
import Model
import NotifierCore
import Testing

struct LadderTests {
    @Test func `tiers climb: guardians, then admins, then all, then everybody again and again`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        world.clear()
        world.pass(.seconds(119))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(world.addresses == ["+60111000003"])
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000004"], "who was told in this pass is not told again")
        world.clear()
        world.pass(.seconds(120))
        let everybody: Set = [
            "+60111000002", "budi@example.org", "+60111000003", "+60111000004",
            // Aisha hears that nobody has answered.
            "+60111000001", "aisha@example.org",
        ]
        #expect(Set(world.addresses) == everybody)
        for _ in 0..<3 {
            world.clear()
            world.pass(.seconds(300))
            #expect(world.sent.count == 4, "everybody but Aisha, who was told once")
        }
        #expect(world.sent.allSatisfy { $0.text.contains("NO ANSWER YET") })
    }

    @Test func `a tier in which nobody can be reached is skipped at once`() {
        var world = World()
        var family = Town.family
        family.members.removeAll { $0.role == .guardian }
        world.change(.circleChanged(family))
        world.tell(.emergencyOpened(Town.news()))
        #expect(world.addresses == ["+60111000003"])
        #expect(
            world.published.contains { body in
                if case .ladderTier(let news) = body {
                    news.tier == 1 && news.recipients == 1
                } else {
                    false
                }
            })
    }

    @Test func `the circle's own policy is followed`() {
        var world = World()
        var family = Town.family
        family.escalation = [
            EscalationTier(
                roles: [], people: [Town.dewi.id], channels: [.sms], waitSeconds: 30),
            EscalationTier(roles: [.guardian], channels: [.email], waitSeconds: 60),
        ]
        world.change(.circleChanged(family))
        world.tell(.emergencyOpened(Town.news()))
        #expect(world.addresses == ["+60111000004"])
        world.clear()
        world.pass(.seconds(30))
        #expect(world.addresses == ["budi@example.org"])
    }

    @Test func `with nobody to tell, the person hears it at once with a number to call`() {
        var world = World()
        var family = Town.family
        family.members = [family.members[0]]
        world.change(.circleChanged(family))
        world.tell(.emergencyOpened(Town.news()))
        #expect(Set(world.addresses) == ["+60111000001", "aisha@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("999") })
        #expect(world.warnings.contains(.nobodyReachable(Town.emergency(1))))
    }

    @Test func `somebody who becomes reachable during it is told at once`() {
        var world = World()
        var family = Town.family
        family.members = [family.members[0]]
        world.change(.circleChanged(family))
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        world.pass(.seconds(20))
        world.change(.circleChanged(Town.family))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
    }

    @Test func `an emergency that is known before the person's circle is told when that comes`() {
        var world = World()
        world.directory.apply(.circleRemoved(CircleRemoval(circle: Town.familyID)))
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        world.change(.circleChanged(Town.family))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
    }

    @Test func `each circle has its own ladder, and who is in both is told once`() {
        var world = World()
        world.change(
            .circleChanged(
                Circle(
                    id: Town.teamID, name: "Team",
                    members: [
                        Town.member(Town.aisha, .member, "AI"),
                        Town.member(Town.budi, .guardian, "BU"),
                        Town.member(Town.eko, .admin, "EK"),
                    ])))
        world.tell(.emergencyOpened(Town.news()))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        world.clear()
        world.pass(.seconds(120))
        #expect(Set(world.addresses) == ["+60111000003", "+60111000005"])
        let shown = world.timeline.filter { $0.circle == Town.teamID }.flatMap(\.decisions)
        #expect(!shown.contains { $0.recipient == Town.citra.id }, "circles are sealed")
    }

    @Test func `a tier whose messages are all refused does not wait`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address.contains("2") || delivery.channel == .email
                    ? .refused : .accepted)
        }
        world.tell(.emergencyOpened(Town.news()))
        #expect(world.addresses.contains("+60111000003"), "the admin is told without a wait")
    }

    @Test func `the ladder climbs while the timer is away`() {
        var world = World()
        world.isTimerAlive = false
        world.tell(.emergencyOpened(Town.news()))
        world.clear()
        world.pass(.seconds(120) + Limits.clockGrace)
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `the ladder goes on after a restart`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        world.pass(.seconds(60))
        world.clear()
        world.restart()
        #expect(world.sent.isEmpty)
        world.pass(.seconds(60))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `a clock that is not wanted any more changes nothing`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        let clock = world.wanted.values.first!
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.tell(.clockFired(FiredClock(clock: clock, fired: world.now)))
        #expect(world.sent.isEmpty)
    }

    @Test func `without own press the place is shown only where it is shared`() {
        for (sharing, shown) in [(Sharing.on, true), (.off, false)] {
            var world = World()
            var family = Town.family
            family.members[0].sharing = sharing
            world.change(.circleChanged(family))
            world.tell(.emergencyOpened(Town.news(trigger: .watchExpired)))
            #expect(world.sent.allSatisfy { $0.text.contains("3.139") == shown })
            world.clear()
            world.tell(.emergencyResolved(Town.news(1, .resolved)))
            world.tell(.emergencyOpened(Town.news(2, trigger: .panic)))
            #expect(world.sent.contains { $0.text.contains("3.139") }, "a press always shows it")
        }
    }

    @Test func `older than a day: one message to guardians, and no ladder`() {
        var world = World()
        let raised = World.start - .seconds(26 * 3600)
        world.tell(.emergencyOpened(Town.news(late: true, raised: raised)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.hasPrefix("1 d 2 h ago") })
        world.clear()
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `who was removed hears no further cry, but how it ended`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        var family = Town.family
        family.members.removeAll { $0.person == Town.budi.id }
        world.change(.circleChanged(family))
        world.clear()
        world.tell(.emergencyJoined(Town.news(1, signal: 2)))
        world.pass(.seconds(900))
        #expect(world.addresses.contains("+60111000003"))
        #expect(!world.addresses.contains("+60111000002"))
        world.clear()
        world.tell(.emergencyResolved(Town.news(1, .resolved)))
        #expect(world.addresses.contains("+60111000002"))
    }

    @Test func `a cry that still waits does not reach who was removed meanwhile`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.attempt == 1 ? .later : .accepted)
        }
        world.tell(.emergencyOpened(Town.news()))
        var family = Town.family
        family.members.removeAll { $0.person == Town.budi.id }
        world.change(.circleChanged(family))
        world.clear()
        world.pass(.seconds(30))
        #expect(!world.addresses.contains("+60111000002"))
        #expect(world.addresses.contains("+60111000003"), "the tier has nobody left to wait for")
    }

    @Test func `the ladder goes on when the person is back in the circle`() {
        var world = World()
        world.tell(.emergencyOpened(Town.news()))
        var without = Town.family
        without.members.removeAll { $0.person == Town.aisha.id }
        world.change(.circleChanged(without))
        world.clear()
        world.pass(.seconds(300))
        #expect(Set(world.addresses) == ["+60111000001", "aisha@example.org"], "nobody climbs")
        world.clear()
        world.change(.circleChanged(Town.family))
        #expect(world.addresses == ["+60111000003"])
        world.pass(.seconds(120))
        #expect(world.addresses.contains("+60111000004"))
    }

    @Test func `a late press begins with its age and climbs`() {
        var world = World()
        let raised = World.start - .seconds(2 * 3600 + 600)
        world.tell(.emergencyOpened(Town.news(late: true, raised: raised)))
        #expect(world.sent.allSatisfy { $0.text.hasPrefix("2 h 10 min ago.") })
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }
}
