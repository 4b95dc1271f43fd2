import Hashing
import Model

// Configuration records of a partition: people, circles, zone sets.
extension PartitionState {
    /// Applies a configuration record without evaluating anybody.
    ///
    /// - Returns: false if the record is no configuration.
    mutating func configure(_ body: EventBody) -> Bool {
        configurationGeneration += 1
        switch body {
        case .inputCircle(let circle):
            let index = zones.circles.index(of: circle.circle, inserting: ActiveZones.none)
            unreadableZones -= zones.circles[index].unreadable
            zones.circles[index] = ActiveZones(circle.zones)
            unreadableZones += zones.circles[index].unreadable
        case .inputCircleRemoved(let removal):
            guard let index = zones.circles.index(of: removal.circle) else { return true }
            unreadableZones -= zones.circles[index].unreadable
            zones.circles.remove(removal.circle, fillingWith: ActiveZones.none)
        case .inputSet(let set):
            let index = zones.sets.index(of: set.set, inserting: ActiveSet())
            unreadableZones -= zones.sets[index].unreadable
            zones.sets[index].replace(page: set.page, with: set.zones)
            unreadableZones += zones.sets[index].unreadable
        case .inputSetRemoved(let removal):
            guard let index = zones.sets.index(of: removal.set) else { return true }
            unreadableZones -= zones.sets[index].unreadable
            zones.sets.remove(removal.set, fillingWith: ActiveSet())
        case .inputPerson(let person):
            let index = people.index(of: person.person, inserting: PersonState(id: person.person))
            unreadableZones -= people[index].ownZones.unreadable
            people[index].configure(person)
            unreadableZones += people[index].ownZones.unreadable
        default: return false
        }
        return true
    }

    /// Applies a configuration record and re-evaluates the people concerned by their last fix.
    mutating func reconfigure(
        _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        switch event.body {
        case .inputCircle(let circle):
            reconfigure(circle: circle.circle, event, rules, into: &outputs)
        case .inputCircleRemoved(let removal):
            reconfigure(circle: removal.circle, event, rules, into: &outputs)
        case .inputSet(let set):
            reconfigure(set: set.set, page: set.page, event, rules, into: &outputs)
        case .inputSetRemoved(let removal):
            reconfigure(set: removal.set, page: nil, event, rules, into: &outputs)
        case .inputPerson(let person):
            turn(person.person, event, rules, into: &outputs) { state, index, turn in
                let before = state.people[index]
                _ = state.configure(event.body)
                state.updatePrimaryDevice(before: before.primaryDevice, index, &turn)
                state.reconfigure(index, .all, cause: event.id.raw, &turn) {
                    [zones = state.zones, now = turn.now] id in
                    zones.zone(id, of: before, at: now)
                }
            }
        case .inputPersonRemoved(let removal):
            removePerson(removal.person, event, rules, into: &outputs)
        // Other kinds belong to other streams.
        default: break
        }
    }

    private mutating func reconfigure(
        circle: CircleID, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        let members = people.keys { $0.circles.contains(circle) }
        advanceAll(members, event, rules, into: &outputs)
        let old = zones.circles.index(of: circle).map { zones.circles[$0] } ?? ActiveZones.none
        _ = configure(event.body)
        for member in members {
            turn(member, event, rules, into: &outputs) { state, index, turn in
                let person = state.people[index]
                state.reconfigure(index, .circle(circle), cause: event.id.raw, &turn) {
                    [zones = state.zones, now = turn.now] id in
                    if let found = zones.zone(id, of: person, at: now, except: circle) {
                        return found
                    }
                    guard let index = old.index(of: id) else { return nil }
                    let found = FoundZone(old, index, of: .circle(circle))
                    return person.isEvaluated(by: found.zone, of: found.source, at: now)
                        ? found : nil
                }
            }
        }
    }

    /// - Parameter page: nil = the set was removed.
    private mutating func reconfigure(
        set: ZoneSetID, page: Int?, _ event: Event, _ rules: EvaluatorRules,
        into outputs: inout [Event]
    ) {
        let members = people.keys { $0.sets.contains(set) }
        advanceAll(members, event, rules, into: &outputs)
        let old = zones.sets.index(of: set).map { zones.sets[$0] } ?? ActiveSet()
        _ = configure(event.body)
        var new = ActiveZones.none
        if let page, let index = zones.sets.index(of: set) {
            new = ActiveZones(zones.sets[index].zones(ofPage: page))
        }
        for member in members {
            turn(member, event, rules, into: &outputs) { state, index, turn in
                var withoutSet = state.people[index]
                withoutSet.sets.removeAll { $0 == set }
                let person = state.people[index]
                state.reconfigure(index, .page(new, of: set), cause: event.id.raw, &turn) {
                    [zones = state.zones, now = turn.now] id in
                    if let found = zones.zone(id, of: withoutSet, at: now) { return found }
                    guard let prepared = old.zone(id) else { return nil }
                    let found = FoundZone(prepared, of: .set(set))
                    return person.isEvaluated(by: found.zone, of: found.source, at: now)
                        ? found : nil
                }
            }
        }
    }

    /// Advances people to the time of a record that changes what would be decided about them.
    /// Events caused by that have other ids than those caused by the record.
    mutating func advanceAll(
        _ people: [PersonID], _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        let before = Event(
            id: EventID(Hash.id("before", .id(event.id))), time: event.time, trace: event.trace,
            body: event.body)
        for person in people { turn(person, before, rules, into: &outputs) { _, _, _ in } }
    }

    /// Removes a person. A running emergency is resolved and its deadlines are cancelled, so that
    /// nobody is notified any more.
    private mutating func removePerson(
        _ person: PersonID, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        guard people.index(of: person) != nil else { return }
        turn(person, event, rules, into: &outputs) { state, index, turn in
            let before = state.people[index]
            turn.isErased = true
            state.unreadableZones -= before.ownZones.unreadable
            state.people[index].configure(
                ConfiguredPerson(person: person, primaryDevice: nil, circles: [], zones: []))
            state.reconfigure(index, .all, cause: event.id.raw, &turn) {
                [zones = state.zones, now = turn.now] id in
                zones.zone(id, of: before, at: now)
            }
            state.people[index].suspect = nil
            // No phone gets a reporting policy.
            state.people[index].firstDevice = nil
            state.clearContact(index, &turn)
            let steps = state.people[index].emergency.personRemoved()
            state.emit(steps, of: state.people[index], &turn)
        }
        people.remove(person, fillingWith: PersonState(id: person))
    }

    /// The zones that a configuration record may have changed.
    enum ChangedZones {
        case all
        case circle(CircleID)
        case page(ActiveZones, of: ZoneSetID)
    }

    /// Clears the presence in zones that no longer apply to the person, and evaluates new and
    /// changed zones by the last fix.
    ///
    /// - Parameter before: a zone as it applied to the person before; nil if it did not.
    mutating func reconfigure(
        _ index: Int, _ part: ChangedZones, cause: ID128, _ turn: inout Turn,
        before: @escaping (ZoneID) -> FoundZone?
    ) {
        people[index].invalidateWake()
        people[index].isAbsenceStale = true
        turn.isReconfigured = true
        // Bounds that an earlier wait measured belong to the old zones.
        turn.edgeBounds = nil
        if case .page = part { turn.isPage = true }
        if case .all = part { zones.build(people[index].sets) }
        let (person, now, known) = (people[index], turn.now, zones)
        let isNew = { (id: ZoneID) -> Bool in
            let old = before(id)?.zone.kind
            return old == nil || old != known.zone(id, of: person, at: now)?.zone.kind
        }
        guard let trusted = person.trusted else { return }
        var evaluator = ZoneEvaluator(trusted, .reconfigured)
        evaluator.cause = cause
        evaluator.isNew = isNew
        for presence in person.presences {
            let found = known.zone(presence.zone, of: person, at: now)
            if found != nil, !isNew(presence.zone) { continue }
            let reason: CrossingReason = found == nil ? .notApplicable : .zoneChanged
            if presence.isPresent, let found = before(presence.zone) ?? found {
                evaluator.forget(found, presence, reason, person.id, &turn)
            }
            people[index].forget(presence.zone)
        }
        // A new primary device decides by its own first fix.
        guard person.primaryFix != nil else { return }
        switch part {
        case .all: evaluator.decide(&people[index], known, using: &zoneSearch, &turn)
        case .circle(let circle):
            guard let owner = known.circles.index(of: circle) else { return }
            evaluator.decide(
                known.circles[owner], of: .circle(circle), for: &people[index],
                using: &zoneSearch, &turn)
        case .page(let zones, let set):
            evaluator.decide(
                zones, of: .set(set), for: &people[index], using: &zoneSearch, &turn)
        }
    }
}

extension PersonState {
    mutating func configure(_ configured: ConfiguredPerson) {
        let before = primaryDevice
        circles = configured.circles.sorted()
        sets = configured.sets.sorted()
        unshared = configured.unshared
        optOuts = configured.refused
        ownZones = ActiveZones(configured.zones)
        chosenDevice = configured.primaryDevice
        // A suspect fix of another device contradicts nothing.
        if primaryDevice != before { suspect = nil }
    }
}
