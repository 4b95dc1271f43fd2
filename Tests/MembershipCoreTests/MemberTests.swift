import Directory
import Model
import Testing

@testable import MembershipCore

@Suite struct MemberTests {
    @Test func `members added by the operator join at once, and are shown as managed`() {
        let scene = Scene(circle: true)
        #expect(scene.family?.member(person(3))?.joined == scene.now)
        #expect(scene.family?.member(person(3))?.managed == true)
    }

    @Test func `nobody but the operator adds a person without their consent`() {
        let scene = Scene(circle: true)
        scene.ask(.operator, .createPerson(person(4), personPatch { $0.name = "Dewi" }))
        for stranger in [4, 9] {
            let answer = scene.ask(anna, .addMember(circle(1), person(stranger), member()))
            #expect(answer.denial == .operatorOnly)
            #expect(answer.rejection?.hint == "invite the person: POST …/invitations")
        }
        #expect(
            scene.ask(citra, .addMember(circle(1), person(4), member())).denial == .roleTooLow)
    }

    @Test func `a member is added once and must exist`() {
        let scene = Scene(circle: true)
        #expect(
            scene.ask(.operator, .addMember(circle(1), person(3), member())).rejection?.reason
                == .conflict)
        let ghost = scene.ask(.operator, .addMember(circle(1), person(9), member())).rejection
        #expect(ghost?.reason == .invalid)
        #expect(ghost?.field == "person")
    }

    @Test func `only the member changes sharing, not even the operator`() {
        let scene = Scene(circle: true)
        let pause = Sharing.pausedUntil(scene.now + .seconds(3600))
        let change = Change.updateMember(circle(1), person(3), member(sharing: pause))
        #expect(scene.ask(anna, change).denial == .notYours)
        #expect(scene.ask(.operator, change).denial == .notYours)
        #expect(scene.ask(citra, change).circle?.member(person(3))?.sharing == pause)
        let past = Change.updateMember(
            circle(1), person(3), member(sharing: .pausedUntil(scene.now)))
        #expect(scene.ask(citra, past).rejection?.field == "sharing.pausedUntil")
    }

    @Test func `only the member agrees to drills, which nobody has before`() {
        let scene = Scene(circle: true)
        #expect(scene.family?.member(person(3))?.joinsDrills == false)
        var patch = MemberPatch()
        patch.joinsDrills = true
        let agree = Change.updateMember(circle(1), person(3), patch)
        #expect(scene.ask(anna, agree).denial == .notYours)
        #expect(scene.ask(.operator, agree).denial == .notYours)
        #expect(scene.ask(citra, agree).circle?.member(person(3))?.joinsDrills == true)
    }

    @Test func `only an admin changes roles, and keeps one admin`() {
        let scene = Scene(circle: true)
        let promote = Change.updateMember(circle(1), person(3), member(.guardian))
        #expect(scene.ask(ben, promote).denial == .roleTooLow)
        #expect(scene.ask(citra, promote).denial == .roleTooLow)
        #expect(scene.ask(anna, promote).circle?.member(person(3))?.role == .guardian)
        let resign = Change.updateMember(circle(1), person(1), member(.member))
        #expect(scene.ask(anna, resign).rejection == CommandRejection.lastAdmin)
        scene.ask(anna, .updateMember(circle(1), person(2), member(.admin)))
        #expect(scene.ask(anna, resign).circle?.member(person(1))?.role == .member)
    }

    @Test func `leaving needs no consent and returns no body`() {
        let scene = Scene(circle: true)
        #expect(scene.ask(citra, .removeMember(circle(1), person(3))) == .gone)
        #expect(scene.family?.member(person(3)) == nil)
    }

    @Test func `only an admin removes others, and gets the circle`() {
        let scene = Scene(circle: true)
        #expect(scene.ask(ben, .removeMember(circle(1), person(3))).denial == .roleTooLow)
        let answer = scene.ask(anna, .removeMember(circle(1), person(3)))
        #expect(answer.circle?.members.count == 2)
        #expect(
            scene.ask(anna, .removeMember(circle(1), person(3))).rejection?.reason == .missing)
    }

    @Test func `the last member who leaves removes the circle`() {
        let scene = Scene(circle: true)
        for number in [2, 3] { scene.ask(anna, .removeMember(circle(1), person(number))) }
        #expect(scene.ask(anna, .removeMember(circle(1), person(1))) == .gone)
        #expect(scene.family == nil)
    }

    @Test func `a removed member leaves the escalation policy`() {
        let scene = Scene(circle: true)
        let tiers = [EscalationTier(roles: [], people: [person(2), person(3)])]
        scene.ask(anna, .updateCircle(circle(1), circlePatch { $0.escalation = tiers }))
        scene.ask(citra, .removeMember(circle(1), person(3)))
        #expect(scene.family?.escalation[0].people == [person(2)])
    }
}

@Suite struct TrackerIDTests {
    @Test func `a tracker id is close to the name`() {
        #expect(TrackerID.free(for: "Anna Tan", besides: []) == "AT")
        #expect(TrackerID.free(for: "anna", besides: []) == "AN")
        #expect(TrackerID.free(for: "Anna", besides: ["AN"]) == "AA")
        #expect(TrackerID.free(for: "Li", besides: ["LI"]) == "LA")
        #expect(TrackerID.free(for: "安娜", besides: []) == "AA")
        #expect(TrackerID.free(for: "", besides: ["AA"]) == "AB")
    }

    @Test func `every member of a full circle gets a distinct id`() {
        var taken: [String] = []
        for _ in 0..<Limits.suite.members {
            let next = TrackerID.free(for: "Anna", besides: taken)
            #expect(next.utf8.count == 2)
            taken.append(next)
        }
        #expect(Set(taken).count == Limits.suite.members)
    }
}
