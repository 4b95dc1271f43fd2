import Hashing
import Model

// Who is there and which zones there are, as ingest says.
extension PartitionState {
    /// A record of configuration, without deciding anything.
    ///
    /// - Returns: whether it is one.
    mutating func configure(_ body: EventBody) -> Bool {
        arrangements += 1
        switch body {
        case .inputCircle(let circle):
            let place = zones.circles.place(of: circle.circle, making: JudgedZones.none)
            unreadableZones -= zones.circles[place].unreadable
            zones.circles[place] = JudgedZones(circle.zones)
            unreadableZones += zones.circles[place].unreadable
        case .inputCircleRemoved(let removal):
            guard let place = zones.circles.place(of: removal.circle) else { return true }
            unreadableZones -= zones.circles[place].unreadable
            zones.circles.remove(removal.circle, leaving: JudgedZones.none)
        case .inputSet(let set):
            let place = zones.sets.place(of: set.set, making: JudgedSet())
            unreadableZones -= zones.sets[place].unreadable
            zones.sets[place].replace(page: set.page, by: set.zones)
            unreadableZones += zones.sets[place].unreadable
        case .inputSetRemoved(let removal):
            guard let place = zones.sets.place(of: removal.set) else { return true }
            unreadableZones -= zones.sets[place].unreadable
            zones.sets.remove(removal.set, leaving: JudgedSet())
        case .inputPerson(let person):
            let place = people.place(of: person.person, making: PersonState(id: person.person))
            unreadableZones -= people[place].ownZones.unreadable
            people[place].configure(person)
            unreadableZones += people[place].ownZones.unreadable
        default: return false
        }
        return true
    }

    /// A record of configuration. Whom it concerns is judged at once by their last fix.
    mutating func arrange(
        _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        switch event.body {
        case .inputCircle(let circle):
            arrange(circle: circle.circle, event, rules, into: &outputs)
        case .inputCircleRemoved(let removal):
            arrange(circle: removal.circle, event, rules, into: &outputs)
        case .inputSet(let set):
            arrange(set: set.set, page: set.page, event, rules, into: &outputs)
        case .inputSetRemoved(let removal):
            arrange(set: removal.set, page: nil, event, rules, into: &outputs)
        case .inputPerson(let person):
            turn(person.person, event, rules, into: &outputs) { state, place, turn in
                let before = state.people[place]
                _ = state.configure(event.body)
                state.followLeader(before: before.leader, place, &turn)
                state.arrange(place, .all, cause: event.id.raw, &turn) {
                    [zones = state.zones, now = turn.now] id in
                    zones.zone(id, of: before, at: now)
                }
            }
        case .inputPersonRemoved(let removal):
            remove(removal.person, event, rules, into: &outputs)
        // Other kinds belong to other streams and say nothing here.
        default: break
        }
    }

    private mutating func arrange(
        circle: CircleID, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        let members = people.keys { $0.circles.contains(circle) }
        pass(members, event, rules, into: &outputs)
        let old = zones.circles.place(of: circle).map { zones.circles[$0] } ?? JudgedZones.none
        _ = configure(event.body)
        for member in members {
            turn(member, event, rules, into: &outputs) { state, place, turn in
                let person = state.people[place]
                state.arrange(place, .circle(circle), cause: event.id.raw, &turn) {
                    [zones = state.zones, now = turn.now] id in
                    if let found = zones.zone(id, of: person, at: now, except: circle) {
                        return found
                    }
                    guard let place = old.place(of: id) else { return nil }
                    let found = FoundZone(old, place, of: .circle(circle))
                    return person.isJudged(by: found.zone, of: found.source, at: now) ? found : nil
                }
            }
        }
    }

    /// - Parameter page: nil = all are gone.
    private mutating func arrange(
        set: ZoneSetID, page: Int?, _ event: Event, _ rules: EvaluatorRules,
        into outputs: inout [Event]
    ) {
        let members = people.keys { $0.sets.contains(set) }
        pass(members, event, rules, into: &outputs)
        let old = zones.sets.place(of: set).map { zones.sets[$0] } ?? JudgedSet()
        _ = configure(event.body)
        var new = JudgedZones.none
        if let page, let place = zones.sets.place(of: set) {
            new = JudgedZones(zones.sets[place].zones(ofPage: page))
        }
        for member in members {
            turn(member, event, rules, into: &outputs) { state, place, turn in
                var elsewhere = state.people[place]
                elsewhere.sets.removeAll { $0 == set }
                let person = state.people[place]
                state.arrange(place, .page(new, of: set), cause: event.id.raw, &turn) {
                    [zones = state.zones, now = turn.now] id in
                    if let found = zones.zone(id, of: elsewhere, at: now) { return found }
                    guard let prepared = old.zone(id) else { return nil }
                    let found = FoundZone(prepared, of: .set(set))
                    return person.isJudged(by: found.zone, of: found.source, at: now) ? found : nil
                }
            }
        }
    }

    /// Time passes for people before a record that changes what would be decided about them. What
    /// comes of it is told apart from what comes of the record.
    mutating func pass(
        _ people: [PersonID], _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        let before = Event(
            id: EventID(Hash.id("before", .id(event.id))), time: event.time, trace: event.trace,
            body: event.body)
        for person in people { turn(person, before, rules, into: &outputs) { _, _, _ in } }
    }

    /// Forgets a person; an emergency that still runs is resolved, so that nobody goes on being
    /// told, and no clock is wanted.
    private mutating func remove(
        _ person: PersonID, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        guard people.place(of: person) != nil else { return }
        turn(person, event, rules, into: &outputs) { state, place, turn in
            let before = state.people[place]
            turn.isErased = true
            state.unreadableZones -= before.ownZones.unreadable
            state.people[place].configure(
                PlacedPerson(person: person, leadingDevice: nil, circles: [], zones: []))
            state.arrange(place, .all, cause: event.id.raw, &turn) {
                [zones = state.zones, now = turn.now] id in
                zones.zone(id, of: before, at: now)
            }
            state.people[place].suspect = nil
            // No phone is told how to report.
            state.people[place].firstDevice = nil
            state.forgetSilence(place, &turn)
            let steps = state.people[place].emergency.personRemoved()
            state.tell(steps, of: state.people[place], &turn)
        }
        people.remove(person, leaving: PersonState(id: person))
    }

    /// Which zones are others than before.
    enum Arranged {
        case all
        case circle(CircleID)
        case page(JudgedZones, of: ZoneSetID)
    }

    /// Forgets what is known of zones that do not judge the person any more, and decides about
    /// those that came or changed, by the last fix.
    ///
    /// - Parameter before: a zone as it judged the person before; nil if it did not.
    mutating func arrange(
        _ place: Int, _ part: Arranged, cause: ID128, _ turn: inout Turn,
        before: @escaping (ZoneID) -> FoundZone?
    ) {
        people[place].stale()
        people[place].isAbsenceStale = true
        turn.isArranged = true
        // What a wait that was over before saw was seen among the zones of then.
        turn.glance = nil
        if case .page = part { turn.isPage = true }
        if case .all = part { zones.build(people[place].sets) }
        let (person, now, known) = (people[place], turn.now, zones)
        let isNew = { (id: ZoneID) -> Bool in
            let old = before(id)?.zone.kind
            return old == nil || old != known.zone(id, of: person, at: now)?.zone.kind
        }
        guard let trusted = person.trusted else { return }
        var judge = ZoneJudge(trusted, .arranged)
        judge.cause = cause
        judge.isNew = isNew
        for presence in person.presences {
            let found = known.zone(presence.zone, of: person, at: now)
            if found != nil, !isNew(presence.zone) { continue }
            let reason: CrossingReason = found == nil ? .notJudged : .zoneChanged
            if presence.counts, let found = before(presence.zone) ?? found {
                judge.forget(found, presence, reason, person.id, &turn)
            }
            people[place].forget(presence.zone)
        }
        // A device that leads newly is asked first.
        guard person.leadingFix != nil else { return }
        switch part {
        case .all: judge.decide(&people[place], known, looking: &nearZones, &turn)
        case .circle(let circle):
            guard let index = known.circles.place(of: circle) else { return }
            judge.decide(
                known.circles[index], of: .circle(circle), for: &people[place],
                looking: &nearZones, &turn)
        case .page(let zones, let set):
            judge.decide(
                zones, of: .set(set), for: &people[place], looking: &nearZones, &turn)
        }
    }
}

extension PersonState {
    mutating func configure(_ placed: PlacedPerson) {
        let before = leader
        circles = placed.circles.sorted()
        sets = placed.sets.sorted()
        unshared = placed.unshared
        refused = placed.refused
        ownZones = JudgedZones(placed.zones)
        chosenDevice = placed.leadingDevice
        // Of another device, it contradicts nothing.
        if leader != before { suspect = nil }
    }
}
