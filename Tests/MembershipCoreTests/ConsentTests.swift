import Directory
import Model
import Testing

@testable import MembershipCore

extension Scene {
    /// What a viewer may do with another's position now.
    fileprivate func sees(_ viewer: Principal, _ number: Int) -> Bool {
        core.directory.decide(
            viewer, .readPosition, on: .member(person(number), in: circle(1)), at: now
        ).isAllowed
    }

    fileprivate func change(
        _ who: Principal = anna, _ edit: (inout CirclePatch) -> Void
    ) -> Answer {
        ask(who, .updateCircle(circle(1), circlePatch(edit)))
    }

    fileprivate func open(_ number: Int) -> [Consent] {
        core.consents.consents(of: person(number)).filter { $0.state(at: now) == .open }
    }

    fileprivate func reply(
        _ who: Principal, _ agreed: Bool, for number: Int? = nil
    ) -> Answer {
        let asked = number.map { person($0) } ?? who.person ?? PersonID(.zero)
        let consent = core.consents.consents(of: asked).last
        return ask(
            who, .replyToConsent(asked, consent?.id ?? ConsentID(.zero), agreed: agreed))
    }

    /// A circle in which members do not see each other: Anna admin, Ben guardian, Citra and Dewi
    /// (4) members.
    fileprivate static func closed() -> Scene {
        let scene = Scene(circle: true)
        scene.ask(.operator, .createPerson(person(4), personPatch { $0.name = "Dewi" }))
        scene.ask(.operator, .addMember(circle(1), person(4), member(.member)))
        _ = scene.change { $0.membersSeePositions = false }
        return scene
    }
}

private let dewi = Principal.person(person(4))

@Suite struct `Raising visibility` {
    @Test func `takes effect for each member when they agree`() {
        let scene = Scene.closed()
        #expect(!scene.sees(citra, 2) && !scene.sees(citra, 1) && !scene.sees(citra, 4))
        #expect(scene.change { $0.membersSeePositions = true }.circle?.membersSeePositions == true)
        #expect(scene.sees(citra, 1), "the admin who asks agrees")
        #expect(!scene.sees(citra, 2) && !scene.sees(citra, 4))
        #expect(scene.sees(ben, 4), "guardians saw before")
        #expect(scene.open(2).count == 1)
        #expect(scene.open(1).isEmpty)
        #expect(scene.reply(ben, true).consent?.state(at: scene.now) == .agreed)
        #expect(scene.sees(citra, 2) && !scene.sees(citra, 4))
        #expect(scene.reply(dewi, false).consent?.state(at: scene.now) == .declined)
        #expect(!scene.sees(citra, 4))
    }

    @Test func `is lowered at once for all, which ends the requests`() {
        let scene = Scene.closed()
        _ = scene.change { $0.membersSeePositions = true }
        _ = scene.reply(ben, true)
        _ = scene.change { $0.membersSeePositions = false }
        #expect(!scene.sees(citra, 2) && !scene.sees(citra, 1))
        for number in 1...4 { #expect(scene.core.consents.consents(of: person(number)).isEmpty) }
        _ = scene.change { $0.membersSeePositions = true }
        #expect(!scene.sees(citra, 2), "agreeing once is not agreeing for ever")
        #expect(scene.open(2).count == 1)
    }

    @Test func `that was agreed to is withdrawn at once`() {
        let scene = Scene.closed()
        _ = scene.change { $0.membersSeePositions = true }
        _ = scene.reply(dewi, true)
        #expect(scene.sees(citra, 4))
        scene.now = scene.now + Limits.consentAgeMax + .seconds(1)
        scene.pass()
        #expect(scene.reply(dewi, false).rejection == nil)
        #expect(!scene.sees(citra, 4))
        #expect(scene.reply(dewi, true).rejection?.reason == .conflict, "the request is over")
    }

    @Test func `expires after thirty days`() {
        let scene = Scene.closed()
        _ = scene.change { $0.membersSeePositions = true }
        scene.now = scene.now + Limits.consentAgeMax
        #expect(scene.open(4).isEmpty)
        #expect(scene.reply(dewi, true).rejection?.detail == "the request has expired")
        #expect(!scene.sees(citra, 4))
        scene.now = scene.now + Limits.consentAgeMax
        scene.pass()
        #expect(scene.core.consents.consents(of: person(4)).isEmpty)
    }

    @Test func `is a question to the person alone`() {
        let scene = Scene.closed()
        _ = scene.change { $0.membersSeePositions = true }
        for other in [anna, ben, citra] {
            #expect(scene.reply(other, true, for: 4).denial == .notYours)
        }
        #expect(scene.reply(.operator, true, for: 4).denial == .personOnly)
        #expect(scene.open(4).count == 1)
    }

    @Test func `ends for those who leave`() {
        let scene = Scene.closed()
        _ = scene.change { $0.membersSeePositions = true }
        scene.ask(dewi, .removeMember(circle(1), person(4)))
        #expect(scene.core.consents.consents(of: person(4)).isEmpty)
        scene.ask(anna, .removeCircle(circle(1)))
        #expect(scene.core.consents.consents(of: person(2)).isEmpty)
    }

    @Test func `tells the asked once an hour`() {
        let scene = Scene.closed()
        scene.setContacts(of: 4, [contact(4, "+15550000104")])
        _ = scene.change { $0.membersSeePositions = true }
        #expect(scene.notified.map(\.address) == ["+15550000104"])
        #expect(scene.notified.map(\.content) == [.consent])
        #expect(scene.notified.map(\.sender) == ["Anna"])
        scene.ask(anna, .updateMember(circle(1), person(3), member(.guardian)))
        #expect(scene.notified.isEmpty)
    }

    @Test func `asked, withdrawn and asked again sends no flood of messages`() {
        let scene = Scene.closed()
        scene.setContacts(of: 4, [contact(4, "+15550000104")])
        var count = 0
        for _ in 0..<48 {
            _ = scene.change { $0.membersSeePositions = true }
            count += scene.notified.count
            _ = scene.change { $0.membersSeePositions = false }
            count += scene.notified.count
            scene.now = scene.now + .seconds(1800)
            scene.pass()
        }
        #expect(count == Limits.consentMessagesPerDayMax)
        scene.now = scene.now + Limits.codeWindow
        _ = scene.change { $0.membersSeePositions = true }
        #expect(scene.notified.count == 1)
    }

    @Test func `by the operator asks everybody`() {
        let scene = Scene.closed()
        _ = scene.change(.operator) { $0.membersSeePositions = true }
        for number in 1...4 { #expect(scene.open(number).count == 1) }
        #expect(!scene.sees(citra, 1))
    }
}

@Suite struct `A longer history` {
    private func days(_ scene: Scene, _ number: Int) -> Int? {
        guard let circle = scene.family, let member = circle.member(person(number)) else {
            return -1
        }
        return circle.historyDays(of: member)
    }

    @Test func `is seen of those who agree`() {
        let scene = Scene(circle: true)
        _ = scene.change { $0.historyDays = .some(7) }
        _ = scene.change { $0.historyDays = .some(30) }
        #expect(days(scene, 1) == 30 && days(scene, 2) == 7 && days(scene, 3) == 7)
        _ = scene.reply(ben, true)
        #expect(days(scene, 2) == 30 && days(scene, 3) == 7)
        _ = scene.reply(ben, false)
        #expect(days(scene, 2) == 7)
    }

    @Test func `that becomes shorter works at once, and the question becomes smaller`() {
        let scene = Scene(circle: true)
        _ = scene.change { $0.historyDays = .some(7) }
        _ = scene.change { $0.historyDays = .some(nil) }
        _ = scene.reply(ben, true)
        #expect(days(scene, 2) == nil && days(scene, 3) == 7)
        _ = scene.change { $0.historyDays = .some(14) }
        #expect(days(scene, 2) == 14 && days(scene, 3) == 7)
        #expect(scene.open(3).map(\.question) == [.history(days: 14, before: 7)])
        #expect(scene.open(2).isEmpty)
        _ = scene.change { $0.historyDays = .some(5) }
        #expect(days(scene, 2) == 5 && days(scene, 3) == 5)
        #expect(scene.open(3).isEmpty)
        #expect(
            scene.ask(ben, .updateCircle(circle(1), circlePatch { $0.historyDays = .some(1) }))
                .denial == .roleTooLow)
    }
}

@Suite struct `A role that sees more` {
    @Test func `sees each member when that member agrees`() {
        let scene = Scene.closed()
        let promoted = scene.ask(anna, .updateMember(circle(1), person(3), member(.guardian)))
        #expect(promoted.circle?.member(person(3))?.role == .guardian)
        #expect(scene.sees(citra, 1) && !scene.sees(citra, 2) && !scene.sees(citra, 4))
        _ = scene.reply(dewi, true)
        #expect(scene.sees(citra, 4) && !scene.sees(citra, 2))
        _ = scene.reply(dewi, false)
        #expect(!scene.sees(citra, 4))
    }

    @Test func `of a newcomer sees each member when that member agrees`() {
        let scene = Scene.closed()
        scene.ask(.operator, .createPerson(person(5), personPatch { $0.name = "Eko" }))
        let eko = Principal.person(person(5))
        scene.ask(
            anna,
            .invite(
                circle(1), NewInvitation(id: invitation(1), tokenHash: "t", role: .guardian)))
        let joined = scene.ask(
            eko, .acceptInvitation(tokenHash: "t", person(5), MemberPatch()))
        #expect(joined.circle?.member(person(5))?.role == .guardian)
        #expect(scene.sees(eko, 1), "the admin who invited agrees")
        #expect(!scene.sees(eko, 2) && !scene.sees(eko, 3) && !scene.sees(eko, 4))
        _ = scene.reply(dewi, true)
        #expect(scene.sees(eko, 4) && !scene.sees(eko, 3))
        // Leaving and coming back is no way around it.
        scene.ask(eko, .removeMember(circle(1), person(5)))
        scene.ask(
            anna,
            .invite(
                circle(1), NewInvitation(id: invitation(2), tokenHash: "u", role: .guardian)))
        scene.ask(eko, .acceptInvitation(tokenHash: "u", person(5), MemberPatch()))
        #expect(!scene.sees(eko, 4))
    }

    @Test func `of a ward whom a guardian adds is asked for, too`() {
        let scene = Scene.closed()
        let until = scene.now + .seconds(86_400)
        scene.ask(
            anna,
            .createWard(person(7), of: person(1), personPatch { $0.name = "F" }, until: until))
        scene.ask(anna, .addMember(circle(1), person(7), member(.guardian)))
        let ward = Principal.person(person(7))
        #expect(scene.sees(ward, 1) && !scene.sees(ward, 4))
        #expect(scene.open(4).count == 1)
    }

    @Test func `asks nobody when members see each other anyway, or saw before`() {
        let scene = Scene(circle: true)
        scene.ask(anna, .updateMember(circle(1), person(3), member(.guardian)))
        #expect(scene.open(2).isEmpty)
        let closed = Scene.closed()
        closed.ask(anna, .updateMember(circle(1), person(2), member(.admin)))
        #expect(closed.open(4).isEmpty && closed.sees(ben, 4))
    }

    @Test func `that is lowered ends the requests, and leaves nothing behind`() {
        let scene = Scene.closed()
        scene.ask(anna, .updateMember(circle(1), person(3), member(.guardian)))
        _ = scene.reply(dewi, true)
        scene.ask(anna, .updateMember(circle(1), person(3), member(.member)))
        #expect(!scene.sees(citra, 4))
        #expect(scene.core.consents.consents(of: person(4)).isEmpty)
        #expect(scene.family?.members.allSatisfy { $0.withheldFrom.isEmpty } == true)
        scene.ask(anna, .updateMember(circle(1), person(3), member(.admin)))
        #expect(!scene.sees(citra, 4) && scene.open(4).count == 1)
        scene.ask(citra, .removeMember(circle(1), person(3)))
        #expect(scene.family?.members.allSatisfy { $0.withheldFrom.isEmpty } == true)
        #expect(scene.open(4).isEmpty)
    }
}
