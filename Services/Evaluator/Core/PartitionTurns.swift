import Hashing
import Model

// The steps of a turn: first everything that became due by time, then the record itself, then the
// deadline of the next wait.
extension PartitionState {
    /// Handles one record about one person.
    mutating func turn(
        _ person: PersonID, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event],
        _ body: (inout PartitionState, Int, inout Turn) -> Void
    ) {
        let index = prepare(person)
        var turn = Turn(event, rules)
        swap(&turn.outputs, &outputs)
        swap(&turn.changes, &changes)
        defer {
            swap(&turn.outputs, &outputs)
            swap(&turn.changes, &changes)
            changes.removeAll(keepingCapacity: true)
        }
        advance(index, to: event.time, &turn)
        body(&self, index, &turn)
        finish(index, &turn)
    }

    /// The index of a person, who is created if unknown. Flushes what quiet fixes have changed.
    mutating func prepare(_ person: PersonID) -> Int {
        let index = people.index(of: person, inserting: PersonState(id: person))
        while quietFixFilters.count <= index { quietFixFilters.append(QuietFixFilter()) }
        if quietFixFilters[index].isActive { quietFixFilters[index].flush(into: &people[index]) }
        return index
    }

    /// Handles an expired deadline. It proves that its time has come, even if ingest's clock is
    /// behind. So does an outdated deadline, because it expires only once.
    mutating func expire(
        _ deadline: Deadline, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        guard people.index(of: deadline.person) != nil else { return }
        turn(deadline.person, event, rules, into: &outputs) { state, index, turn in
            state.advance(index, to: deadline.due, &turn)
        }
    }

    /// Handles all waits of a person up to a time, in order. So a late deadline and an earlier
    /// record lead to the same decisions.
    mutating func advance(_ index: Int, to time: Timestamp, _ turn: inout Turn) {
        turn.end = max(turn.end, time, people[index].passed)
        if people[index].wake <= time {
            zones.build(people[index].sets)
            while let wait = nextWait(of: people[index], turn.rules), wait.due <= time {
                turn.now = max(wait.due, people[index].passed)
                handle(wait, index, &turn)
                updateDependents(index, &turn)
            }
            people[index].invalidateWake()
        }
        turn.now = max(people[index].passed, time)
        people[index].passed = turn.now
    }

    /// Ends a turn: updates what depends on the record, and schedules the deadline of the next
    /// wait.
    mutating func finish(_ index: Int, _ turn: inout Turn) {
        updateDependents(index, &turn)
        while people[index].isWakeStale || people[index].isAbsenceStale {
            if people[index].isAbsenceStale {
                people[index].isAbsenceStale = false
                people[index].absence = nextAbsence(of: people[index], after: people[index].passed)
            }
            people[index].findWake(zones, at: configurationGeneration, turn.rules)
            // An edit may make a wait shorter than the time already waited.
            if people[index].wake <= people[index].passed {
                advance(index, to: people[index].passed, &turn)
            }
        }
        emitDueMessages(index, &turn)
        updatePolicy(index, &turn)
        scheduleDeadline(index, &turn)
        if turn.isMoved {
            people[index].beginQuietFixes(
                in: &quietFixFilters[index], turn.rules, configurationGeneration)
        }
    }

    /// Schedules one deadline per person, for the first wait. An early deadline does no harm, so it
    /// is replaced only by an earlier one, or cancelled if nothing is waited for.
    private mutating func scheduleDeadline(_ index: Int, _ turn: inout Turn) {
        let (wake, scheduled) = (people[index].wake, people[index].deadline)
        let passed = people[index].passed
        // Its time is over, whether or not its expiry has arrived yet.
        let isOver = scheduled.map { $0 <= passed } ?? false
        if isOver { people[index].deadline = nil }
        guard wake != (isOver ? nil : scheduled) ?? .distantFuture else { return }
        if let deadline = people[index].deadline {
            guard wake < deadline || wake == .distantFuture else { return }
            turn.emit(deadline: deadline, isScheduled: false, of: people[index].id)
        }
        people[index].deadline = wake == .distantFuture ? nil : wake
        if wake < .distantFuture {
            turn.emit(deadline: wake, isScheduled: true, of: people[index].id)
        }
    }

    /// Updates alarms by the changes since the last update.
    private mutating func updateDependents(_ index: Int, _ turn: inout Turn) {
        updateAlarms(index, &turn)
        if turn.trustedFix != nil { turn.isMoved = true }
        if !turn.changes.isEmpty { turn.changes.removeAll(keepingCapacity: true) }
        turn.trustedFix = nil
    }

    private mutating func handle(_ wait: Wait, _ index: Int, _ turn: inout Turn) {
        // Other waits change nothing about zones.
        if [.leaving, .schedule, .suspect, .pause].contains(wait.kind) {
            people[index].nearbyZones.invalidate()
        }
        switch wait.kind {
        case .leaving: wait.zone.map { confirmLeaving($0, index, &turn) }
        case .dwell: wait.zone.map { dwell($0, index, &turn) }
        case .schedule: wait.zone.map { openOrClose($0, index, due: wait.due, &turn) }
        case .absence: evaluateAbsence(index, due: wait.due, &turn)
        case .alarm: ring(index, &turn)
        case .suspect: trustSuspect(index, &turn)
        case .contact: expireContact(index, due: wait.due, &turn)
        case .pause: wait.circle.map { endSharingPause(of: $0, index, due: wait.due, &turn) }
        }
    }
}

extension PersonState {
    /// The deadline of a wait. The same wait always has the same id.
    static func deadline(of person: PersonID, due: Timestamp) -> Deadline {
        let rule = DeadlineKind.presence
        let id = Hash.derivedID(
            kind: "clock." + rule.rawValue, person: person,
            subject: .number(due.microseconds), cause: person.raw)
        return Deadline(id: DeadlineID(id), rule: rule, person: person, due: due)
    }
}

extension Turn {
    fileprivate mutating func emit(deadline due: Timestamp, isScheduled: Bool, of person: PersonID)
    {
        let deadline = PersonState.deadline(of: person, due: due)
        emit(
            isScheduled ? .deadlineScheduled(deadline) : .deadlineCancelled(deadline), of: person,
            subject: .id(deadline.id), cause: id.raw)
    }
}
