import Directory
import Model

/// Decides who is invited to a circle, and who joins.
struct Inviting {
    let context: CommandContext

    /// Creates an invitation, and sends it if it is to a contact point. The answer is the same
    /// whether somebody with that contact point has an account.
    func invite(to circleID: CircleID, _ new: NewInvitation) -> Verdict {
        if let rejection = context.denial(.invite, on: .circle(circleID)) {
            return .rejected(rejection)
        }
        guard let circle = context.directory.circle(circleID) else {
            return .rejected(.missing("circle"))
        }
        if let rejection = check(new, in: circle) { return .rejected(rejection) }
        let inviter = Actor(context.command.principal)
        let invitation = Invitation(
            id: new.id, circle: circleID, inviter: inviter, role: new.role ?? .member,
            contact: new.contact, tokenHash: new.tokenHash, created: context.now,
            expires: new.expires ?? context.now + Limits.invitationAgeDefault,
            usesMax: new.usesMax ?? 1, membersSee: circle.membersSeePositions,
            historyDays: circle.historyDays)
        var more = Consequences(invitations: [.save(invitation)])
        if let contact = new.contact,
            context.invitations.maySend(invitation, to: contact, at: context.now)
        {
            let sender = inviter.person.flatMap(context.directory.person)
            more.messages.append(
                PersonNotice(
                    channel: contact.channel, address: contact.address,
                    sender: sender?.name ?? circle.name, locale: sender?.locale ?? "en",
                    content: .invitation, expires: invitation.expires))
        }
        return .done([], .invitation(invitation), more: more)
    }

    private func check(_ new: NewInvitation, in circle: Circle) -> CommandRejection? {
        let role = new.role ?? .member
        let inviter = context.command.principal.person
        if let own = inviter.flatMap(circle.member), own.role.rank < role.rank {
            return .denied(.roleTooLow)
        }
        if role == .admin, new.contact == nil {
            return CommandRejection(
                .invalid, "an admin is invited by number or address, not by a link alone",
                field: "contact", hint: "set contact, or change the role after they joined")
        }
        if new.contact != nil, new.usesMax ?? 1 != 1 {
            return CommandRejection(
                .invalid, "an invitation to a number or address is for one person", field: "uses",
                hint: "remove the field, or invite by link")
        }
        if let expires = new.expires,
            expires <= context.now || expires > context.now + Limits.invitationAgeMax
        {
            let days = Limits.invitationAgeMax.milliseconds / 86_400_000
            return CommandRejection(
                .invalid, "the end must be in the future, at most \(days) days from now",
                field: "expires")
        }
        let open = context.invitations.invitations(to: circle.id).filter {
            $0.state(at: context.now) == .open
        }
        if open.count >= Limits.invitationsPerCircleMax {
            return .full("open invitations of a circle", Limits.invitationsPerCircleMax)
        }
        if let inviter, let next = context.invitations.next(by: inviter, at: context.now) {
            return CommandRejection(
                .tooOften(next - context.now), "the daily limit for invitations is reached",
                hint: "at most \(Limits.invitationsPerPersonMax) a day")
        }
        return nil
    }

    func revoke(_ id: InvitationID, to circle: CircleID) -> Verdict {
        if let rejection = context.denial(.invite, on: .circle(circle)) {
            return .rejected(rejection)
        }
        guard var invitation = context.invitations[id], invitation.circle == circle else {
            return .rejected(.missing("invitation"))
        }
        guard invitation.revoked == nil else { return .done([], .gone) }
        invitation.revoked = context.now
        return .done([], .gone, more: Consequences(invitations: [.save(invitation)]))
    }

    // MARK: The invited person

    /// Adds a person to the circle, on the terms of the invitation.
    ///
    /// - Parameter person: the caller, or a ward of theirs
    func accept(_ tokenHash: String, for person: PersonID, _ patch: MemberPatch) -> Verdict {
        guard var invitation = context.invitations.invitation(tokenHash: tokenHash),
            var circle = context.directory.circle(invitation.circle)
        else { return .rejected(Inviting.unknown) }
        let target = RightsTarget.member(person, in: circle.id)
        if let rejection = context.denial(.acceptInvitation, on: target) {
            return .rejected(rejection)
        }
        guard let known = context.directory.person(person) else {
            return .rejected(.missing("person"))
        }
        if circle.member(person) != nil {
            return .rejected(CommandRejection(.conflict, "this person is already a member"))
        }
        let closed = context.invitations.closed(
            invitation, in: context.directory, at: context.now)
        if let rejection = closed ?? unproven(invitation.contact, by: known)
            ?? full(circle, invitation, person) ?? patch.pauseEnded(at: context.now)
        {
            return .rejected(rejection)
        }
        circle.members.append(
            Membership(
                person: person, role: invitation.role, joined: context.now,
                sharing: patch.sharing ?? .on, precision: patch.precision ?? .exact,
                trackerID: TrackerID.free(
                    for: known.name, besides: circle.members.map(\.trackerID)),
                managed: context.command.principal.person != person))
        invitation.accepted.append(person)
        let consent = VisibilityConsent(context: context)
        var more = consent.joined(by: invitation, &circle)
        if let rejection = consent.tooManyWithheld(in: circle) { return .rejected(rejection) }
        more.invitations.append(.save(invitation))
        circle.version += 1
        return .done([.circleChanged(circle)], .circle(circle), more: more)
    }

    static let unknown = CommandRejection(
        .missing, "there is no such invitation",
        hint: "check that the link is complete; its circle may have been removed")

    /// Rejects a person who has not proved by a code that the invited contact point is theirs, or
    /// of the guardian who accepts for them. The operator's word is not enough.
    private func unproven(
        _ contact: Invitation.Contact?, by person: Person
    ) -> CommandRejection? {
        guard let contact else { return nil }
        let caller = context.command.principal.person.flatMap(context.directory.person)
        let isProven = [person, caller].contains { someone in
            someone?.contacts.contains {
                VerifiedContacts.key($0.channel, $0.address) == contact.key
                    && $0.verified != nil && !$0.vouched
            } ?? false
        }
        return isProven
            ? nil
            : CommandRejection(
                .conflict, "this invitation is for another number or address", field: "token",
                hint: "add the invited number or address to your account and confirm it "
                    + "with a code first")
    }

    /// Rejects a new member when the circle, or the person's list of circles, is full.
    private func full(
        _ circle: Circle, _ invitation: Invitation, _ person: PersonID
    ) -> CommandRejection? {
        let most =
            invitation.inviter.person.flatMap(context.directory.person).map {
                min(
                    Limits.allowance(of: $0.plan).members,
                    context.directory.rights.membersPerCircleMax($0.affiliation))
            } ?? Limits.suite.members
        if circle.members.count >= most { return .full("members of a circle", most) }
        guard context.directory.circles(of: person).count < context.allowance.circles else {
            return .full("circles of a person", context.allowance.circles)
        }
        return nil
    }
}

extension Invitations {
    /// Counts a refusal. It ends an invitation for one person.
    ///
    /// - Returns: the change; nil if there is none, since it was declined before
    func decline(
        _ tokenHash: String, in directory: Replica, at now: Timestamp
    ) -> Result<InvitationChange?, CommandRejection> {
        guard var invitation = invitation(tokenHash: tokenHash),
            directory.circle(invitation.circle) != nil
        else { return .failure(Inviting.unknown) }
        if invitation.state(at: now) == .declined { return .success(nil) }
        if let rejection = closed(invitation, in: directory, at: now) {
            return .failure(rejection)
        }
        guard invitation.declined < Limits.declinesCountedMax else { return .success(nil) }
        invitation.declined += 1
        return .success(.save(invitation))
    }

    /// Why nobody can accept or decline an invitation any more; nil = they can.
    public func closed(
        _ invitation: Invitation, in directory: Replica, at now: Timestamp
    ) -> CommandRejection? {
        let detail: String? =
            switch invitation.state(at: now) {
            case .open: nil
            case .accepted: "this invitation was already used"
            case .declined: "this invitation was declined"
            case .expired: "this invitation has expired"
            case .revoked: "this invitation was revoked"
            }
        if let detail {
            return CommandRejection(.conflict, detail, hint: "ask for another invitation")
        }
        guard let inviter = invitation.inviter.person else { return nil }
        let right = directory.decide(
            .person(inviter), .invite, on: .circle(invitation.circle), at: now)
        let role = directory.circle(invitation.circle)?.member(inviter)?.role
        // Staff invite to circles of others, with any role; members with their own at most.
        guard !right.isAllowed || role.map({ $0.rank < invitation.role.rank }) ?? false else {
            return nil
        }
        return CommandRejection(
            .conflict, "the person who invited may not invite to the circle any more",
            hint: "ask an admin for another invitation")
    }
}

extension MemberPatch {
    /// Rejects a pause that is already over.
    func pauseEnded(at now: Timestamp) -> CommandRejection? {
        guard case .pausedUntil(let end)? = sharing, end <= now else { return nil }
        return CommandRejection(
            .invalid, "the end of a pause must be in the future", field: "sharing.pausedUntil")
    }
}
