import Directory
import Model

/// Decides who belongs to a circle, and with which role.
struct Members {
    typealias Verdict = MembershipCore.Verdict

    let context: CommandContext

    /// Adds a member. The operator's additions join at once; an admin's are invitations.
    func addMember(_ id: PersonID, to circleID: CircleID, _ patch: MemberPatch) -> Verdict {
        if let rejection = context.denial(.invite, on: .circle(circleID)) {
            return .rejected(rejection)
        }
        guard var circle = context.directory.circle(circleID) else {
            return .rejected(.missing("circle"))
        }
        if let rejection = context.outdated(circle.version) { return .rejected(rejection) }
        guard let person = context.directory.person(id) else {
            return .rejected(CommandRejection(.invalid, "no person has this id", field: "person"))
        }
        if circle.members.contains(where: { $0.person == id }) {
            return .rejected(
                CommandRejection(
                    .conflict, "this person is already a member or invited", field: "person"))
        }
        guard circle.members.count < context.allowance.members else {
            return .rejected(.full("members of a circle", context.allowance.members))
        }
        let isOperator = context.command.principal == .operator
        if !isOperator, let field = patch.privateField {
            return .rejected(
                CommandRejection(
                    .denied(.notYours), "only the invited person can set this field", field: field,
                    hint: "they set it when they accept"))
        }
        if isOperator, context.directory.circles(of: id).count >= Limits.suite.circles {
            return .rejected(.full("circles of a person", Limits.suite.circles))
        }
        circle.members.append(
            Membership(
                person: id, role: patch.role ?? .member, joined: isOperator ? context.now : nil,
                sharing: patch.sharing ?? .on, precision: patch.precision ?? .exact,
                trackerID: TrackerID.free(
                    for: person.name, besides: circle.members.map(\.trackerID))))
        return changed(circle)
    }

    func updateMember(_ id: PersonID, of circleID: CircleID, _ patch: MemberPatch) -> Verdict {
        if let rejection = denial(of: patch, to: id, of: circleID) {
            return .rejected(rejection)
        }
        guard var circle = context.directory.circle(circleID),
            let index = circle.members.firstIndex(where: { $0.person == id })
        else { return .rejected(.missing("member")) }
        if let rejection = context.outdated(circle.version) { return .rejected(rejection) }
        if patch.accepted == true, circle.members[index].joined == nil {
            guard context.directory.circles(of: id).count < context.allowance.circles else {
                return .rejected(.full("circles of a person", context.allowance.circles))
            }
            circle.members[index].joined = context.now
        }
        if patch.accepted == false {
            return .rejected(
                CommandRejection(
                    .invalid, "an invitation cannot be declined by this field", field: "accepted",
                    hint: "DELETE the membership"))
        }
        if let role = patch.role, role != .admin, context.isLastAdmin(id, in: circle) {
            return .rejected(.lastAdmin)
        }
        if let role = patch.role { circle.members[index].role = role }
        if let sharing = patch.sharing { circle.members[index].sharing = sharing }
        if let precision = patch.precision { circle.members[index].precision = precision }
        if case .pausedUntil(let end)? = patch.sharing, end <= context.now {
            return .rejected(
                CommandRejection(
                    .invalid, "the end of a pause must be in the future",
                    field: "sharing.pausedUntil"))
        }
        guard circle != context.directory.circle(circleID) else {
            return .done([], .circle(circle))
        }
        return changed(circle)
    }

    /// Removes a member. Members can always leave; the circle is removed with its last joined
    /// member.
    func removeMember(_ id: PersonID, from circleID: CircleID) -> Verdict {
        let isLeaving = context.command.principal.person == id
        let rejection =
            isLeaving
            ? context.denial(.leaveCircle, on: .member(id, in: circleID))
            : context.denial(.removeMember, on: .circle(circleID))
        if let rejection { return .rejected(rejection) }
        guard let circle = context.directory.circle(circleID),
            circle.members.contains(where: { $0.person == id })
        else { return .rejected(.missing("member")) }
        if let rejection = context.outdated(circle.version) { return .rejected(rejection) }
        if context.isLastAdmin(id, in: circle) { return .rejected(.lastAdmin) }
        if isLeaving { return .done([circle.departure(of: id)], .gone) }
        return changed(circle.without(id))
    }

    private func changed(_ circle: Circle) -> Verdict {
        var circle = circle
        circle.version += 1
        return .done([.circleChanged(circle)], .circle(circle))
    }

    private func denial(
        of patch: MemberPatch, to id: PersonID, of circle: CircleID
    ) -> CommandRejection? {
        let target = RightsTarget.member(id, in: circle)
        if patch.accepted != nil, let rejection = context.denial(.acceptInvitation, on: target) {
            return rejection
        }
        if patch.privateField != nil, let rejection = context.denial(.changeSharing, on: target) {
            return rejection
        }
        let isEmpty = patch.accepted == nil && patch.privateField == nil
        return patch.role != nil || isEmpty ? context.denial(.changeRole, on: .circle(circle)) : nil
    }
}

extension MemberPatch {
    /// The first field in the patch that only the member may change.
    fileprivate var privateField: String? {
        sharing != nil ? "sharing" : precision != nil ? "precision" : nil
    }
}
