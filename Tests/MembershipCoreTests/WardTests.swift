import Directory
import Model
import Testing

@testable import MembershipCore

private let ward = Principal.person(person(7))

extension Scene {
    fileprivate var until: Timestamp { Timestamp(seconds: 1_800_000_000 + 30 * 86_400) }

    /// Citra declares person 7 her ward until 30 days after the start.
    @discardableResult
    fileprivate func declare(by principal: Principal = citra) -> Answer {
        ask(
            principal,
            .createWard(person(7), of: person(3), personPatch { $0.name = "Fitri" }, until: until))
    }

    fileprivate func may(_ principal: Principal, _ action: Action, circle id: CircleID? = nil)
        -> Bool
    {
        let target = id.map { RightsTarget.member(person(7), in: $0) } ?? .person(person(7))
        return core.directory.decide(principal, action, on: target, at: now).isAllowed
    }
}

@Suite struct `A ward` {
    @Test func `is declared by a guardian or the operator, for somebody without an account`() {
        let scene = Scene(circle: true)
        #expect(scene.declare(by: ben).denial == .notYours)
        let made = scene.declare().person
        #expect(made?.guardians == [person(3)])
        #expect(made?.wardUntil == scene.until)
        #expect(scene.core.wards.wards(of: person(3)) == [person(7)])
        let operators = Scene(circle: true)
        #expect(operators.declare(by: .operator).person != nil)
        #expect(
            scene.ask(
                citra,
                .createWard(
                    person(8), of: person(3), personPatch { $0.name = "G" }, until: scene.now)
            ).rejection?.field == "wardUntil")
        #expect(
            scene.ask(
                citra,
                .createWard(
                    person(8), of: person(3),
                    personPatch {
                        $0.name = "G"
                        $0.plan = .paid
                    }, until: scene.until)
            ).denial == .operatorOnly)
    }

    @Test func `is watched: cannot pause, leave, refuse zones or erase, but can call for help`() {
        let scene = Scene(circle: true)
        scene.declare()
        scene.ask(.operator, .addMember(circle(1), person(7), member()))
        let pause = Change.updateMember(circle(1), person(7), member(sharing: .off))
        #expect(scene.ask(ward, pause).denial == .ward)
        #expect(scene.ask(ward, .removeMember(circle(1), person(7))).denial == .ward)
        #expect(scene.ask(ward, .removePerson(person(7))).denial == .ward)
        #expect(!scene.may(ward, .optOutOfZones))
        #expect(scene.may(ward, .panic) && scene.may(ward, .cancelEmergency))
        #expect(scene.may(ward, .readPerson) && scene.may(ward, .readAccessLog))
        #expect(!scene.may(ward, .declareWard))
        for action in [Action.optOutOfZones, .editPrivateZones, .watch, .readPerson] {
            #expect(scene.may(citra, action))
            #expect(!scene.may(ben, action))
        }
        #expect(!scene.may(citra, .panic))
        #expect(scene.ask(ben, pause).denial == .notYours)
        #expect(scene.ask(citra, pause).rejection == nil)
        #expect(scene.ask(citra, .removeMember(circle(1), person(7))).rejection == nil)
        #expect(scene.family?.member(person(7)) == nil)
    }

    @Test func `joins a circle by a guardian: an admin adds them, others accept for them`() {
        let scene = Scene(circle: true)
        scene.declare()
        let add = Change.addMember(circle(1), person(7), member())
        #expect(scene.ask(anna, add).denial == .operatorOnly)
        #expect(scene.ask(citra, add).denial == .roleTooLow)
        scene.ask(
            anna, .invite(circle(1), NewInvitation(id: invitation(1), tokenHash: "t1")))
        let accept = Change.acceptInvitation(tokenHash: "t1", person(7), MemberPatch())
        #expect(scene.ask(ben, accept).denial == .notYours)
        #expect(scene.ask(citra, accept).circle?.member(person(7))?.managed == true)
        scene.ask(anna, .updateMember(circle(1), person(3), member(.admin)))
        scene.ask(citra, .removeMember(circle(1), person(7)))
        #expect(scene.ask(citra, add).circle?.member(person(7))?.managed == true)
    }

    @Test func `takes over on the date, and is notified a week before`() {
        let scene = Scene(circle: true)
        scene.setContacts(of: 3, [contact(3, "+15550000103")])
        scene.declare()
        scene.now = scene.until - Limits.wardNoticePeriod - .seconds(1)
        scene.pass()
        #expect(scene.notified.isEmpty)
        #expect(scene.core.wards.nextDue == scene.now + .seconds(1))
        scene.now = scene.now + .seconds(1)
        scene.pass()
        #expect(scene.notified.map(\.content) == [.takeOver(ward: "Fitri", scene.until)])
        #expect(scene.notified.map(\.address) == ["+15550000103"])
        scene.pass()
        #expect(scene.notified.isEmpty, "once")
        #expect(scene.may(citra, .editPrivateZones))
        scene.now = scene.until
        #expect(!scene.may(citra, .editPrivateZones), "rights end with the time alone")
        #expect(scene.may(ward, .optOutOfZones))
        scene.pass()
        #expect(scene.core.directory.person(person(7))?.guardians == [])
        #expect(scene.core.wards.nextDue == nil)
        #expect(scene.core.wards.wards(of: person(3)).isEmpty)
    }

    @Test func `takes over alone: former guardians cannot sign in as them`() {
        let scene = Scene(circle: true)
        scene.declare()
        func verified(_ number: Int, _ address: String) -> ContactPoint {
            var point = contact(number, address)
            point.verified = scene.now
            return point
        }
        scene.setContacts(of: 3, [verified(3, "+15550000103")])
        scene.setContacts(of: 7, [verified(4, "+15550000103"), verified(5, "+15550000107")])
        for (number, kind) in [(1, CredentialKind.person), (2, .help)] {
            scene.ask(
                ward,
                .createCredential(person(7), credential(number), CredentialTerms(kind: kind)))
        }
        scene.ask(
            citra,
            .createDevice(person(7), device(1), deviceNamed("phone"), credential(3)))
        scene.perform(.openSession(person(7), credential(4), name: "Firefox"))
        scene.now = scene.until - .seconds(1)
        scene.pass()
        #expect(scene.core.directory.credentials(of: person(7)).count == 4)
        scene.now = scene.until
        scene.pass()
        let contacts = scene.core.directory.person(person(7))?.contacts
        #expect(contacts?.map { $0.verified != nil } == [false, true])
        #expect(
            Set(scene.core.directory.credentials(of: person(7)).map(\.kind)) == [.help, .report])
        #expect(scene.core.sessions.count == 0)
    }

    @Test func `who could not sign in otherwise keeps the session on taking over`() {
        let scene = Scene(circle: true)
        scene.declare()
        scene.perform(.openSession(person(7), credential(4), name: "Firefox"))
        scene.now = scene.until
        scene.pass()
        #expect(scene.core.sessions.count == 1)
    }

    @Test func `has guardians who are asked once by somebody whom they declined`() {
        let scene = Scene(circle: true)
        scene.declare()
        scene.setContacts(of: 3, [contact(3, "+15550000103")])
        let ask = Change.requestGuardianship(person(2), of: person(7))
        guard case .requested(let consent) = scene.ask(ben, ask) else {
            Issue.record("not requested")
            return
        }
        #expect(scene.notified.count == 1)
        scene.ask(citra, .replyToConsent(person(7), consent.id, agreed: false))
        scene.now = scene.now + Limits.codeWindow
        guard case .requested(let again) = scene.ask(ben, ask) else {
            Issue.record("the answer differs")
            return
        }
        #expect(again.state(at: scene.now) == .open && scene.notified.isEmpty)
        #expect(scene.core.consents[consent.id]?.state(at: scene.now) == .declined)
    }

    @Test func `takes over at the next start if the date passed meanwhile`() {
        let scene = Scene(circle: true)
        scene.declare()
        scene.now = scene.until + .seconds(86_400)
        scene.core = MembershipCore(directory: scene.core.directory)
        scene.pass()
        #expect(scene.core.directory.person(person(7))?.guardians == [])
        #expect(scene.notified.isEmpty, "nothing is announced afterwards")
    }

    @Test func `gets another guardian when one of theirs agrees`() {
        let scene = Scene(circle: true)
        scene.declare()
        let ask = Change.requestGuardianship(person(2), of: person(7))
        #expect(scene.ask(anna, ask).denial == .notYours)
        guard case .requested(let consent) = scene.ask(ben, ask) else {
            Issue.record("not requested")
            return
        }
        #expect(!scene.may(ben, .editPrivateZones))
        let agree = Change.replyToConsent(person(7), consent.id, agreed: true)
        #expect(scene.ask(ward, agree).denial == .ward)
        #expect(scene.ask(ben, agree).denial == .notYours)
        #expect(scene.ask(citra, agree).rejection == nil)
        #expect(scene.core.directory.person(person(7))?.guardians == [person(2), person(3)])
        #expect(scene.may(ben, .editPrivateZones))
    }

    @Test func `is never made of a person with an account`() {
        let scene = Scene(circle: true)
        let ask = Change.requestGuardianship(person(2), of: person(1))
        #expect(scene.ask(ben, ask).rejection?.reason == .missing)
        #expect(scene.ask(.operator, ask).rejection?.reason == .missing)
        #expect(
            scene.ask(ben, .requestGuardianship(person(2), of: person(2))).rejection?.reason
                == .missing)
    }

    @Test func `keeps a guardian: the only one is not erased before the ward`() {
        let scene = Scene(circle: true)
        scene.declare()
        #expect(scene.ask(citra, .removePerson(person(3))).rejection?.reason == .conflict)
        #expect(scene.ask(citra, .removePerson(person(7))).rejection == nil)
        #expect(scene.ask(citra, .removePerson(person(3))).rejection == nil)
    }

    @Test func `loses an erased guardian, and keeps the others`() {
        let scene = Scene(circle: true)
        scene.declare()
        guard
            case .requested(let consent) = scene.ask(
                ben, .requestGuardianship(person(2), of: person(7)))
        else {
            Issue.record("not requested")
            return
        }
        scene.ask(citra, .replyToConsent(person(7), consent.id, agreed: true))
        #expect(scene.ask(citra, .removePerson(person(3))).rejection == nil)
        #expect(scene.core.directory.person(person(7))?.guardians == [person(2)])
    }

    @Test func `is shown more only with a guardian`() {
        let scene = Scene(circle: true)
        scene.declare()
        scene.ask(.operator, .addMember(circle(1), person(7), member()))
        let hide = circlePatch { $0.membersSeePositions = false }
        let show = circlePatch { $0.membersSeePositions = true }
        scene.ask(anna, .updateCircle(circle(1), hide))
        scene.setContacts(of: 3, [contact(3, "+15550000103")])
        scene.ask(anna, .updateCircle(circle(1), show))
        #expect(scene.notified.map(\.address) == ["+15550000103", "+15550000103"])
        let consent = scene.core.consents.consents(of: person(7))
        #expect(consent.map(\.question) == [.membersSee])
        let agree = Change.replyToConsent(person(7), consent[0].id, agreed: true)
        #expect(scene.ask(ward, agree).denial == .ward)
        #expect(scene.family?.member(person(7))?.membersSee == false)
        #expect(scene.ask(citra, agree).rejection == nil)
        #expect(scene.family?.member(person(7))?.membersSee == true)
        // A guardian who raises it has agreed for the ward.
        scene.ask(anna, .updateMember(circle(1), person(3), member(.admin)))
        scene.ask(citra, .updateCircle(circle(1), hide))
        scene.ask(citra, .updateCircle(circle(1), show))
        #expect(scene.family?.member(person(7))?.membersSee == true)
    }
}
