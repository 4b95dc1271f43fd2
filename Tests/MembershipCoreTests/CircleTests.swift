import Directory
import MembershipCore
import Model
import Testing

@Suite struct CircleTests {
    @Test func `who creates a circle is its admin, and the operator is nobody in it`() {
        let scene = Scene()
        let own = scene.ask(anna, .createCircle(circle(1), circlePatch { $0.name = "A" })).circle
        #expect(own?.member(person(1))?.role == .admin)
        #expect(own?.members.map(\.trackerID) == ["AN"])
        let empty = scene.ask(.operator, .createCircle(circle(2), circlePatch { $0.name = "B" }))
        #expect(empty.circle?.members.isEmpty == true)
    }

    @Test func `only an admin changes the settings; the policy by setting also a guardian`() {
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

    @Test func `looking back less far works at once, farther needs consent`() {
        let scene = Scene(circle: true)
        func days(_ number: Int) -> Change {
            .updateCircle(circle(1), circlePatch { $0.historyDays = number })
        }
        #expect(scene.ask(anna, days(30)).circle?.historyDays == 30)
        #expect(scene.ask(anna, days(7)).circle?.historyDays == 7)
        for more in [8, 0] {
            #expect(scene.ask(anna, days(more)).refusal?.field == "historyDays")
        }
        #expect(scene.ask(ben, days(1)).refusal != nil, "retention is the admins' affair")
    }

    @Test func `lowering visibility works at once, raising it needs consent`() {
        let scene = Scene(circle: true)
        let hide = Change.updateCircle(circle(1), circlePatch { $0.membersSeePositions = false })
        let show = Change.updateCircle(circle(1), circlePatch { $0.membersSeePositions = true })
        #expect(scene.ask(anna, hide).circle?.membersSeePositions == false)
        let refusal = scene.ask(anna, show).refusal
        #expect(refusal?.reason == .conflict)
        #expect(refusal?.field == "membersSeePositions")
        for number in [2, 3] { scene.ask(anna, .removeMember(circle(1), person(number))) }
        #expect(scene.ask(anna, show).circle?.membersSeePositions == true)
    }

    @Test func `a policy names roles and people who have joined`() {
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
        #expect(stranger.refusal?.field == "escalation[1].people[1]")
        #expect(
            scene.ask(anna, change([EscalationTier(roles: [])])).refusal?.field == "escalation[0]")
        let long = Array(
            repeating: EscalationTier(roles: [.admin]), count: Limits.escalationTiersMax + 1)
        #expect(scene.ask(anna, change(long)).refusal?.field == "escalation")
    }

    @Test func `only an admin or the operator deletes a circle, with its zones`() {
        let scene = Scene(circle: true)
        scene.ask(anna, .createZone(.circle(circle(1)), zone(1), zonePatch("Home")))
        #expect(scene.ask(ben, .removeCircle(circle(1))).denial == .roleTooLow)
        #expect(
            scene.ask(anna, ifVersion: 1, .removeCircle(circle(1))).refusal?.reason == .outdated)
        #expect(scene.ask(anna, .removeCircle(circle(1))) == .gone)
        #expect(scene.published.map(\.kind) == [.zoneRemoved, .circleRemoved])
    }

    @Test func `a trial is in so many circles, and a lapsed plan creates none`() {
        let scene = Scene()
        let most = Limits.allowance(of: .trial).circles
        let patch = circlePatch { $0.name = "C" }
        for number in 1...most {
            #expect(scene.ask(anna, .createCircle(circle(number), patch)).refusal == nil)
        }
        let more = Change.createCircle(circle(most + 1), patch)
        #expect(scene.ask(anna, more).refusal?.reason == .conflict)
        scene.ask(.operator, .updatePerson(person(1), personPatch { $0.plan = .paid }))
        #expect(scene.ask(anna, more).refusal == nil)
        scene.ask(.operator, .updatePerson(person(1), personPatch { $0.plan = .lapsed }))
        #expect(scene.ask(anna, .createCircle(circle(99), patch)).denial == .planLapsed)
    }
}
