import Hashing
import Model

// Alarms and zone messages: derived from the presence of people.
extension PartitionState {
    /// Updates the person's alarms by the presence changes of this turn, and collects the messages
    /// that became due.
    mutating func updateAlarms(_ index: Int, _ turn: inout Turn) {
        for change in turn.changes where change.kind == .safe {
            guard let transition = change.transition,
                change.details.transitions.contains(transition)
            else { continue }
            turn.triggered.add(AlarmZone(change), transition, messages: change.details.messages)
        }
        let isTouched = turn.changes.contains { $0.kind == .alert }
        guard isTouched || people[index].alarms.isStartPending || needsAlarmUpdate(index, turn),
            let context = alarmContext(index, turn)
        else { return }
        people[index].findAlertStays(&alertStays, zones, at: configurationGeneration, turn)
        let changes = turn.changes
        let steps = people[index].alarms.update(
            alertStays, of: people[index].id, at: context, rules: turn.rules,
            endReason: { zone in changes.last { $0.zone == zone.id }?.alarmEnd ?? .removed })
        emit(steps, index, &turn)
    }

    /// Whether alarms may change although the person's alert zones did not.
    private func needsAlarmUpdate(_ index: Int, _ turn: Turn) -> Bool {
        guard !people[index].alarms.alarms.isEmpty else { return false }
        return turn.isReconfigured
            || turn.trustedFix != nil && people[index].alarms.nextChange <= turn.end
    }

    /// Rings an alarm whose next ring is due.
    mutating func ring(_ index: Int, _ turn: inout Turn) {
        guard let context = alarmContext(index, turn) else { return }
        emit(people[index].alarms.advance(at: context, rules: turn.rules), index, &turn)
    }

    /// Arms or disarms a person's devices.
    mutating func arm(
        _ arming: Arming, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        turn(arming.person, event, rules, into: &outputs) { state, index, turn in
            state.emit(state.people[index].alarms.arm(arming.armed), index, &turn)
            state.recordActivity(index, &turn)
        }
    }

    /// Handles a person's answer to an alarm.
    mutating func handleAlarmAnswer(
        _ answer: AlarmAnswer, _ event: Event, _ rules: EvaluatorRules,
        into outputs: inout [Event]
    ) {
        guard people.index(of: answer.person) != nil else { return }
        turn(answer.person, event, rules, into: &outputs) { state, index, turn in
            state.recordActivity(index, &turn)
            guard let context = state.alarmContext(index, turn) else { return }
            let steps = state.people[index].alarms.answer(answer, at: context, rules: rules)
            state.emit(steps, index, &turn)
        }
    }

    /// Emits one event with the messages of all zones that were triggered by this record.
    func emitDueMessages(_ index: Int, _ turn: inout Turn) {
        guard let fix = people[index].trusted?.fix,
            let due = turn.triggered.drain(for: people[index].id, fix: fix)
        else { return }
        turn.emit(.messagesDue(due), of: due.person, subject: .none, cause: turn.id.raw)
    }

    /// Nil if the person has no fix yet.
    private func alarmContext(_ index: Int, _ turn: Turn) -> AlarmMachine.Context? {
        people[index].trusted.map { trusted in
            AlarmMachine.Context(
                now: turn.end, fix: trusted.fix.time, isFix: turn.trustedFix != nil,
                record: turn.id.raw, decided: turn.now)
        }
    }

    private mutating func emit(_ steps: [AlarmMachine.Step], _ index: Int, _ turn: inout Turn) {
        // The next ring may have changed even if nothing was emitted.
        people[index].isWakeStale = true
        guard let fix = people[index].trusted?.fix else { return }
        let person = people[index].id
        for step in steps {
            let zone = step.alarm.zone
            if case .started = step.kind,
                let found = zones.zone(zone.id, of: people[index], at: turn.now)
            {
                turn.triggered.add(
                    zone, step.alarm.presence == .near ? .approach : .enter,
                    messages: found.details.messages)
            }
            turn.emit(
                step.body(of: person, fix: fix), of: person, subject: .id(step.alarm.id),
                cause: step.cause)
        }
    }
}

extension PersonState {
    /// Collects all alert zones that the person is inside or near.
    fileprivate mutating func findAlertStays(
        _ stays: inout [AlarmStay], _ zones: KnownZones, at configurationGeneration: UInt64,
        _ turn: borrowing Turn
    ) {
        stays.removeAll(keepingCapacity: true)
        for presence in presences {
            guard
                nearbyZones.traits(of: presence.zone, at: configurationGeneration)?.isAlert
                    != false,
                var stay = stay(in: presence, zones, at: turn.now)
            else { continue }
            for change in turn.changes where change.zone == presence.zone {
                if !change.isInitial, change.after == presence.presence { stay.initial = false }
            }
            stays.append(stay)
        }
    }

    /// The person's stay in an alert zone; nil if the person is neither inside nor near.
    func stay(in presence: ZonePresence, _ zones: KnownZones, at now: Timestamp) -> AlarmStay? {
        guard presence.isPresent, !presence.isCoarse,
            let found = zones.zone(presence.zone, of: self, at: now),
            found.zone.kind == .alert
        else { return nil }
        return AlarmStay(zone: AlarmZone(found), presence: presence.presence, initial: true)
    }
}

extension Turn {
    /// Queues the messages of a safe zone for a transition caused by a deadline.
    mutating func queueMessages(_ transition: Transition, _ found: FoundZone) {
        guard found.zone.kind == .safe, found.details.transitions.contains(transition) else {
            return
        }
        triggered.add(AlarmZone(found), transition, messages: found.details.messages)
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
    /// The observed transition; nil if the person was only found in this state or nothing is
    /// notified.
    fileprivate var transition: Transition? {
        guard !isInitial else { return nil }
        switch (before, after) {
        case (_, .inside): return interpolated ? .cross : .enter
        // A pass-through was already reported by its enter event.
        case (.inside, .outside), (.inside, .near): return interpolated ? nil : .exit
        case (_, .near): return .approach
        case (_, .outside), (_, .unknown): return nil
        }
    }

    /// Why this change ends an alarm.
    fileprivate var alarmEnd: AlarmEnd {
        switch after {
        case .unknown: .removed
        case .outside, .near, .inside: reason == .zoneChanged ? .zoneChanged : .exit
        }
    }
}

extension AlarmMachine.Step {
    /// Start and end happen once per alarm; each ring happens once.
    fileprivate var cause: ID128 {
        switch kind {
        case .started, .ended: alarm.id.raw
        case .repeated: Hash.id(.id(alarm.id), .number(alarm.rings))
        }
    }

    fileprivate func body(of person: PersonID, fix: Fix) -> EventBody {
        switch kind {
        case .started(let initial): .alarmStarted(change(of: person, fix, initial: initial))
        case .repeated: .alarmRepeated(change(of: person, fix))
        case .ended(let end): .alarmEnded(change(of: person, fix, end: end))
        }
    }

    private func change(
        of person: PersonID, _ fix: Fix, initial: Bool = false, end: AlarmEnd? = nil
    ) -> AlarmChange {
        let isGone = end == .exit || end == .zoneChanged
        return AlarmChange(
            alarm: alarm.id, person: person, zone: alarm.zone.id, zoneName: alarm.zone.name,
            category: alarm.zone.category, priority: alarm.zone.priority,
            circle: alarm.zone.circle, set: alarm.zone.set, vibrates: alarm.zone.alarm.vibrates,
            sound: alarm.zone.alarm.sound, presence: isGone ? .outside : alarm.presence,
            rings: alarm.rings, initial: initial, isAudible: isAudible, end: end, fix: fix)
    }
}
