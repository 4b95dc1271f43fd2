import Directory
import MembershipCore
import Model
import Testing

@Suite struct ZoneTests {
    @Test func `zones are for admins, for guardians by setting, not for members`() {
        let scene = Scene(circle: true)
        func create(_ number: Int) -> Change {
            .createZone(.circle(circle(1)), zone(number), zonePatch("Z"))
        }
        #expect(scene.ask(citra, create(1)).denial == .roleTooLow)
        #expect(scene.ask(ben, create(1)).zone?.owner == .circle(circle(1)))
        #expect(scene.ask(anna, create(2)).refusal == nil)
        scene.ask(
            anna, .updateCircle(circle(1), circlePatch { $0.guardiansEditZones = false }))
        #expect(scene.ask(ben, create(3)).denial == .circleSetting)
        #expect(scene.ask(ben, .removeZone(.circle(circle(1)), zone(1))).denial == .circleSetting)
        #expect(scene.core.directory.zones(of: circle(1)).count == 2)
    }

    @Test func `a zone without a shape is refused`() {
        let scene = Scene(circle: true)
        let answer = scene.ask(anna, .createZone(.circle(circle(1)), zone(1), ZonePatch()))
        #expect(answer.refusal?.field == "geometry")
    }

    @Test func `a changed zone keeps what was not given, under a new version`() {
        let scene = Scene(circle: true)
        scene.ask(anna, .createZone(.circle(circle(1)), zone(1), zonePatch("Home")))
        var patch = ZonePatch()
        patch.active = false
        patch.transitions = [.exit]
        let answer = scene.ask(anna, ifVersion: 1, .updateZone(.circle(circle(1)), zone(1), patch))
            .zone
        #expect(answer?.name == "Home")
        #expect(answer?.active == false)
        #expect(answer?.transitions == [.exit])
        #expect(answer?.version == 2)
        let outdated = scene.ask(
            anna, ifVersion: 1, .updateZone(.circle(circle(1)), zone(1), patch))
        #expect(outdated.refusal?.reason == .outdated)
    }

    @Test func `a zone of another circle is not found`() {
        let scene = Scene(circle: true)
        scene.ask(.operator, .createCircle(circle(2), circlePatch { $0.name = "Other" }))
        scene.ask(.operator, .createZone(.circle(circle(2)), zone(2), zonePatch("Theirs")))
        for change in [
            Change.updateZone(.circle(circle(1)), zone(2), ZonePatch()),
            .removeZone(.circle(circle(1)), zone(2)),
        ] {
            #expect(scene.ask(anna, change).refusal?.reason == .missing)
        }
    }

    @Test func `the zones of a circle have a number and so many points`() {
        let scene = Scene(circle: true)
        let half = zonePatch("Big", vertices: Limits.verticesPerOwnerMax / 2)
        #expect(scene.ask(anna, .createZone(.circle(circle(1)), zone(1), half)).refusal == nil)
        #expect(scene.ask(anna, .createZone(.circle(circle(1)), zone(2), half)).refusal == nil)
        let more = Change.createZone(.circle(circle(1)), zone(3), zonePatch("Tiny", vertices: 3))
        #expect(scene.ask(anna, more).refusal?.field == "geometry")
        #expect(scene.ask(anna, .updateZone(.circle(circle(1)), zone(2), half)).refusal == nil)
        for number in 3...Limits.allowance(of: .trial).zones {
            let change = Change.createZone(.circle(circle(1)), zone(number), zonePatch("Z"))
            #expect(scene.ask(anna, change).refusal == nil)
        }
        let last = Change.createZone(.circle(circle(1)), zone(999), zonePatch("Z"))
        #expect(scene.ask(anna, last).refusal?.reason == .conflict)
    }
}
