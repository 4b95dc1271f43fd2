import Directory
import Model
import NotifierCore
import Testing

struct EscalationTests {
    @Test func `tiers: guardians, then admins, then all, then everyone repeatedly`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        world.clear()
        world.pass(.seconds(119))
        #expect(world.sent.isEmpty)
        world.pass(.seconds(1))
        #expect(world.addresses == ["+60111000003"])
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000004"], "nobody is notified twice in a pass")
        world.clear()
        world.pass(.seconds(120))
        let everybody: Set = [
            "+60111000002", "budi@example.org", "+60111000003", "+60111000004",
            // Aisha is informed that nobody has responded.
            "+60111000001", "aisha@example.org",
        ]
        #expect(Set(world.addresses) == everybody)
        for _ in 0..<3 {
            world.clear()
            world.pass(.seconds(300))
            #expect(world.sent.count == 4, "everybody but Aisha, who was notified once")
        }
        #expect(world.sent.allSatisfy { $0.text.contains("NO ANSWER YET") })
    }

    @Test func `a tier in which nobody is reachable is skipped at once`() {
        var world = World()
        var family = Town.family
        family.members.removeAll { $0.role == .guardian }
        world.change(.circleChanged(family))
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.addresses == ["+60111000003"])
        #expect(
            world.published.contains { body in
                if case .escalationTierStarted(let news) = body {
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
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.addresses == ["+60111000004"])
        world.clear()
        world.pass(.seconds(30))
        #expect(world.addresses == ["budi@example.org"])
    }

    @Test func `without recipients the person is informed at once, with a number to call`() {
        var world = World()
        var family = Town.family
        family.members = [family.members[0]]
        world.change(.circleChanged(family))
        world.receive(.emergencyOpened(Town.change()))
        #expect(Set(world.addresses) == ["+60111000001", "aisha@example.org"])
        #expect(world.sent.allSatisfy { $0.text.contains("999") })
        #expect(world.warnings.contains(.nobodyReachable(Town.emergency(1))))
    }

    @Test func `somebody who becomes reachable is notified at once`() {
        var world = World()
        var family = Town.family
        family.members = [family.members[0]]
        world.change(.circleChanged(family))
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        world.pass(.seconds(20))
        world.change(.circleChanged(Town.family))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
    }

    @Test func `an emergency known before its circle is notified once the circle is known`() {
        var world = World()
        world.directory.apply(.circleRemoved(CircleRemoval(circle: Town.familyID)))
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        world.change(.circleChanged(Town.family))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
    }

    @Test func `each circle has its own escalation, and a member of both is notified once`() {
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
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.addresses.sorted() == ["+60111000002", "budi@example.org"])
        world.clear()
        world.pass(.seconds(120))
        #expect(Set(world.addresses) == ["+60111000003", "+60111000005"])
        let shown = world.timeline.filter { $0.circle == Town.teamID }.flatMap(\.decisions)
        #expect(!shown.contains { $0.recipient == Town.citra.id }, "circles are sealed")
    }

    @Test func `a tier whose messages are all rejected does not wait`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.address.contains("2") || delivery.channel == .email
                    ? .rejected : .accepted)
        }
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.addresses.contains("+60111000003"), "the admin is notified without a wait")
    }

    @Test func `the escalation advances while the timer is down`() {
        var world = World()
        world.isTimerAlive = false
        world.receive(.emergencyOpened(Town.change()))
        world.clear()
        world.pass(.seconds(120) + Limits.deadlineGrace)
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `the escalation continues after a restart`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        world.pass(.seconds(60))
        world.clear()
        world.restart()
        #expect(world.sent.isEmpty)
        world.pass(.seconds(60))
        #expect(world.addresses == ["+60111000003"])
    }

    @Test func `an expired deadline that was cancelled changes nothing`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        let deadline = world.scheduledDeadlines.values.first!
        world.handle(.acknowledge(Town.command(1, by: .person(Town.budi.id))))
        world.clear()
        world.receive(.deadlineExpired(ExpiredDeadline(deadline: deadline, expired: world.now)))
        #expect(world.sent.isEmpty)
    }

    @Test func `without an own call the position is shown only if it is shared`() {
        for (sharing, shown) in [(Sharing.on, true), (.off, false)] {
            var world = World()
            var family = Town.family
            family.members[0].sharing = sharing
            world.change(.circleChanged(family))
            world.receive(.emergencyOpened(Town.change(trigger: .watchExpired)))
            #expect(world.sent.allSatisfy { $0.text.contains("3.139") == shown })
            world.clear()
            world.receive(.emergencyResolved(Town.change(1, .resolved)))
            world.receive(.emergencyOpened(Town.change(2, trigger: .panic)))
            #expect(world.sent.contains { $0.text.contains("3.139") }, "a press always shows it")
        }
    }

    @Test func `a signal older than a day is one message to guardians, without an escalation`() {
        var world = World()
        let raised = World.start - .seconds(26 * 3600)
        world.receive(.emergencyOpened(Town.change(late: true, raised: raised)))
        #expect(Set(world.addresses) == ["+60111000002", "budi@example.org"])
        #expect(world.sent.allSatisfy { $0.text.hasPrefix("1 d 2 h ago") })
        world.clear()
        world.pass(.seconds(3600))
        #expect(world.sent.isEmpty)
    }

    @Test func `a removed member gets no further call, but the end`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
        var family = Town.family
        family.members.removeAll { $0.person == Town.budi.id }
        world.change(.circleChanged(family))
        world.clear()
        world.receive(.emergencyJoined(Town.change(1, signal: 2)))
        world.pass(.seconds(900))
        #expect(world.addresses.contains("+60111000003"))
        #expect(!world.addresses.contains("+60111000002"))
        world.clear()
        world.receive(.emergencyResolved(Town.change(1, .resolved)))
        #expect(world.addresses.contains("+60111000002"))
    }

    @Test func `a queued call is not sent to a member removed meanwhile`() {
        var world = World()
        world.gateway = { delivery in
            AttemptResult(
                notification: delivery.notification, number: delivery.attempt,
                outcome: delivery.attempt == 1 ? .later : .accepted)
        }
        world.receive(.emergencyOpened(Town.change()))
        var family = Town.family
        family.members.removeAll { $0.person == Town.budi.id }
        world.change(.circleChanged(family))
        world.clear()
        world.pass(.seconds(30))
        #expect(!world.addresses.contains("+60111000002"))
        #expect(world.addresses.contains("+60111000003"), "the tier has nobody left to wait for")
    }

    @Test func `the escalation resumes when the person is back in the circle`() {
        var world = World()
        world.receive(.emergencyOpened(Town.change()))
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

    @Test func `a late signal's text begins with its age and it escalates`() {
        var world = World()
        let raised = World.start - .seconds(2 * 3600 + 600)
        world.receive(.emergencyOpened(Town.change(late: true, raised: raised)))
        #expect(world.sent.allSatisfy { $0.text.hasPrefix("2 h 10 min ago.") })
        world.clear()
        world.pass(.seconds(120))
        #expect(world.addresses == ["+60111000003"])
    }
}
