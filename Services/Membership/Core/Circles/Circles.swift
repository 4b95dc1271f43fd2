import Directory
import DirectoryViews
import Model

/// Fields of a circle that a request sets.
public typealias CirclePatch = Patch<Circle>

/// Decides changes of circles. Settings that show more need the consent of each member.
struct Circles {
    let context: CommandContext

    /// The creator becomes the first admin; the operator becomes no member.
    func createCircle(_ id: CircleID, _ patch: CirclePatch) -> Verdict {
        if let rejection = context.denial(.createCircle, on: .suite) { return .rejected(rejection) }
        var circle = Circle(id: id, name: "")
        if let creator = context.command.principal.person.flatMap(context.directory.person) {
            guard context.directory.circles(of: creator.id).count < context.allowance.circles else {
                return .rejected(.full("circles of a person", context.allowance.circles))
            }
            circle.members = [
                Membership(
                    person: creator.id, role: .admin, joined: context.now,
                    trackerID: TrackerID.free(for: creator.name, besides: []))
            ]
        }
        patch.apply(to: &circle)
        if let rejection = check(circle) { return .rejected(rejection) }
        return .done([.circleChanged(circle)], .circle(circle))
    }

    func updateCircle(_ id: CircleID, _ patch: CirclePatch) -> Verdict {
        let actions = CircleField.all.rights(
            of: patch, [.editEscalation, .changeRetention, .editCircle])
        if let rejection = context.denial(actions, on: .circle(id)) { return .rejected(rejection) }
        guard let old = context.directory.circle(id) else { return .rejected(.missing("circle")) }
        if let rejection = context.outdated(old.version) { return .rejected(rejection) }
        var circle = old
        patch.apply(to: &circle)
        if let rejection = check(circle) { return .rejected(rejection) }
        guard circle != old else { return .done([], .circle(old)) }
        let more = VisibilityConsent(context: context).changeSettings(from: old, &circle)
        circle.version += 1
        return .done([.circleChanged(circle)], .circle(circle), more: more)
    }

    func removeCircle(_ id: CircleID) -> Verdict {
        if let rejection = context.denial(.deleteCircle, on: .circle(id)) {
            return .rejected(rejection)
        }
        guard let circle = context.directory.circle(id) else {
            return .rejected(.missing("circle"))
        }
        if let rejection = context.outdated(circle.version) { return .rejected(rejection) }
        return .done([.circleRemoved(CircleRemoval(circle: id))], .gone)
    }

    private func check(_ circle: Circle) -> CommandRejection? {
        guard circle.escalation.count <= Limits.escalationTiersMax else {
            return CommandRejection(
                .invalid, "no more than \(Limits.escalationTiersMax) tiers are allowed",
                field: "escalation")
        }
        for (index, tier) in circle.escalation.enumerated() {
            if tier.roles.isEmpty, tier.people.isEmpty {
                return CommandRejection(
                    .invalid, "this tier has no recipients", field: "escalation[\(index)]",
                    hint: "set roles or people")
            }
            let stranger = tier.people.firstIndex { circle.member($0) == nil }
            if let stranger {
                return CommandRejection(
                    .invalid, "nobody with this id has joined the circle",
                    field: "escalation[\(index)].people[\(stranger)]")
            }
        }
        return nil
    }
}
