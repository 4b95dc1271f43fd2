import Directory
import Model

/// Decides who belongs to a circle, and with which role.
struct Members {
    let context: CommandContext

    /// Adds a managed member, who joins at once: the operator anybody, an admin their own ward.
    /// Everybody else joins by accepting an invitation.
    func addMember(_ id: PersonID, to circleID: CircleID, _ patch: MemberPatch) -> Verdict {
        if let rejection = denialToManage(id, in: circleID) { return .rejected(rejection) }
        guard var circle = context.directory.circle(circleID) else {
            return .rejected(.missing("circle"))
        }
        if let rejection = context.outdated(circle.version) { return .rejected(rejection) }
        guard let person = context.directory.person(id) else {
            return .rejected(CommandRejection(.invalid, "no person has this id", field: "person"))
        }
        if circle.member(id) != nil {
            return .rejected(
                CommandRejection(.conflict, "this person is already a member", field: "person"))
        }
        guard circle.members.count < context.allowance.members else {
            return .rejected(.full("members of a circle", context.allowance.members))
        }
        if context.directory.circles(of: id).count >= Limits.suite.circles {
            return .rejected(.full("circles of a person", Limits.suite.circles))
        }
        if let rejection = patch.pauseEnded(at: context.now) { return .rejected(rejection) }
        circle.members.append(
            Membership(
                person: id, role: patch.role ?? .member, joined: context.now,
                sharing: patch.sharing ?? .on, precision: patch.precision ?? .exact,
                trackerID: TrackerID.free(
                    for: person.name, besides: circle.members.map(\.trackerID)),
                managed: true))
        // What the operator manages is shown to the members; a ward is added by a guardian, who
        // could act as the ward.
        guard context.command.principal.person != nil else { return changed(circle) }
        let consent = VisibilityConsent(context: context)
        let more = consent.joined(&circle)
        return consent.tooManyWithheld(in: circle).map { .rejected($0) } ?? changed(circle, more)
    }

    private func denialToManage(_ id: PersonID, in circle: CircleID) -> CommandRejection? {
        guard var rejection = context.denial(.administer, on: .suite) else { return nil }
        if let rejection = context.denial(.invite, on: .circle(circle)) { return rejection }
        let actor = context.command.principal.person
        let isOwnWard = actor.flatMap { actor in
            context.directory.person(id)?.isWard(of: actor, at: context.now)
        }
        if isOwnWard == true { return nil }
        rejection.field = "person"
        rejection.hint = "invite the person: POST …/invitations"
        return rejection
    }

    func updateMember(_ id: PersonID, of circleID: CircleID, _ patch: MemberPatch) -> Verdict {
        if let rejection = denial(of: patch, to: id, of: circleID) {
            return .rejected(rejection)
        }
        guard var circle = context.directory.circle(circleID),
            let index = circle.members.firstIndex(where: { $0.person == id })
        else { return .rejected(.missing("member")) }
        if let rejection = context.outdated(circle.version) { return .rejected(rejection) }
        if let role = patch.role, role != .admin, context.isLastAdmin(id, in: circle) {
            return .rejected(.lastAdmin)
        }
        if let rejection = patch.pauseEnded(at: context.now) { return .rejected(rejection) }
        var more = Consequences()
        if let role = patch.role {
            more = VisibilityConsent(context: context).changeRole(of: index, to: role, &circle)
        }
        if let sharing = patch.sharing { circle.members[index].sharing = sharing }
        if let precision = patch.precision { circle.members[index].precision = precision }
        if let joinsDrills = patch.joinsDrills { circle.members[index].joinsDrills = joinsDrills }
        guard circle != context.directory.circle(circleID) else {
            return .done([], .circle(circle))
        }
        if let rejection = VisibilityConsent(context: context).tooManyWithheld(in: circle) {
            return .rejected(rejection)
        }
        return changed(circle, more)
    }

    /// Removes a member. Members can always leave, wards by a guardian; the circle is
    /// removed with its last joined member.
    func removeMember(_ id: PersonID, from circleID: CircleID) -> Verdict {
        let isLeaving = context.command.principal.person == id
        let leaving = context.denial(.leaveCircle, on: .member(id, in: circleID))
        if isLeaving {
            if let leaving { return .rejected(leaving) }
        } else if leaving != nil,
            let rejection = context.denial(.removeMember, on: .circle(circleID))
        {
            return .rejected(rejection)
        }
        guard let circle = context.directory.circle(circleID),
            circle.members.contains(where: { $0.person == id })
        else { return .rejected(.missing("member")) }
        if let rejection = context.outdated(circle.version) { return .rejected(rejection) }
        if context.isLastAdmin(id, in: circle) { return .rejected(.lastAdmin) }
        if isLeaving { return .done([circle.departure(of: id)], .gone) }
        return changed(circle.without(id))
    }

    private func changed(
        _ circle: Circle, _ more: Consequences = Consequences()
    ) -> Verdict {
        var circle = circle
        circle.version += 1
        return .done([.circleChanged(circle)], .circle(circle), more: more)
    }

    private func denial(
        of patch: MemberPatch, to id: PersonID, of circle: CircleID
    ) -> CommandRejection? {
        let target = RightsTarget.member(id, in: circle)
        if patch.privateField != nil, let rejection = context.denial(.changeSharing, on: target) {
            return rejection
        }
        return patch.role != nil || patch.privateField == nil
            ? context.denial(.changeRole, on: .circle(circle)) : nil
    }
}

extension MemberPatch {
    /// The first field in the patch that only the member may change.
    fileprivate var privateField: String? {
        if sharing != nil { return "sharing" }
        if precision != nil { return "precision" }
        return joinsDrills != nil ? "joinsDrills" : nil
    }
}
