import Hashing
import Model

// Alarms and messages follow from where people are.
extension PartitionState {
    /// What changes between a person and zones mean for the person's alarms, and which messages
    /// they make due.
    mutating func followAlarms(_ place: Int, _ turn: inout Turn) {
        for change in turn.changes where change.kind == .safe {
            guard let transition = change.transition,
                change.details.transitions.contains(transition)
            else { continue }
            turn.fired.add(AlarmZone(change), transition, messages: change.details.messages)
        }
        let isTouched = turn.changes.contains { $0.kind == .alert }
        guard isTouched || people[place].alarms.isOwed || isAlarmAsked(place, turn),
            let moment = moment(place, turn)
        else { return }
        people[place].findAlertStays(&alertStays, zones, at: arrangements, turn)
        let changes = turn.changes
        let steps = people[place].alarms.follow(
            alertStays, of: people[place].id, at: moment, rules: turn.rules,
            because: { zone in changes.last { $0.zone == zone.id }?.alarmEnd ?? .removed })
        tell(steps, place, &turn)
    }

    /// Whether alarms may change although the person is seen by the same zones as before.
    private func isAlarmAsked(_ place: Int, _ turn: Turn) -> Bool {
        guard !people[place].alarms.alarms.isEmpty else { return false }
        return turn.isArranged
            || turn.believed != nil && people[place].alarms.nextChange <= turn.end
    }

    /// The next ring is due.
    mutating func ring(_ place: Int, _ turn: inout Turn) {
        guard let moment = moment(place, turn) else { return }
        tell(people[place].alarms.advance(at: moment, rules: turn.rules), place, &turn)
    }

    /// A person's devices shall alarm of zones, or shall not.
    mutating func arm(
        _ arming: Arming, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        turn(arming.person, event, rules, into: &outputs) { state, place, turn in
            state.tell(state.people[place].alarms.arm(arming.armed), place, &turn)
            state.answer(place, &turn)
        }
    }

    /// A person answers an alarm.
    mutating func take(
        _ answer: AlarmAnswer, _ event: Event, _ rules: EvaluatorRules,
        into outputs: inout [Event]
    ) {
        guard people.place(of: answer.person) != nil else { return }
        turn(answer.person, event, rules, into: &outputs) { state, place, turn in
            state.answer(place, &turn)
            guard let moment = state.moment(place, turn) else { return }
            let steps = state.people[place].alarms.answer(answer, at: moment, rules: rules)
            state.tell(steps, place, &turn)
        }
    }

    /// Messages of all zones that fired by a record, in one event.
    func tellMessages(_ place: Int, _ turn: inout Turn) {
        guard let fix = people[place].trusted?.fix,
            let due = turn.fired.take(of: people[place].id, fix: fix)
        else { return }
        turn.tell(.messagesDue(due), of: due.person, subject: .none, cause: turn.id.raw)
    }

    /// Nil for somebody of whom no fix is known.
    private func moment(_ place: Int, _ turn: Turn) -> AlarmLife.Moment? {
        people[place].trusted.map { trusted in
            AlarmLife.Moment(
                now: turn.end, fix: trusted.fix.time, isFix: turn.believed != nil,
                record: turn.id.raw, decided: turn.now)
        }
    }

    private mutating func tell(_ steps: [AlarmLife.Step], _ place: Int, _ turn: inout Turn) {
        // Another ring may be due first, also where nothing is told.
        people[place].isWakeStale = true
        guard let fix = people[place].trusted?.fix else { return }
        let person = people[place].id
        for step in steps {
            let zone = step.alarm.zone
            if case .started = step.kind,
                let found = zones.zone(zone.id, of: people[place], at: turn.now)
            {
                turn.fired.add(
                    zone, step.alarm.presence == .near ? .approach : .enter,
                    messages: found.details.messages)
            }
            turn.tell(
                step.body(of: person, fix: fix), of: person, subject: .id(step.alarm.id),
                cause: step.cause)
        }
    }
}

extension PersonState {
    /// All alert zones that the person is inside of or near.
    fileprivate mutating func findAlertStays(
        _ stays: inout [AlarmStay], _ zones: KnownZones, at arrangements: UInt64,
        _ turn: borrowing Turn
    ) {
        stays.removeAll(keepingCapacity: true)
        for presence in presences {
            guard neighbourhood.traits(of: presence.zone, at: arrangements)?.isAlert != false,
                var stay = stay(in: presence, zones, at: turn.now)
            else { continue }
            for change in turn.changes where change.zone == presence.zone {
                if !change.isInitial, change.after == presence.presence { stay.initial = false }
            }
            stays.append(stay)
        }
    }

    /// Where the person is, seen from an alert zone; nil if that is nowhere near.
    func stay(in presence: ZonePresence, _ zones: KnownZones, at now: Timestamp) -> AlarmStay? {
        guard presence.counts, !presence.isCoarse,
            let found = zones.zone(presence.zone, of: self, at: now),
            found.zone.kind == .alert
        else { return nil }
        return AlarmStay(zone: AlarmZone(found), presence: presence.presence, initial: true)
    }
}

extension Turn {
    /// A clock of a safe zone ran out, for which its messages may be sent.
    mutating func fire(_ transition: Transition, _ found: FoundZone) {
        guard found.zone.kind == .safe, found.details.transitions.contains(transition) else {
            return
        }
        fired.add(AlarmZone(found), transition, messages: found.details.messages)
    }
}

extension AlarmZone {
    init(_ found: FoundZone) {
        self.init(id: found.zone.id, of: found.source, found.details)
    }

    fileprivate init(_ change: PresenceChange) {
        self.init(id: change.zone, of: change.source, change.details)
    }

    private init(id: ZoneID, of source: ZoneSource, _ details: ZoneDetails) {
        self.init(
            id: id, name: details.name, category: details.category, priority: details.priority,
            circle: source.circle, set: source.set, alarm: details.alarm)
    }
}

extension PresenceChange {
    /// What was seen to happen; nil where somebody was only found so, or nothing is told of it.
    fileprivate var transition: Transition? {
        guard !isInitial else { return nil }
        switch (before, after) {
        case (_, .inside): return interpolated ? .cross : .enter
        // Who passed through has been told of already.
        case (.inside, .outside), (.inside, .near): return interpolated ? nil : .exit
        case (_, .near): return .approach
        case (_, .outside), (_, .unknown): return nil
        }
    }

    /// Why an alarm ends by it.
    fileprivate var alarmEnd: AlarmEnd {
        switch after {
        case .unknown: .removed
        case .outside, .near, .inside: reason == .zoneChanged ? .zoneChanged : .exit
        }
    }
}

extension AlarmLife.Step {
    /// Start and end come once in an alarm's life, each ring once.
    fileprivate var cause: ID128 {
        switch kind {
        case .started, .ended: alarm.id.raw
        case .repeated: Hash.id(.id(alarm.id), .number(alarm.rings))
        }
    }

    fileprivate func body(of person: PersonID, fix: Fix) -> EventBody {
        switch kind {
        case .started(let initial): .alarmStarted(news(of: person, fix, initial: initial))
        case .repeated: .alarmRepeated(news(of: person, fix))
        case .ended(let end): .alarmEnded(news(of: person, fix, end: end))
        }
    }

    private func news(
        of person: PersonID, _ fix: Fix, initial: Bool = false, end: AlarmEnd? = nil
    ) -> AlarmNews {
        let isGone = end == .exit || end == .zoneChanged
        return AlarmNews(
            alarm: alarm.id, person: person, zone: alarm.zone.id, zoneName: alarm.zone.name,
            category: alarm.zone.category, priority: alarm.zone.priority,
            circle: alarm.zone.circle, set: alarm.zone.set, vibrates: alarm.zone.alarm.vibrates,
            sound: alarm.zone.alarm.sound, presence: isGone ? .outside : alarm.presence,
            rings: alarm.rings, initial: initial, speaks: speaks, end: end, fix: fix)
    }
}
