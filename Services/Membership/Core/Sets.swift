import Directory
import Model

extension Attempt {
    func createSet(_ id: ZoneSetID, name: String) -> Verdict {
        if let refusal = denial(.administer, on: .suite) { return .refused(refusal) }
        guard directory.sortedSets.count < Limits.setsMax else {
            return .refused(.full("sets", Limits.setsMax))
        }
        let set = ZoneSet(id: id, name: name)
        return .done([.setChanged(set)], .set(set))
    }

    func updateSet(_ id: ZoneSetID, name: String?) -> Verdict {
        if let refusal = denial(.administer, on: .suite) { return .refused(refusal) }
        guard var set = directory.set(id) else { return .refused(.missing("set")) }
        if let refusal = outdated(set.version) { return .refused(refusal) }
        guard let name, name != set.name else { return .done([], .set(set)) }
        set.name = name
        set.version += 1
        return .done([.setChanged(set)], .set(set))
    }

    /// With its zones; circles that subscribe to it do so no longer.
    func removeSet(_ id: ZoneSetID) -> Verdict {
        if let refusal = denial(.administer, on: .suite) { return .refused(refusal) }
        guard let set = directory.set(id) else { return .refused(.missing("set")) }
        if let refusal = outdated(set.version) { return .refused(refusal) }
        let subscribers = directory.circles(subscribedTo: id).compactMap(directory.circle)
        return .done(
            subscribers.map { .circleChanged($0.subscribing(to: $0.sets.filter { $0 != id })) }
                + [.setRemoved(SetRemoval(set: id))], .gone)
    }

    /// From now on the set's zones judge the circle's members.
    func subscribe(_ circleID: CircleID, to id: ZoneSetID) -> Verdict {
        if let refusal = denial(.subscribeSets, on: .circle(circleID)) {
            return .refused(refusal)
        }
        guard let circle = directory.circle(circleID) else { return .refused(.missing("circle")) }
        if let refusal = outdated(circle.version) { return .refused(refusal) }
        guard directory.set(id) != nil else { return .refused(.missing("set")) }
        guard !circle.sets.contains(id) else { return .done([], .circle(circle)) }
        guard circle.sets.count < Limits.setsPerCircleMax else {
            return .refused(.full("sets of a circle", Limits.setsPerCircleMax))
        }
        let changed = circle.subscribing(to: (circle.sets + [id]).sorted())
        return .done([.circleChanged(changed)], .circle(changed))
    }

    func unsubscribe(_ circleID: CircleID, from id: ZoneSetID) -> Verdict {
        if let refusal = denial(.subscribeSets, on: .circle(circleID)) {
            return .refused(refusal)
        }
        guard let circle = directory.circle(circleID) else { return .refused(.missing("circle")) }
        if let refusal = outdated(circle.version) { return .refused(refusal) }
        guard circle.sets.contains(id) else { return .done([], .circle(circle)) }
        let changed = circle.subscribing(to: circle.sets.filter { $0 != id })
        return .done([.circleChanged(changed)], .circle(changed))
    }
}

extension Circle {
    /// The circle under its next version, with these sets.
    fileprivate func subscribing(to sets: [ZoneSetID]) -> Circle {
        var circle = self
        circle.sets = sets
        circle.version += 1
        return circle
    }
}
