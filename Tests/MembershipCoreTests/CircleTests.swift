import Directory
import MembershipCore
import Model
import Testing

@Suite struct CircleTests {
    @Test func `the creator of a circle is its admin, the operator is no member`() {
        let scene = Scene()
        let own = scene.ask(anna, .createCircle(circle(1), circlePatch { $0.name = "A" })).circle
        #expect(own?.member(person(1))?.role == .admin)
        #expect(own?.members.map(\.trackerID) == ["AN"])
        let empty = scene.ask(.operator, .createCircle(circle(2), circlePatch { $0.name = "B" }))
        #expect(empty.circle?.members.isEmpty == true)
    }

    @Test func `only an admin changes settings, and by setting a guardian the policy`() {
        let scene = Scene(circle: true)
        let name = Change.updateCircle(circle(1), circlePatch { $0.name = "Us" })
        #expect(scene.ask(ben, name).denial == .roleTooLow)
        #expect(scene.ask(anna, name).circle?.name == "Us")
        let policy = Change.updateCircle(
            circle(1), circlePatch { $0.escalation = [EscalationTier(roles: [.guardian])] })
        #expect(scene.ask(citra, policy).denial == .roleTooLow)
        #expect(scene.ask(ben, policy).circle?.escalation.count == 1)
        let close = Change.updateCircle(circle(1), circlePatch { $0.guardiansEditZones = false })
        scene.ask(anna, close)
        #expect(scene.ask(ben, policy).denial == .circleSetting)
    }

    @Test func `a policy has roles and joined members`() {
        let scene = Scene(circle: true)
        func change(_ tiers: [EscalationTier]) -> Change {
            .updateCircle(circle(1), circlePatch { $0.escalation = tiers })
        }
        let stranger = scene.ask(
            anna,
            change([
                EscalationTier(roles: [.admin]),
                EscalationTier(roles: [], people: [person(2), person(9)]),
            ]))
        #expect(stranger.rejection?.field == "escalation[1].people[1]")
        #expect(
            scene.ask(anna, change([EscalationTier(roles: [])])).rejection?.field == "escalation[0]"
        )
        let long = Array(
            repeating: EscalationTier(roles: [.admin]), count: Limits.escalationTiersMax + 1)
        #expect(scene.ask(anna, change(long)).rejection?.field == "escalation")
    }

    @Test func `only an admin or the operator deletes a circle, with its zones`() {
        let scene = Scene(circle: true)
        scene.ask(anna, .createZone(.circle(circle(1)), zone(1), zonePatch("Home")))
        #expect(scene.ask(ben, .removeCircle(circle(1))).denial == .roleTooLow)
        #expect(
            scene.ask(anna, ifVersion: 1, .removeCircle(circle(1))).rejection?.reason == .outdated)
        #expect(scene.ask(anna, .removeCircle(circle(1))) == .gone)
        #expect(scene.published.map(\.kind) == [.zoneRemoved, .circleRemoved])
    }

    @Test func `a trial is limited to some circles, and a lapsed plan creates none`() {
        let scene = Scene()
        let most = Limits.allowance(of: .trial).circles
        let patch = circlePatch { $0.name = "C" }
        for number in 1...most {
            #expect(scene.ask(anna, .createCircle(circle(number), patch)).rejection == nil)
        }
        let more = Change.createCircle(circle(most + 1), patch)
        #expect(scene.ask(anna, more).rejection?.reason == .conflict)
        scene.ask(.operator, .updatePerson(person(1), personPatch { $0.plan = .paid }))
        #expect(scene.ask(anna, more).rejection == nil)
        scene.ask(.operator, .updatePerson(person(1), personPatch { $0.plan = .lapsed }))
        #expect(scene.ask(anna, .createCircle(circle(99), patch)).denial == .planLapsed)
    }
}
