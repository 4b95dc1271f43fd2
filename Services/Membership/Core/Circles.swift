import Directory
import Model

extension Attempt {
    /// Who creates a circle is its first admin; the operator is a member of none.
    func createCircle(_ id: CircleID, _ patch: CirclePatch) -> Verdict {
        if let refusal = denial(.createCircle, on: .suite) { return .refused(refusal) }
        var circle = Circle(id: id, name: "")
        if let creator = command.principal.person.flatMap(directory.person) {
            guard directory.circles(of: creator.id).count < allowance.circles else {
                return .refused(.full("circles of a person", allowance.circles))
            }
            circle.members = [
                Membership(
                    person: creator.id, role: .admin, joined: now,
                    trackerID: TrackerID.free(for: creator.name, besides: []))
            ]
        }
        patch.apply(to: &circle)
        if let refusal = check(circle) { return .refused(refusal) }
        return .done([.circleChanged(circle)], .circle(circle))
    }

    func updateCircle(_ id: CircleID, _ patch: CirclePatch) -> Verdict {
        var actions: [Action] = []
        if patch.escalation != nil { actions.append(.editEscalation) }
        if patch.historyDays != nil { actions.append(.changeRetention) }
        if patch.hasSettings || actions.isEmpty { actions.append(.editCircle) }
        if let refusal = denial(actions, on: .circle(id)) { return .refused(refusal) }
        guard let old = directory.circle(id) else { return .refused(.missing("circle")) }
        if let refusal = outdated(old.version) { return .refused(refusal) }
        var circle = old
        patch.apply(to: &circle)
        if let refusal = check(circle) ?? consent(old, circle) { return .refused(refusal) }
        guard circle != old else { return .done([], .circle(old)) }
        circle.version += 1
        return .done([.circleChanged(circle)], .circle(circle))
    }

    func removeCircle(_ id: CircleID) -> Verdict {
        if let refusal = denial(.deleteCircle, on: .circle(id)) { return .refused(refusal) }
        guard let circle = directory.circle(id) else { return .refused(.missing("circle")) }
        if let refusal = outdated(circle.version) { return .refused(refusal) }
        return .done([.circleRemoved(CircleRemoval(circle: id))], .gone)
    }

    /// Nobody who has joined becomes visible to more people, or farther back, without having
    /// agreed.
    private func consent(_ old: Circle, _ new: Circle) -> Refusal? {
        let others = old.members.contains {
            $0.joined != nil && $0.person != command.principal.person
        }
        guard others else { return nil }
        let hint = "create a circle with this setting and invite them: joining is their consent"
        if new.membersSeePositions, !old.membersSeePositions {
            return Refusal(
                .conflict, "people who have joined would become visible to more members",
                field: "membersSeePositions", hint: hint)
        }
        guard new.historyDays ?? .max > old.historyDays ?? .max else { return nil }
        return Refusal(
            .conflict, "people who have joined would be seen farther back", field: "historyDays",
            hint: hint)
    }

    private func check(_ circle: Circle) -> Refusal? {
        guard circle.escalation.count <= Limits.escalationTiersMax else {
            return Refusal(
                .invalid, "no more than \(Limits.escalationTiersMax) tiers are allowed",
                field: "escalation")
        }
        for (index, tier) in circle.escalation.enumerated() {
            if tier.roles.isEmpty, tier.people.isEmpty {
                return Refusal(
                    .invalid, "this tier tells nobody", field: "escalation[\(index)]",
                    hint: "give roles or people")
            }
            let stranger = tier.people.firstIndex { circle.member($0) == nil }
            if let stranger {
                return Refusal(
                    .invalid, "nobody with this id has joined the circle",
                    field: "escalation[\(index)].people[\(stranger)]")
            }
        }
        return nil
    }
}
