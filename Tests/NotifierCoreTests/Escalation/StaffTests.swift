import Directory
import Model
import Testing

@testable import NotifierCore

/// Answers of staff who share no circle with the person: they count for all circles.
struct StaffTests {
    private static let officer: Person = {
        var person = Town.person(9, "Omar", sms: "+60111000009", mail: nil)
        person.staff = .officer
        return person
    }()

    private func world() -> World {
        var world = World.inTwoCircles(hasReplies: true)
        world.change(.personChanged(Self.officer))
        return world
    }

    @Test func `an officer's acknowledgement stops the escalation of every circle`() {
        var world = world()
        world.acknowledge(1, by: Self.officer)
        #expect(world.emergency?.state == .acknowledged)
        #expect(world.texts(to: Town.aisha).contains { $0.contains("Omar") })
        world.clear()
        world.pass(.seconds(125))
        #expect(!world.sent.contains { $0.text.contains("SOS Aisha") })
        // A change of circles withdraws answers of people who left, not those of staff.
        world.change(Town.team(Town.member(Town.eko, .admin, "EK")))
        #expect(world.emergency?.state == .acknowledged)
    }

    @Test func `an officer resolves for all, after an acknowledgement`() {
        var world = world()
        world.resolve(1, by: Self.officer)
        guard case .denied(.notAcknowledged)? = world.answers[1] else {
            Issue.record("it is not acknowledged yet")
            return
        }
        world.acknowledge(2, by: Town.budi)
        world.resolve(3, by: Self.officer)
        #expect(world.emergency?.state == .resolved)
        #expect(world.resolutions.map(\.by) == [Self.officer.id])
    }

    @Test func `who is staff no longer is a stranger`() {
        var world = world()
        var former = Self.officer
        former.staff = nil
        world.change(.personChanged(former))
        world.acknowledge(1, by: former)
        guard case .unknown? = world.answers[1] else {
            Issue.record("strangers do not learn that it exists")
            return
        }
        #expect(world.emergency?.state == .open)
    }

    @Test func `an officer does not acknowledge their own emergency`() {
        var world = world()
        var aisha = Town.aisha
        aisha.staff = .officer
        world.change(.personChanged(aisha))
        world.acknowledge(1, by: aisha)
        guard case .denied(.ownEmergency)? = world.answers[1] else {
            Issue.record("somebody else must")
            return
        }
    }
}

/// SMS of people who are no subscribers of the operator.
struct AllowanceTests {
    private func world(_ affiliation: Affiliation) -> World {
        var world = World()
        for var person in [Town.budi, Town.citra] {
            person.affiliation = affiliation
            world.change(.personChanged(person))
        }
        return world
    }

    @Test func `zone notifications reach them by mail only`() throws {
        var world = world(.none)
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.texts(to: Town.budi).count == 1)
        #expect(world.addresses.contains("budi@example.org"))
        #expect(world.texts(to: Town.citra).isEmpty)
        let decisions = world.timeline.flatMap(\.decisions)
        let citra = decisions.first { $0.recipient == Town.citra.id }
        #expect([.noSMSAllowance, .role].contains(citra?.reason))
    }

    @Test func `emergencies reach them by SMS`() {
        var world = world(.none)
        world.receive(.emergencyOpened(Town.change()))
        #expect(world.addresses.contains("+60111000002"))
    }

    @Test func `subscribers get both`() {
        var world = world(.subscriber)
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.texts(to: Town.budi).count == 2)
    }
}
