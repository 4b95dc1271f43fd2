import Directory
import Model

extension Attempt {
    /// The operator puts somebody in; an admin invites, and the person answers.
    func addMember(_ id: PersonID, to circleID: CircleID, _ patch: MemberPatch) -> Verdict {
        if let refusal = denial(.invite, on: .circle(circleID)) { return .refused(refusal) }
        guard var circle = directory.circle(circleID) else { return .refused(.missing("circle")) }
        if let refusal = outdated(circle.version) { return .refused(refusal) }
        guard let person = directory.person(id) else {
            return .refused(Refusal(.invalid, "nobody has this id", field: "person"))
        }
        if circle.members.contains(where: { $0.person == id }) {
            return .refused(
                Refusal(
                    .conflict, "this person is in the circle or invited already", field: "person"))
        }
        guard circle.members.count < allowance.members else {
            return .refused(.full("members of a circle", allowance.members))
        }
        let isOperator = command.principal == .operator
        if !isOperator, let field = patch.privateField {
            return .refused(
                Refusal(
                    .denied(.notYours), "only the invited person decides about this", field: field,
                    hint: "they give it when they accept"))
        }
        if isOperator, directory.circles(of: id).count >= Limits.suite.circles {
            return .refused(.full("circles of a person", Limits.suite.circles))
        }
        circle.members.append(
            Membership(
                person: id, role: patch.role ?? .member, joined: isOperator ? now : nil,
                sharing: patch.sharing ?? .on, precision: patch.precision ?? .exact,
                trackerID: TrackerID.free(
                    for: person.name, besides: circle.members.map(\.trackerID))))
        return changed(circle)
    }

    func updateMember(_ id: PersonID, of circleID: CircleID, _ patch: MemberPatch) -> Verdict {
        if let refusal = denial(of: patch, to: id, of: circleID) { return .refused(refusal) }
        guard var circle = directory.circle(circleID),
            let index = circle.members.firstIndex(where: { $0.person == id })
        else { return .refused(.missing("member")) }
        if let refusal = outdated(circle.version) { return .refused(refusal) }
        if patch.accepted == true, circle.members[index].joined == nil {
            guard directory.circles(of: id).count < allowance.circles else {
                return .refused(.full("circles of a person", allowance.circles))
            }
            circle.members[index].joined = now
        }
        if patch.accepted == false {
            return .refused(
                Refusal(
                    .invalid, "an invitation is not declined in this way", field: "accepted",
                    hint: "DELETE the membership"))
        }
        if let role = patch.role, role != .admin, isLastAdmin(id, in: circle) {
            return .refused(Attempt.lastAdmin)
        }
        if let role = patch.role { circle.members[index].role = role }
        if let sharing = patch.sharing { circle.members[index].sharing = sharing }
        if let precision = patch.precision { circle.members[index].precision = precision }
        if case .pausedUntil(let end)? = patch.sharing, end <= now {
            return .refused(
                Refusal(
                    .invalid, "a pause ends in the future", field: "sharing.pausedUntil"))
        }
        guard circle != directory.circle(circleID) else { return .done([], .circle(circle)) }
        return changed(circle)
    }

    /// Leaving needs nobody's consent; afterwards there is nothing left to show. The last one who
    /// leaves takes the circle along.
    func removeMember(_ id: PersonID, from circleID: CircleID) -> Verdict {
        let isLeaving = command.principal.person == id
        let refusal =
            isLeaving
            ? denial(.leaveCircle, on: .member(id, in: circleID))
            : denial(.removeMember, on: .circle(circleID))
        if let refusal { return .refused(refusal) }
        guard let circle = directory.circle(circleID),
            circle.members.contains(where: { $0.person == id })
        else { return .refused(.missing("member")) }
        if let refusal = outdated(circle.version) { return .refused(refusal) }
        if isLastAdmin(id, in: circle) { return .refused(Attempt.lastAdmin) }
        if isLeaving { return .done([Attempt.departure(of: id, from: circle)], .gone) }
        return changed(circle.without(id))
    }

    private func changed(_ circle: Circle) -> Verdict {
        var circle = circle
        circle.version += 1
        return .done([.circleChanged(circle)], .circle(circle))
    }

    private func denial(
        of patch: MemberPatch, to id: PersonID, of circle: CircleID
    ) -> Refusal? {
        let target = RightsTarget.member(id, in: circle)
        if patch.accepted != nil, let refusal = denial(.acceptInvitation, on: target) {
            return refusal
        }
        if patch.privateField != nil, let refusal = denial(.changeSharing, on: target) {
            return refusal
        }
        let isEmpty = patch.accepted == nil && patch.privateField == nil
        return patch.role != nil || isEmpty ? denial(.changeRole, on: .circle(circle)) : nil
    }
}

extension MemberPatch {
    /// The first field given that is the member's own business.
    fileprivate var privateField: String? {
        sharing != nil ? "sharing" : precision != nil ? "precision" : nil
    }
}
