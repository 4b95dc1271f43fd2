import Directory
import MembershipCore
import Model
import Testing

@Suite struct PeopleTests {
    @Test func `the operator creates a person and everybody else is refused`() {
        let scene = Scene()
        let created = scene.ask(.operator, .createPerson(person(4), personPatch { $0.name = "D" }))
        #expect(created.person?.name == "D")
        #expect(scene.published == [.personChanged(Person(id: person(4), name: "D"))])
        let refused = scene.ask(anna, .createPerson(person(5), personPatch { $0.name = "E" }))
        #expect(refused.denial == .operatorOnly)
        #expect(scene.published.isEmpty)
    }

    @Test func `what is not given keeps its value, and each change is a version`() {
        let scene = Scene()
        let answer = scene.ask(anna, .updatePerson(person(1), personPatch { $0.locale = "ms" }))
        #expect(answer.person?.name == "Anna")
        #expect(answer.person?.locale == "ms")
        #expect(answer.person?.version == 2)
    }

    @Test func `a change that changes nothing is no version and is not published`() {
        let scene = Scene()
        let answer = scene.ask(anna, .updatePerson(person(1), personPatch { $0.name = "Anna" }))
        #expect(answer.person?.version == 1)
        #expect(scene.published.isEmpty)
    }

    @Test func `an outdated version changes nothing and says which is right`() {
        let scene = Scene()
        let change = Change.updatePerson(person(1), personPatch { $0.name = "Ann" })
        #expect(scene.ask(anna, ifVersion: 1, change).person?.version == 2)
        let refusal = scene.ask(anna, ifVersion: 1, change).refusal
        #expect(refusal?.reason == .outdated)
        #expect(refusal?.detail.contains("version 2") == true)
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

    @Test func `a contact point that stays keeps its id`() {
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

    @Test func `a contact point is named once`() {
        let scene = Scene()
        let answer = scene.ask(
            anna,
            .updatePerson(
                person(1),
                personPatch { $0.contacts = [contact(1, "+601"), contact(2, "+601")] }))
        #expect(answer.refusal?.field == "contacts[1].address")
    }

    @Test func `a push contact point is refused, but one that is stored stays`() {
        let scene = Scene()
        let push = contact(1, "https://push.example.org/1", .push)
        let answer = scene.ask(
            anna,
            .updatePerson(
                person(1), personPatch { $0.contacts = [contact(2, "+601"), push] }))
        #expect(answer.refusal?.field == "contacts[1].channel")
        #expect(answer.refusal?.hint == "use sms or email")
        #expect(scene.published.isEmpty)
        let created = scene.ask(
            .operator, .createPerson(person(4), personPatch { $0.contacts = [push] }))
        #expect(created.refusal?.field == "contacts[0].channel")
    }

    @Test func `the device that leads is one of the person`() {
        let scene = Scene()
        scene.ask(
            ben, .createDevice(person(2), device(2), deviceNamed("B"), credential(2)))
        scene.ask(
            anna, .createDevice(person(1), device(1), deviceNamed("A"), credential(1)))
        let stranger = scene.ask(
            anna, .updatePerson(person(1), personPatch { $0.leadingDevice = .some(device(2)) }))
        #expect(stranger.refusal?.field == "leadingDevice")
        let own = scene.ask(
            anna, .updatePerson(person(1), personPatch { $0.leadingDevice = .some(device(1)) }))
        #expect(own.person?.leadingDevice == device(1))
        let none = scene.ask(
            anna, .updatePerson(person(1), personPatch { $0.leadingDevice = .some(nil) }))
        #expect(none.person?.leadingDevice == .some(nil))
    }

    @Test func `a person goes with credentials and out of circles, which tell it by a new version`()
    {
        let scene = Scene(circle: true)
        scene.ask(citra, .createDevice(person(3), device(3), deviceNamed("C"), credential(3)))
        let version = scene.family?.version ?? 0
        #expect(scene.ask(citra, .removePerson(person(3))) == .gone)
        #expect(scene.family?.members.map(\.person) == [person(1), person(2)])
        #expect(scene.family?.version == version + 1)
        #expect(scene.core.directory.principal(tokenHash: "h3") == nil)
        #expect(
            scene.published.map(\.kind) == [
                .circleChanged, .credentialRemoved, .deviceRemoved, .personRemoved,
            ])
    }

    @Test func `the last admin does not go before naming another`() {
        let scene = Scene(circle: true)
        #expect(scene.ask(anna, .removePerson(person(1))).refusal?.reason == .conflict)
        #expect(scene.core.directory.person(person(1)) != nil)
        scene.ask(anna, .updateMember(circle(1), person(2), member(.admin)))
        #expect(scene.ask(anna, .removePerson(person(1))) == .gone)
    }

    @Test func `a circle goes with the last who had joined it`() {
        let scene = Scene()
        scene.ask(anna, .createCircle(circle(1), circlePatch { $0.name = "Mine" }))
        scene.ask(anna, .addMember(circle(1), person(2), member(.member)))
        scene.ask(anna, .createZone(.circle(circle(1)), zone(1), zonePatch("Home")))
        #expect(scene.ask(anna, .removePerson(person(1))) == .gone)
        #expect(scene.family == nil)
        #expect(scene.core.directory.zone(zone(1)) == nil)
    }

    @Test func `what is not there cannot be changed`() {
        let scene = Scene()
        #expect(
            scene.ask(.operator, .updatePerson(person(9), PersonPatch())).refusal?.reason
                == .missing)
        #expect(scene.ask(.operator, .removePerson(person(9))).refusal?.reason == .missing)
    }
}
