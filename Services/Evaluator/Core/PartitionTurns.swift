import Hashing
import Model

// How a person's part of the state goes through a record: what time has brought until then comes
// first, then what the record says, then the clock for what time will bring next.
extension PartitionState {
    /// One record about one person.
    mutating func turn(
        _ person: PersonID, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event],
        _ body: (inout PartitionState, Int, inout Turn) -> Void
    ) {
        let place = awake(person)
        var turn = Turn(event, rules)
        swap(&turn.outputs, &outputs)
        swap(&turn.changes, &changes)
        defer {
            swap(&turn.outputs, &outputs)
            swap(&turn.changes, &changes)
            changes.removeAll(keepingCapacity: true)
        }
        advance(place, to: event.time, &turn)
        body(&self, place, &turn)
        finish(place, &turn)
    }

    /// The place of a person, made if there is none, with all that quiet fixes have left.
    mutating func awake(_ person: PersonID) -> Int {
        let place = people.place(of: person, making: PersonState(id: person))
        while calms.count <= place { calms.append(Calm()) }
        if calms[place].isOn { calms[place].end(&people[place]) }
        return place
    }

    /// A clock has run out. It says that its time has come, also where ingest's clock is behind; so
    /// does one that is not wanted any more, because it never runs out again.
    mutating func fire(
        _ clock: WantedClock, _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        guard people.place(of: clock.person) != nil else { return }
        turn(clock.person, event, rules, into: &outputs) { state, place, turn in
            state.advance(place, to: clock.due, &turn)
        }
    }

    /// Handles every wait of a person that is over by a time, in order; so a clock that comes late
    /// and a record that comes before it decide alike.
    mutating func advance(_ place: Int, to time: Timestamp, _ turn: inout Turn) {
        turn.end = max(turn.end, time, people[place].passed)
        if people[place].wake <= time {
            zones.build(people[place].sets)
            while let wait = nextWait(of: people[place], turn.rules), wait.due <= time {
                turn.now = max(wait.due, people[place].passed)
                handle(wait, place, &turn)
                follow(place, &turn)
            }
            people[place].stale()
        }
        turn.now = max(people[place].passed, time)
        people[place].passed = turn.now
    }

    /// Ends a turn: what followed from the record, and a clock for the first wait.
    mutating func finish(_ place: Int, _ turn: inout Turn) {
        follow(place, &turn)
        while people[place].isWakeStale || people[place].isAbsenceStale {
            if people[place].isAbsenceStale {
                people[place].isAbsenceStale = false
                people[place].absence = nextAbsence(of: people[place], after: people[place].passed)
            }
            people[place].findWake(zones, at: arrangements, turn.rules)
            // An edit may make a wait shorter than what has passed of it.
            if people[place].wake <= people[place].passed {
                advance(place, to: people[place].passed, &turn)
            }
        }
        tellMessages(place, &turn)
        followPolicy(place, &turn)
        askForClock(place, &turn)
        if turn.isMoved { people[place].rest(in: &calms[place], turn.rules, arrangements) }
    }

    /// One clock a person: for the first wait. One that runs out for nothing does no harm, so it is
    /// given up only for an earlier one, or where nothing is waited for any more.
    private mutating func askForClock(_ place: Int, _ turn: inout Turn) {
        let (wake, asked) = (people[place].wake, people[place].clock)
        let passed = people[place].passed
        // Its time is over, whether it was told yet or not.
        let isOver = asked.map { $0 <= passed } ?? false
        if isOver { people[place].clock = nil }
        guard wake != (isOver ? nil : asked) ?? .distantFuture else { return }
        if let clock = people[place].clock {
            guard wake < clock || wake == .distantFuture else { return }
            turn.tell(clock: clock, isWanted: false, of: people[place].id)
        }
        people[place].clock = wake == .distantFuture ? nil : wake
        if wake < .distantFuture { turn.tell(clock: wake, isWanted: true, of: people[place].id) }
    }

    /// What alarms make of the changes since they were asked last.
    private mutating func follow(_ place: Int, _ turn: inout Turn) {
        followAlarms(place, &turn)
        if turn.believed != nil { turn.isMoved = true }
        if !turn.changes.isEmpty { turn.changes.removeAll(keepingCapacity: true) }
        turn.believed = nil
    }

    private mutating func handle(_ wait: Wait, _ place: Int, _ turn: inout Turn) {
        // Others of these change nothing about zones.
        if [.leaving, .schedule, .suspect, .pause].contains(wait.kind) {
            people[place].neighbourhood.end()
        }
        switch wait.kind {
        case .leaving: wait.zone.map { leave($0, place, &turn) }
        case .dwell: wait.zone.map { dwell($0, place, &turn) }
        case .schedule: wait.zone.map { openOrClose($0, place, due: wait.due, &turn) }
        case .absence: missPeople(place, due: wait.due, &turn)
        case .alarm: ring(place, &turn)
        case .suspect: believeSuspect(place, &turn)
        case .silence: lookAtSilence(place, due: wait.due, &turn)
        case .pause: wait.circle.map { endPause(of: $0, place, due: wait.due, &turn) }
        }
    }
}

extension PersonState {
    /// The same wait is the same clock, whoever asks for it and however often.
    static func clock(of person: PersonID, due: Timestamp) -> WantedClock {
        let rule = ClockRule.presence
        let id = Hash.meaning(
            kind: "clock." + rule.rawValue, person: person,
            subject: .number(due.microseconds), cause: person.raw)
        return WantedClock(id: ClockID(id), rule: rule, person: person, due: due)
    }
}

extension Turn {
    fileprivate mutating func tell(clock due: Timestamp, isWanted: Bool, of person: PersonID) {
        let clock = PersonState.clock(of: person, due: due)
        tell(
            isWanted ? .clockWanted(clock) : .clockUnwanted(clock), of: person,
            subject: .id(clock.id), cause: id.raw)
    }
}
