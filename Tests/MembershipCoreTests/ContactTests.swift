import Directory
import MembershipCore
import Model
import Testing

/// Contact points: verified by code, vouched by the operator, tested, removed.
@Suite struct ContactTests {
    private let scene = Scene()
    private let number = "+15550000101"

    /// Sets Anna's contact points.
    @discardableResult
    private func edit(_ principal: Principal = anna, _ contacts: ContactPoint...) -> Answer {
        scene.ask(
            principal, .updatePerson(person(1), personPatch { $0.contacts = contacts }))
    }

    private func sendCode(_ digest: Int = 1, by principal: Principal = anna) -> Answer {
        scene.ask(principal, .sendContactCode(person(1), contactID(1), code(digest)))
    }

    private func enter(_ digest: Int, by principal: Principal = anna) -> Answer {
        scene.ask(principal, .verifyContact(person(1), contactID(1), code(digest)))
    }

    private var stored: [ContactPoint] { scene.core.directory.person(person(1))?.contacts ?? [] }

    private func verify() {
        edit(anna, contact(1, number))
        _ = sendCode()
        _ = enter(1)
    }

    @Test func `a code that arrived at a contact point verifies it`() {
        edit(anna, contact(1, number))
        #expect(stored.first?.verified == nil)
        let expires = scene.now + .seconds(600)
        #expect(sendCode() == .codeSent(expires: expires))
        #expect(scene.notices.map(\.content) == [.contactCode])
        #expect(scene.notices.map(\.address) == [number])
        #expect(scene.notices.map(\.expires) == [expires])
        #expect(enter(1).person?.contacts.first?.verified == scene.now)
        #expect(stored.first?.verified == scene.now)
        #expect(scene.codes == [.remove(.contact(contactID(1)))])
        #expect(sendCode().rejection?.reason == .conflict, "it is verified")
    }

    @Test func `a code is valid for ten minutes, and not a moment longer`() {
        edit(anna, contact(1, number))
        _ = sendCode()
        let sent = scene.now
        scene.now = sent + .seconds(600) - .milliseconds(1)
        #expect(enter(9).rejection?.reason == .invalid)
        scene.now = sent + .seconds(600)
        #expect(enter(1).rejection?.detail.contains("expired") == true)
        #expect(stored.first?.verified == nil)
    }

    @Test func `five wrong codes make it void, and a new code replaces it`() {
        edit(anna, contact(1, number))
        _ = sendCode()
        for _ in 0..<Limits.codeTriesMax { #expect(enter(9).rejection?.reason == .invalid) }
        #expect(enter(1).rejection?.reason == .conflict)
        _ = sendCode(2)
        #expect(enter(1).rejection?.reason == .invalid, "the code before")
        #expect(enter(2).person?.contacts.first?.verified != nil)
    }

    @Test func `an address gets five codes a day from all people together`() {
        edit(anna, contact(1, number))
        for count in 1...6 {
            let answer = sendCode()
            #expect((answer.rejection == nil) == (count <= 5))
        }
        scene.ask(
            ben, .updatePerson(person(2), personPatch { $0.contacts = [contact(2, number)] }))
        let other = scene.ask(ben, .sendContactCode(person(2), contactID(2), code(1)))
        #expect(other.rejection?.reason == .tooOften(Limits.codeWindow))
        scene.now = scene.now + Limits.codeWindow
        #expect(sendCode().rejection == nil)
    }

    @Test func `only the person and a ward's guardian verify`() {
        edit(anna, contact(1, number))
        #expect(sendCode(by: ben).denial == .notYours)
        #expect(sendCode(by: .operator).denial == .notYours)
        #expect(enter(1, by: .operator).denial == .notYours)
        #expect(
            scene.ask(.operator, .testContact(person(1), contactID(1))).denial == .notYours)
    }

    @Test func `editing an address clears its verification, editing label and order does not`() {
        verify()
        var same = contact(7, number)
        (same.label, same.rank) = ("work", 3)
        edit(anna, same)
        #expect(stored.first?.verified != nil && stored.first?.id == contactID(1))
        #expect(stored.first?.label == "work" && stored.first?.rank == 3)
        #expect(scene.notices.isEmpty)
        edit(anna, contact(8, "+15550000102"))
        #expect(stored.first?.verified == nil && stored.first?.id == contactID(8))
        #expect(scene.notices.map(\.content) == [.contactRemoved])
        #expect(scene.notices.map(\.address) == [number], "the old one is warned")
    }

    @Test func `nobody can state in a request that a contact point is verified`() {
        var forged = contact(1, number)
        forged.verified = scene.now
        edit(anna, forged)
        #expect(stored.first?.verified == nil)
    }

    private func warning(_ answer: Answer) -> ContactWarning? {
        if case .unreachablePerson(_, let warning) = answer { warning } else { nil }
    }

    @Test func `taking away the last one is answered with a warning`() {
        verify()
        #expect(warning(edit(anna, contact(2, "+15550000102"))) == .noVerifiedContactPoint)
        let last = edit()
        #expect(warning(last) == .noContactPoint)
        #expect(last.person?.contacts.isEmpty == true)
        #expect(scene.notices.isEmpty, "a number that nobody verified may be a stranger's")
        #expect(warning(edit()) == nil, "nothing was there")
    }

    @Test func `the operator vouches until the person has verified one by code`() {
        #expect(edit(anna, contact(1, number, vouched: true)).denial == .operatorOnly)
        edit(.operator, contact(1, number, vouched: true))
        #expect(stored.first?.verified == scene.now && stored.first?.vouched == true)
        edit(.operator, contact(1, number, vouched: true), contact(2, "a@b.example", .email))
        #expect(stored.map { $0.verified != nil } == [true, false])
        edit(
            .operator, contact(1, number, vouched: true),
            contact(2, "a@b.example", .email, vouched: true))
        #expect(stored.allSatisfy { $0.verified != nil && $0.vouched })
        // The person proves it, after which nobody else speaks for them.
        _ = sendCode()
        _ = enter(1)
        #expect(stored.first?.vouched == false)
        let rejection = edit(.operator, contact(1, number), contact(3, "+15559", vouched: true))
            .rejection
        #expect(rejection?.reason == .conflict)
        #expect(rejection?.field == "contacts[1].vouched")
        #expect(edit(anna, contact(1, number, vouched: true)).rejection == nil, "it is verified")
        #expect(stored.first?.vouched == false)
    }

    @Test func `a verified contact point can be tested five times a day`() {
        edit(anna, contact(1, number))
        let test = Change.testContact(person(1), contactID(1))
        #expect(scene.ask(anna, test).rejection?.reason == .conflict)
        _ = sendCode()
        _ = enter(1)
        for count in 1...6 {
            let answer = scene.ask(anna, test)
            #expect((answer == .testSent) == (count <= 5))
            #expect(scene.notices.map(\.content) == (count <= 5 ? [.contactTest] : []))
        }
    }

    @Test func `people of before are asked once, one at a time and by day`() {
        edit(anna, contact(1, number), contact(2, "a@b.example", .email))
        scene.ask(
            ben, .updatePerson(person(2), personPatch { $0.contacts = [contact(3, "+15557")] }))
        let start = scene.now
        scene.core = MembershipCore(
            directory: scene.core.directory,
            reminders: ContactReminders(waiting: [1, 2, 3].map(person), at: start))
        func step(_ hour: Int) -> [String] {
            guard let due = scene.core.reminders.nextDue else { return [] }
            scene.now = max(scene.now, due)
            _ = scene.perform(.remind { _ in hour })
            return scene.notices.map(\.address)
        }
        #expect(step(3).isEmpty, "nobody is asked at night")
        #expect(step(9) == [number, "a@b.example"])
        #expect(step(19) == ["+15557"])
        #expect(scene.now == start + .seconds(30))
        // Citra has no contact point.
        #expect(step(10).isEmpty)
        #expect(scene.core.reminders.nextDue == nil)
    }
}
