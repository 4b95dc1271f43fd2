import Directory
import Model
import Testing

@testable import MembershipCore

/// A family: Anna is the admin, Ben a guardian and Citra a member. Dewi (4) and Eko (5) have
/// accounts outside it.
private func family() -> Scene {
    let scene = Scene(circle: true)
    for (number, name) in [(4, "Dewi"), (5, "Eko")] {
        scene.ask(.operator, .createPerson(person(number), personPatch { $0.name = name }))
    }
    return scene
}

private let dewi = Principal.person(person(4))
private let eko = Principal.person(person(5))
private let dewisNumber = Invitation.Contact(channel: .sms, address: "+15550000104")

extension Scene {
    /// Anna invites with the token `t` and the number.
    @discardableResult
    fileprivate func invite(
        _ number: Int, _ role: Role? = nil, contact: Invitation.Contact? = nil,
        uses: Int? = nil, expires: Timestamp? = nil, by inviter: Principal = anna
    ) -> Answer {
        ask(
            inviter,
            .invite(
                circle(1),
                NewInvitation(
                    id: invitation(number), tokenHash: "t\(number)", role: role, contact: contact,
                    expires: expires, usesMax: uses)))
    }

    fileprivate func accept(
        _ number: Int, _ who: Principal, _ patch: MemberPatch = MemberPatch()
    ) -> Answer {
        ask(
            who,
            .acceptInvitation(
                tokenHash: "t\(number)", who.person ?? PersonID(.zero), patch))
    }

    fileprivate func decline(_ number: Int) -> CommandRejection? {
        handle(.declineInvitation(1, tokenHash: "t\(number)")).rejection
    }

    fileprivate func state(_ number: Int) -> Invitation.State? {
        core.invitations[invitation(number)]?.state(at: now)
    }

    /// Gives a person a contact point that they proved.
    fileprivate func verify(_ number: Int, _ contact: Invitation.Contact) {
        let point = ContactPoint(
            id: ContactID(ID128(high: 6, low: UInt64(number))), channel: contact.channel,
            address: contact.address, verified: now)
        setContacts(of: number, [point])
    }
}

@Suite struct `An invitation` {
    @Test func `lets the person with the link join, on the terms of the circle`() {
        let scene = family()
        let made = scene.invite(1, .guardian).invitation
        #expect(made?.state(at: scene.now) == .open)
        #expect(scene.notified.isEmpty, "a link is sent by nobody but the inviter")
        var patch = MemberPatch()
        patch.precision = .zone
        let circle = scene.accept(1, dewi, patch).circle
        let member = circle?.member(person(4))
        #expect(member?.role == .guardian)
        #expect(member?.joined == scene.now)
        #expect(member?.precision == .zone)
        #expect(member?.managed == false)
        #expect(scene.state(1) == .accepted)
    }

    @Test func `is used once, or as often as it says`() {
        let scene = family()
        scene.invite(1)
        scene.invite(2, uses: 2)
        #expect(scene.accept(1, dewi).rejection == nil)
        let again = scene.accept(1, eko).rejection
        #expect(again?.reason == .conflict)
        #expect(again?.detail == "this invitation was already used")
        #expect(scene.accept(2, dewi).rejection?.detail == "this person is already a member")
        #expect(scene.accept(2, eko).rejection == nil)
        #expect(scene.state(2) == .open)
    }

    @Test func `ends by its time, by being revoked and with its circle`() {
        let scene = family()
        for number in 1...3 { scene.invite(number) }
        #expect(scene.ask(ben, .revokeInvitation(circle(1), invitation(1))).denial == .roleTooLow)
        #expect(scene.ask(anna, .revokeInvitation(circle(1), invitation(1))) == .gone)
        #expect(scene.accept(1, dewi).rejection?.detail == "this invitation was revoked")
        scene.now = scene.now + Limits.invitationAgeDefault
        #expect(scene.accept(2, dewi).rejection?.detail == "this invitation has expired")
        scene.invite(4)
        scene.ask(anna, .removeCircle(circle(1)))
        #expect(scene.accept(4, dewi).rejection?.reason == .missing)
        #expect(scene.state(4) == .revoked)
        #expect(scene.decline(4)?.reason == .missing)
        #expect(scene.accept(9, dewi).rejection?.reason == .missing)
    }

    @Test func `needs an inviter who is still an admin`() {
        let scene = family()
        scene.ask(.operator, .updateMember(circle(1), person(2), member(.admin)))
        scene.invite(1, by: ben)
        scene.ask(anna, .updateMember(circle(1), person(2), member(.guardian)))
        #expect(scene.accept(1, dewi).rejection?.reason == .conflict)
    }

    @Test func `to a number is accepted by the person who proved it`() {
        let scene = family()
        scene.invite(1, .admin, contact: dewisNumber)
        #expect(scene.notified.map(\.address) == [dewisNumber.address])
        #expect(scene.notified.first?.content == .invitation)
        #expect(scene.notified.first?.sender == "Anna")
        #expect(scene.accept(1, dewi).rejection?.reason == .conflict)
        let unproven = ContactPoint(
            id: ContactID(ID128(high: 6, low: 4)), channel: .sms, address: dewisNumber.address)
        scene.setContacts(of: 4, [unproven])
        #expect(scene.accept(1, dewi).rejection?.reason == .conflict)
        scene.verify(5, dewisNumber)
        #expect(scene.accept(1, dewi).rejection?.reason == .conflict)
        #expect(scene.accept(1, eko).circle?.member(person(5))?.role == .admin)
    }

    @Test func `looks the same whether the number has an account`() {
        let (known, unknown) = (family(), family())
        known.verify(4, dewisNumber)
        #expect(
            known.invite(1, contact: dewisNumber) == unknown.invite(1, contact: dewisNumber))
        #expect(known.notified == unknown.notified)
    }

    @Test func `for an admin needs a contact, and one to a contact is for one person`() {
        let scene = family()
        #expect(scene.invite(1, .admin).rejection?.field == "contact")
        #expect(scene.invite(1, contact: dewisNumber, uses: 2).rejection?.field == "uses")
        for end in [scene.now, scene.now + Limits.invitationAgeMax + .seconds(1)] {
            #expect(scene.invite(1, expires: end).rejection?.field == "expires")
        }
        #expect(scene.invite(1, by: ben).denial == .roleTooLow)
        #expect(scene.invite(1, by: dewi).denial == .notAMember)
        #expect(scene.invite(1, by: .operator).invitation?.inviter == .operator)
    }

    @Test func `is declined once by one person, counted for a link of many`() {
        let scene = family()
        scene.invite(1)
        scene.invite(2, uses: 3)
        #expect(scene.decline(1) == nil)
        #expect(scene.decline(1) == nil)
        #expect(scene.core.invitations[invitation(1)]?.declined == 1)
        #expect(scene.accept(1, dewi).rejection?.detail == "this invitation was declined")
        #expect(scene.decline(2) == nil)
        #expect(scene.accept(2, dewi).rejection == nil)
    }

    @Test func `twenty a day are enough, and a deleted circle does not reset the count`() {
        let scene = family()
        for number in 1...Limits.invitationsPerPersonMax {
            #expect(scene.invite(number).rejection == nil)
        }
        let more = scene.invite(99).rejection
        #expect(more?.reason == .tooOften(Limits.codeWindow))
        #expect(scene.invite(98, by: .operator).rejection == nil)
        scene.ask(anna, .removeCircle(circle(1)))
        scene.ask(anna, .createCircle(circle(1), circlePatch { $0.name = "Again" }))
        #expect(scene.invite(99).rejection != nil)
        // The rows alone tell, as after a restart.
        let rows = (1...Limits.invitationsPerPersonMax).compactMap {
            scene.core.invitations[invitation($0)]
        }
        scene.core = MembershipCore(
            directory: scene.core.directory, invitations: Invitations(rows))
        #expect(scene.invite(99).rejection != nil)
        scene.now = scene.now + Limits.codeWindow
        #expect(scene.invite(99).rejection == nil)
    }

    @Test func `sends at most three messages a day to one number, and says nothing of it`() {
        let scene = family()
        for number in 1...Limits.codesPerNumberMax + 1 {
            #expect(scene.invite(number, contact: dewisNumber).rejection == nil)
            #expect(scene.notified.count == (number <= Limits.codesPerNumberMax ? 1 : 0))
        }
    }

    @Test func `sends no more messages to somebody who declined that circle or inviter`() {
        let scene = family()
        scene.invite(1, contact: dewisNumber)
        #expect(scene.decline(1) == nil)
        let declined = scene.invite(2, contact: dewisNumber)
        #expect(declined.invitation != nil && scene.notified.isEmpty, "the inviter learns nothing")
        scene.ask(anna, .createCircle(circle(2), circlePatch { $0.name = "Other" }))
        scene.ask(
            anna,
            .invite(
                circle(2), NewInvitation(id: invitation(3), tokenHash: "t3", contact: dewisNumber)))
        #expect(scene.notified.isEmpty, "the same inviter with another circle")
        scene.ask(.operator, .updateMember(circle(1), person(2), member(.admin)))
        scene.invite(4, contact: dewisNumber, by: ben)
        #expect(scene.notified.isEmpty, "the same circle with another inviter")
        scene.now = scene.now + Limits.codeWindow
        scene.ask(eko, .createCircle(circle(3), circlePatch { $0.name = "Choir" }))
        scene.ask(
            eko,
            .invite(
                circle(3), NewInvitation(id: invitation(5), tokenHash: "t5", contact: dewisNumber)))
        #expect(scene.notified.count == 1, "somebody else")
    }

    @Test func `to an address counts and is proved in whatever case it is typed`() {
        let scene = family()
        let typed = Invitation.Contact(channel: .email, address: "Dewi@Example.test")
        let other = Invitation.Contact(channel: .email, address: "dewi@example.test")
        for number in 1...Limits.codesPerNumberMax {
            scene.invite(number, contact: number == 1 ? typed : other)
        }
        scene.invite(9, contact: typed)
        #expect(scene.notified.isEmpty)
        scene.verify(4, other)
        #expect(scene.accept(1, dewi).rejection == nil)
    }

    @Test func `of staff is open, although they are not members`() {
        let scene = family()
        scene.ask(.operator, .updatePerson(person(5), personPatch { $0.staff = .some(.operator) }))
        #expect(scene.invite(1, .guardian, by: eko).rejection == nil)
        #expect(scene.accept(1, dewi).rejection == nil)
        scene.invite(2, by: eko)
        scene.ask(.operator, .updatePerson(person(5), personPatch { $0.staff = .some(nil) }))
        #expect(scene.accept(2, dewi).rejection?.reason == .conflict)
    }

    @Test func `does not raise what was offered when the circle shows more meanwhile`() {
        let scene = Scene()
        let closed = circlePatch {
            $0.name = "Team"
            $0.membersSeePositions = false
            $0.historyDays = .some(7)
        }
        scene.ask(anna, .createCircle(circle(1), closed))
        scene.invite(1)
        let open = circlePatch {
            $0.membersSeePositions = true
            $0.historyDays = .some(nil)
        }
        scene.ask(anna, .updateCircle(circle(1), open))
        let circle = scene.accept(1, ben).circle
        let member = circle?.member(person(2))
        #expect(member?.membersSee == false)
        #expect(member?.agreedHistoryDays == 7)
        #expect(scene.core.consents.consents(of: person(2)).count == 2)
        #expect(scene.notified.isEmpty, "they have the page open")
    }

    @Test func `of an erased inviter leaves nothing`() {
        let scene = family()
        scene.ask(.operator, .updateMember(circle(1), person(2), member(.admin)))
        scene.invite(1, contact: dewisNumber, by: ben)
        scene.invite(2, uses: 5)
        _ = scene.accept(2, ben)
        _ = scene.accept(2, eko)
        #expect(scene.ask(.operator, .removePerson(person(2))).rejection == nil)
        #expect(scene.core.invitations[invitation(1)] == nil)
        scene.ask(.operator, .removePerson(person(5)))
        #expect(scene.core.invitations[invitation(2)]?.accepted == [PersonID(.zero)])
    }

    @Test func `is removed a month after its end`() {
        let scene = family()
        scene.invite(1)
        scene.now = scene.now + Limits.invitationAgeDefault + Limits.invitationKept - .seconds(1)
        scene.pass()
        #expect(scene.state(1) == .expired)
        scene.now = scene.now + .seconds(1)
        scene.pass()
        #expect(scene.core.invitations[invitation(1)] == nil)
        #expect(scene.core.invitations.invitation(tokenHash: "t1") == nil)
    }

    @Test func `does not fit into a full circle`() {
        let scene = Scene(circle: true)
        scene.ask(
            .operator, .updatePerson(person(1), personPatch { $0.affiliation = Affiliation.none }))
        let most = scene.core.directory.rights.membersPerCircleMax(.none)
        #expect(most < Limits.allowance(of: .trial).members)
        for number in 4...most + 2 {
            scene.ask(.operator, .createPerson(person(number), personPatch { $0.name = "P" }))
        }
        scene.invite(1, uses: 50)
        for number in 4...most {
            #expect(scene.accept(1, .person(person(number))).rejection == nil)
        }
        let full = scene.accept(1, .person(person(most + 1))).rejection
        #expect(full?.detail.contains("members of a circle") == true)
    }
}

@Suite struct `Admins who leave` {
    @Test func `at once do not leave a circle without one`() {
        let scene = Scene(circle: true)
        scene.ask(anna, .updateMember(circle(1), person(2), member(.admin)))
        #expect(scene.ask(anna, .removeMember(circle(1), person(1))) == .gone)
        #expect(
            scene.ask(ben, .removeMember(circle(1), person(2))).rejection
                == CommandRejection.lastAdmin)
        scene.ask(ben, .updateMember(circle(1), person(3), member(.admin)))
        #expect(scene.ask(ben, .removeMember(circle(1), person(2))) == .gone)
        #expect(scene.family?.members.map(\.person) == [person(3)])
    }
}
