import Directory
import MembershipCore
import Model
import Testing

@Suite struct PeopleTests {
    @Test func `only the operator creates a person`() {
        let scene = Scene()
        let created = scene.ask(.operator, .createPerson(person(4), personPatch { $0.name = "D" }))
        #expect(created.person?.name == "D")
        let ends = scene.now + .seconds(30 * 86_400)
        #expect(
            scene.published == [
                .personChanged(Person(id: person(4), name: "D", trialEnds: ends))
            ])
        let refused = scene.ask(anna, .createPerson(person(5), personPatch { $0.name = "E" }))
        #expect(refused.denial == .operatorOnly)
        #expect(scene.published.isEmpty)
    }

    @Test func `omitted fields keep their value, and each change is a version`() {
        let scene = Scene()
        let answer = scene.ask(anna, .updatePerson(person(1), personPatch { $0.locale = "ms" }))
        #expect(answer.person?.name == "Anna")
        #expect(answer.person?.locale == "ms")
        #expect(answer.person?.version == 2)
    }

    @Test func `a change without effect creates no version and is not published`() {
        let scene = Scene()
        let answer = scene.ask(anna, .updatePerson(person(1), personPatch { $0.name = "Anna" }))
        #expect(answer.person?.version == 1)
        #expect(scene.published.isEmpty)
    }

    @Test func `an outdated version is rejected with the current one`() {
        let scene = Scene()
        let change = Change.updatePerson(person(1), personPatch { $0.name = "Ann" })
        #expect(scene.ask(anna, ifVersion: 1, change).person?.version == 2)
        let rejection = scene.ask(anna, ifVersion: 1, change).rejection
        #expect(rejection?.reason == .outdated)
        #expect(rejection?.detail.contains("is 2, not 1") == true)
    }

    @Test func `nobody edits another adult`() {
        let scene = Scene(circle: true)
        for patch in [personPatch { $0.name = "X" }, personPatch { $0.contacts = [] }] {
            let answer = scene.ask(anna, .updatePerson(person(3), patch))
            #expect(answer.denial == .notYours)
        }
        #expect(scene.ask(anna, .removePerson(person(3))).denial == .notYours)
    }

    @Test func `only the operator decides about the plan`() {
        let scene = Scene()
        let change = Change.updatePerson(person(1), personPatch { $0.plan = .paid })
        #expect(scene.ask(anna, change).denial == .operatorOnly)
        #expect(scene.ask(.operator, change).person?.plan == .paid)
    }

    @Test func `an unchanged contact point keeps its id`() {
        let scene = Scene()
        scene.ask(
            anna, .updatePerson(person(1), personPatch { $0.contacts = [contact(1, "+601")] }))
        let answer = scene.ask(
            anna,
            .updatePerson(
                person(1),
                personPatch { $0.contacts = [contact(2, "a@b", .email), contact(3, "+601")] }))
        #expect(answer.person?.contacts.map(\.id) == [contact(2, "").id, contact(1, "").id])
    }

    @Test func `a duplicate contact point is rejected`() {
        let scene = Scene()
        let answer = scene.ask(
            anna,
            .updatePerson(
                person(1),
                personPatch { $0.contacts = [contact(1, "+601"), contact(2, "+601")] }))
        #expect(answer.rejection?.field == "contacts[1].address")
    }

    @Test func `a new push contact point is rejected, a stored one stays`() {
        let scene = Scene()
        let push = contact(1, "https://push.example.org/1", .push)
        let answer = scene.ask(
            anna,
            .updatePerson(
                person(1), personPatch { $0.contacts = [contact(2, "+601"), push] }))
        #expect(answer.rejection?.field == "contacts[1].channel")
        #expect(answer.rejection?.hint == "use sms or email")
        #expect(scene.published.isEmpty)
        let created = scene.ask(
            .operator, .createPerson(person(4), personPatch { $0.contacts = [push] }))
        #expect(created.rejection?.field == "contacts[0].channel")
    }

    @Test func `the primary device is one of the person`() {
        let scene = Scene()
        scene.ask(
            ben, .createDevice(person(2), device(2), deviceNamed("B"), credential(2)))
        scene.ask(
            anna, .createDevice(person(1), device(1), deviceNamed("A"), credential(1)))
        let stranger = scene.ask(
            anna, .updatePerson(person(1), personPatch { $0.primaryDevice = .some(device(2)) }))
        #expect(stranger.rejection?.field == "primaryDevice")
        let own = scene.ask(
            anna, .updatePerson(person(1), personPatch { $0.primaryDevice = .some(device(1)) }))
        #expect(own.person?.primaryDevice == device(1))
        let none = scene.ask(
            anna, .updatePerson(person(1), personPatch { $0.primaryDevice = .some(nil) }))
        #expect(none.person?.primaryDevice == .some(nil))
    }

    @Test
    func `removing a person removes credentials and memberships, with new versions of circles`() {
        let scene = Scene(circle: true)
        scene.ask(citra, .createDevice(person(3), device(3), deviceNamed("C"), credential(3)))
        let version = scene.family?.version ?? 0
        #expect(scene.ask(citra, .removePerson(person(3))) == .erased(person(3)))
        #expect(scene.family?.members.map(\.person) == [person(1), person(2)])
        #expect(scene.family?.version == version + 1)
        #expect(scene.core.directory.principal(tokenHash: "h3", at: .zero) == nil)
        #expect(
            scene.published.map(\.kind) == [
                .circleChanged, .credentialRemoved, .deviceRemoved, .personRemoved,
            ])
    }

    @Test func `the last admin must appoint another one before leaving`() {
        let scene = Scene(circle: true)
        #expect(scene.ask(anna, .removePerson(person(1))).rejection?.reason == .conflict)
        #expect(scene.core.directory.person(person(1)) != nil)
        scene.ask(anna, .updateMember(circle(1), person(2), member(.admin)))
        #expect(scene.ask(anna, .removePerson(person(1))) == .erased(person(1)))
    }

    @Test func `a circle is removed with its last joined member`() {
        let scene = Scene()
        scene.ask(anna, .createCircle(circle(1), circlePatch { $0.name = "Mine" }))
        scene.ask(anna, .createZone(.circle(circle(1)), zone(1), zonePatch("Home")))
        #expect(scene.ask(anna, .removePerson(person(1))) == .erased(person(1)))
        #expect(scene.family == nil)
        #expect(scene.core.directory.zone(zone(1)) == nil)
    }

    @Test func `a missing entity cannot be changed`() {
        let scene = Scene()
        #expect(
            scene.ask(.operator, .updatePerson(person(9), PersonPatch())).rejection?.reason
                == .missing)
        #expect(scene.ask(.operator, .removePerson(person(9))).rejection?.reason == .missing)
    }
}
