import Directory
import MembershipCore
import Model
import Testing

@Suite struct `Never-notify lists and accepted zones` {
    private let scene = Scene(circle: true)

    private func set(
        _ principal: Principal = anna, people: [PersonID] = [], circles: [CircleID] = []
    ) -> Answer {
        scene.ask(
            principal,
            .setNeverNotify(person(1), NeverNotifyPatch(people: people, circles: circles)))
    }

    @Test func `a list changes only itself, not even the version of its person`() {
        let before = scene.core.directory.person(person(1))
        let circle = scene.family
        let list = NeverNotifyList(
            person: person(1), people: [person(2)], circles: [MembershipCoreTests.circle(1)])
        #expect(
            set(people: [person(2), person(2)], circles: [MembershipCoreTests.circle(1)])
                == .neverNotify(list))
        #expect(scene.published == [.neverNotifyChanged(list)])
        #expect(scene.core.directory.person(person(1)) == before && scene.family == circle)
        _ = set(people: [person(2)], circles: [MembershipCoreTests.circle(1)])
        #expect(scene.published.isEmpty, "the same list is no change")
        _ = set()
        #expect(scene.core.directory.neverNotifyList(of: person(1)).isEmpty)
    }

    @Test(arguments: [
        Principal.operator, .person(person(2)), .device(device(1), of: person(1)),
    ])
    func `only the person writes it, and not with a phone's credential`(principal: Principal) {
        guard case .rejected(let rejection) = set(principal, people: [person(3)]) else {
            Issue.record("accepted")
            return
        }
        #expect(scene.published.isEmpty)
        let denials: [CommandRejection.Reason] = [.denied(.personOnly), .denied(.notYours)]
        #expect(denials.contains(rejection.reason))
    }

    @Test func `it names neither oneself nor foreign circles, and is limited`() {
        func field(_ answer: Answer) -> String? { answer.rejection?.field }
        #expect(field(set(people: [person(2), person(1)])) == "people[1]")
        #expect(field(set(circles: [MembershipCoreTests.circle(2)])) == "circles[0]")
        let many = (10..<(11 + Limits.neverNotifyPeopleMax)).map { person($0) }
        #expect(field(set(people: many)) == "people")
        #expect(scene.core.directory.neverNotifyList(of: person(1)).isEmpty)
    }

    @Test func `a zone drawn after joining must be accepted to be named`() throws {
        func isAccepted() throws -> Bool {
            let drawn = try #require(scene.core.directory.zone(zone(1)))
            let joined = try #require(scene.family?.member(person(3)))
            return ZoneNaming(in: scene.core.directory).accepts(drawn, joined)
        }
        scene.now = scene.now + .seconds(60)
        scene.ask(anna, .createZone(.circle(circle(1)), zone(1), zonePatch("Park")))
        let drawn = try #require(scene.core.directory.zone(zone(1)))
        #expect(drawn.drawn == scene.now && drawn.drawnBy == person(1))
        #expect(try !isAccepted())
        #expect(scene.ask(citra, .acceptZone(person(3), zone(1))) == .gone)
        #expect(try isAccepted())
        scene.now = scene.now + .seconds(60)
        var patch = ZonePatch()
        patch.priority = 5
        scene.ask(anna, .updateZone(.circle(circle(1)), zone(1), patch))
        #expect(try isAccepted(), "nothing that others could learn has changed")
        patch.name = "Office"
        scene.ask(anna, .updateZone(.circle(circle(1)), zone(1), patch))
        #expect(try !isAccepted(), "a name was not accepted")
        scene.ask(citra, .acceptZone(person(3), zone(1)))
        scene.ask(citra, .declineZone(person(3), zone(1)))
        #expect(try !isAccepted())
        scene.ask(citra, .acceptZone(person(3), zone(1)))
        scene.ask(citra, .optOut(person(3), zone(1)))
        #expect(try !isAccepted(), "an opt-out ends it")
        #expect(scene.ask(ben, .acceptZone(person(3), zone(1))).rejection != nil)
    }
}
