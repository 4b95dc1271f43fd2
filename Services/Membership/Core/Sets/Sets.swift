import Directory
import Model

/// Decides changes of sets and subscriptions.
struct Sets {
    let context: CommandContext

    func createSet(_ id: ZoneSetID, name: String) -> Verdict {
        if let rejection = context.denial(.administer, on: .suite) { return .rejected(rejection) }
        guard context.directory.sortedSets.count < Limits.setsMax else {
            return .rejected(.full("sets", Limits.setsMax))
        }
        let set = ZoneSet(id: id, name: name)
        return .done([.setChanged(set)], .set(set))
    }

    func updateSet(_ id: ZoneSetID, name: String?) -> Verdict {
        if let rejection = context.denial(.administer, on: .suite) { return .rejected(rejection) }
        guard var set = context.directory.set(id) else { return .rejected(.missing("set")) }
        if let rejection = context.outdated(set.version) { return .rejected(rejection) }
        guard let name, name != set.name else { return .done([], .set(set)) }
        set.name = name
        set.version += 1
        return .done([.setChanged(set)], .set(set))
    }

    /// Removes a set with its zones and all subscriptions.
    func removeSet(_ id: ZoneSetID) -> Verdict {
        if let rejection = context.denial(.administer, on: .suite) { return .rejected(rejection) }
        guard let set = context.directory.set(id) else { return .rejected(.missing("set")) }
        if let rejection = context.outdated(set.version) { return .rejected(rejection) }
        let subscribers = context.directory.circles(subscribedTo: id).compactMap(
            context.directory.circle)
        return .done(
            subscribers.map { .circleChanged($0.subscribing(to: $0.sets.filter { $0 != id })) }
                + [.setRemoved(SetRemoval(set: id))], .gone)
    }

    /// Subscribes a circle to a set: the set's zones then apply to its members.
    func subscribe(_ circleID: CircleID, to id: ZoneSetID) -> Verdict {
        if let rejection = context.denial(.subscribeSets, on: .circle(circleID)) {
            return .rejected(rejection)
        }
        guard let circle = context.directory.circle(circleID) else {
            return .rejected(.missing("circle"))
        }
        if let rejection = context.outdated(circle.version) { return .rejected(rejection) }
        guard context.directory.set(id) != nil else { return .rejected(.missing("set")) }
        guard !circle.sets.contains(id) else { return .done([], .circle(circle)) }
        guard circle.sets.count < Limits.setsPerCircleMax else {
            return .rejected(.full("sets of a circle", Limits.setsPerCircleMax))
        }
        let changed = circle.subscribing(to: (circle.sets + [id]).sorted())
        return .done([.circleChanged(changed)], .circle(changed))
    }

    func unsubscribe(_ circleID: CircleID, from id: ZoneSetID) -> Verdict {
        if let rejection = context.denial(.subscribeSets, on: .circle(circleID)) {
            return .rejected(rejection)
        }
        guard let circle = context.directory.circle(circleID) else {
            return .rejected(.missing("circle"))
        }
        if let rejection = context.outdated(circle.version) { return .rejected(rejection) }
        guard circle.sets.contains(id) else { return .done([], .circle(circle)) }
        let changed = circle.subscribing(to: circle.sets.filter { $0 != id })
        return .done([.circleChanged(changed)], .circle(changed))
    }
}

extension Circle {
    /// A copy with these sets and the next version.
    fileprivate func subscribing(to sets: [ZoneSetID]) -> Circle {
        var circle = self
        circle.sets = sets
        circle.version += 1
        return circle
    }
}
