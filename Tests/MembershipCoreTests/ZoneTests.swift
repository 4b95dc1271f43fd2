import Directory
import MembershipCore
import Model
import Testing

@Suite struct ZoneTests {
    @Test func `admins edit zones, guardians by setting, members never`() {
        let scene = Scene(circle: true)
        func create(_ number: Int) -> Change {
            .createZone(.circle(circle(1)), zone(number), zonePatch("Z"))
        }
        #expect(scene.ask(citra, create(1)).denial == .roleTooLow)
        #expect(scene.ask(ben, create(1)).zone?.owner == .circle(circle(1)))
        #expect(scene.ask(anna, create(2)).rejection == nil)
        scene.ask(
            anna, .updateCircle(circle(1), circlePatch { $0.guardiansEditZones = false }))
        #expect(scene.ask(ben, create(3)).denial == .circleSetting)
        #expect(scene.ask(ben, .removeZone(.circle(circle(1)), zone(1))).denial == .circleSetting)
        #expect(scene.core.directory.zones(of: circle(1)).count == 2)
    }

    @Test func `a zone without a shape is rejected`() {
        let scene = Scene(circle: true)
        let answer = scene.ask(anna, .createZone(.circle(circle(1)), zone(1), ZonePatch()))
        #expect(answer.rejection?.field == "geometry")
    }

    @Test func `a changed zone keeps omitted fields and gets a new version`() {
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
        #expect(outdated.rejection?.reason == .outdated)
    }

    @Test func `a zone of another circle is not found`() {
        let scene = Scene(circle: true)
        scene.ask(.operator, .createCircle(circle(2), circlePatch { $0.name = "Other" }))
        scene.ask(.operator, .createZone(.circle(circle(2)), zone(2), zonePatch("Theirs")))
        for change in [
            Change.updateZone(.circle(circle(1)), zone(2), ZonePatch()),
            .removeZone(.circle(circle(1)), zone(2)),
        ] {
            #expect(scene.ask(anna, change).rejection?.reason == .missing)
        }
    }

    @Test func `the zones of a circle are limited in number and vertices`() {
        let scene = Scene(circle: true)
        let half = zonePatch("Big", vertices: Limits.verticesPerOwnerMax / 2)
        #expect(scene.ask(anna, .createZone(.circle(circle(1)), zone(1), half)).rejection == nil)
        #expect(scene.ask(anna, .createZone(.circle(circle(1)), zone(2), half)).rejection == nil)
        let more = Change.createZone(.circle(circle(1)), zone(3), zonePatch("Tiny", vertices: 3))
        #expect(scene.ask(anna, more).rejection?.field == "geometry")
        #expect(scene.ask(anna, .updateZone(.circle(circle(1)), zone(2), half)).rejection == nil)
        for number in 3...Limits.allowance(of: .trial).zones {
            let change = Change.createZone(.circle(circle(1)), zone(number), zonePatch("Z"))
            #expect(scene.ask(anna, change).rejection == nil)
        }
        let last = Change.createZone(.circle(circle(1)), zone(999), zonePatch("Z"))
        #expect(scene.ask(anna, last).rejection?.reason == .conflict)
    }
}
