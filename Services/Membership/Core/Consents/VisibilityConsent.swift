import Directory
import Model

/// Lets a circle show more of a member only once that member agreed.
///
/// The circle's settings and roles change at once. Each membership keeps what its person agreed to,
/// so every service decides by that value alone. What is lowered is lowered for everybody.
struct VisibilityConsent {
    let context: CommandContext

    private var actor: Actor { Actor(context.command.principal) }

    /// Whether a member must agree first: everybody but the caller and the caller's wards.
    private func isAsked(_ member: Membership) -> Bool {
        guard case .person(let actor) = actor else { return true }
        if member.person == actor { return false }
        let person = context.directory.person(member.person)
        return person.map { !$0.isWard(of: actor, at: context.now) } ?? false
    }

    // MARK: Settings

    /// Applies changed settings to the memberships.
    ///
    /// - Parameter circle: with the new settings and the old memberships
    func changeSettings(from old: Circle, _ circle: inout Circle) -> Consequences {
        var more = Consequences()
        if circle.membersSeePositions != old.membersSeePositions {
            more = more + changeMembersSee(in: &circle)
        }
        let (days, daysBefore) = (circle.historyDays ?? .max, old.historyDays ?? .max)
        if days > daysBefore { more = more + raiseHistory(from: old, &circle) }
        if days < daysBefore { more = more + lowerHistory(&circle) }
        return more
    }

    private func changeMembersSee(in circle: inout Circle) -> Consequences {
        var more = Consequences()
        for index in circle.members.indices {
            let member = circle.members[index]
            if circle.membersSeePositions, isAsked(member) {
                circle.members[index].membersSee = false
                more = more + ask(.membersSee, of: member, in: circle)
            } else {
                circle.members[index].membersSee = true
                more.consents += cancelled(.membersSee, of: member, in: circle)
            }
        }
        return more
    }

    private func raiseHistory(from old: Circle, _ circle: inout Circle) -> Consequences {
        var more = Consequences()
        for index in circle.members.indices {
            let member = circle.members[index]
            let question = Consent.Question.history(
                days: circle.historyDays, before: old.historyDays(of: member) ?? 0)
            if isAsked(member), let before = old.historyDays(of: member) {
                circle.members[index].agreedHistoryDays = before
                more = more + ask(question, of: member, in: circle)
            } else {
                circle.members[index].agreedHistoryDays = nil
                more.consents += cancelled(question, of: member, in: circle)
            }
        }
        return more
    }

    /// Ends requests, except those for more than the members agreed to even now.
    private func lowerHistory(_ circle: inout Circle) -> Consequences {
        var more = Consequences()
        let days = circle.historyDays ?? .max
        for index in circle.members.indices {
            let member = circle.members[index]
            let agreed = member.agreedHistoryDays ?? .max
            if agreed >= days { circle.members[index].agreedHistoryDays = nil }
            let question = Consent.Question.history(days: circle.historyDays, before: agreed)
            guard let known = context.consents[question.id(of: member.person, in: circle.id)]
            else { continue }
            if agreed < days, known.state(at: context.now) == .open {
                var consent = known
                consent.question = question
                more.consents.append(.save(consent))
            } else {
                more.consents.append(.remove(known.id))
            }
        }
        return more
    }

    // MARK: Roles

    /// Changes a member's role. Members who are shown to the member by it are asked.
    ///
    /// - Parameter index: of the member
    func changeRole(of index: Int, to role: Role, _ circle: inout Circle) -> Consequences {
        let viewer = circle.members[index].person
        let seesMore = circle.members[index].role == .member && role != .member
        circle.members[index].role = role
        if seesMore { return askOthers(about: viewer, role, &circle) }
        guard role == .member else { return Consequences() }
        for index in circle.members.indices where circle.members[index].person != viewer {
            circle.members[index].withheldFrom.removeAll { $0 == viewer }
        }
        return Consequences()
    }

    /// Withholds the members from a viewer with a role that sees more than members do, until each
    /// of them agrees. Nobody is asked who is seen by members anyway.
    ///
    /// - Parameter inviter: a member who invited the viewer, and so agreed
    private func askOthers(
        about viewer: PersonID, _ role: Role, invitedBy inviter: PersonID? = nil,
        _ circle: inout Circle
    ) -> Consequences {
        var more = Consequences()
        for index in circle.members.indices {
            let member = circle.members[index]
            guard member.person != viewer, member.person != inviter, !circle.membersSee(member),
                isAsked(member)
            else { continue }
            circle.members[index].withheldFrom = (member.withheldFrom + [viewer]).sorted()
            more = more + ask(.role(of: viewer, role), of: member, in: circle)
        }
        return more
    }

    /// Rejects a circle in which too many members have not agreed to the roles of others.
    func tooManyWithheld(in circle: Circle) -> CommandRejection? {
        let withheld = circle.members.reduce(0) { $0 + $1.withheldFrom.count }
        guard withheld > Limits.withheldPerCircleMax else { return nil }
        return CommandRejection(
            .conflict, "too many members have not agreed to the roles of others yet",
            field: "role", hint: "wait for their replies")
    }

    // MARK: Joining

    /// Gives the newest member the terms of the invitation. What the circle shows beyond them is
    /// asked, and so are the members whom the newest one sees by role.
    func joined(by invitation: Invitation, _ circle: inout Circle) -> Consequences {
        guard let index = circle.members.indices.last else { return Consequences() }
        var more = Consequences()
        if circle.membersSeePositions, !invitation.membersSee {
            circle.members[index].membersSee = false
            more = more + ask(.membersSee, of: circle.members[index], in: circle)
        }
        if let days = invitation.historyDays, days < circle.historyDays ?? .max {
            circle.members[index].agreedHistoryDays = days
            more =
                more
                + ask(
                    .history(days: circle.historyDays, before: days), of: circle.members[index],
                    in: circle)
        }
        // They joined just now, and read it on the page where they did.
        more.messages = []
        return more + joined(&circle, invitedBy: invitation.inviter.person)
    }

    /// Asks the members whom the newest one sees by role.
    func joined(_ circle: inout Circle, invitedBy inviter: PersonID? = nil) -> Consequences {
        guard let newest = circle.members.last, newest.role != .member else {
            return Consequences()
        }
        return askOthers(about: newest.person, newest.role, invitedBy: inviter, &circle)
    }

    // MARK: Requests

    /// The request, and the message to the person or to the guardians of a ward.
    private func ask(
        _ question: Consent.Question, of member: Membership, in circle: Circle
    ) -> Consequences {
        let consent = Consent(
            of: member.person, in: circle.id, question, asker: actor, at: context.now)
        return Consequences(
            consents: [.save(consent)],
            messages: context.messages(about: consent, in: circle.name))
    }

    private func cancelled(
        _ question: Consent.Question, of member: Membership, in circle: Circle
    ) -> [ConsentChange] {
        let id = question.id(of: member.person, in: circle.id)
        return context.consents[id] == nil ? [] : [.remove(id)]
    }
}

extension CommandContext {
    /// The messages that tell about a request: one to the person, or to each guardian of a ward.
    /// None if the person was notified about other requests shortly before.
    func messages(about consent: Consent, in circle: String) -> [PersonNotice] {
        guard let person = directory.person(consent.person),
            consents.mayTell(person.id, at: now)
        else { return [] }
        let isWard = person.isWard(at: now)
        let readers = isWard ? person.guardians.compactMap(directory.person) : [person]
        let sender = consent.asker.person.flatMap(directory.person)?.name ?? circle
        return readers.filter { Actor.person($0.id) != consent.asker }.compactMap {
            PersonNotice(to: $0, from: sender, .consent, expires: consent.expires)
        }
    }
}
