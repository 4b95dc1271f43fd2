import Hashing
import Model

extension PartitionState {
    /// Signals, cancels, clocks and answers of humans.
    mutating func handleEmergency(
        _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        guard let (person, begins) = event.body.emergencyPerson else { return }
        // A trigger counts for somebody who was never configured, too.
        guard begins || people.place(of: person) != nil else { return }
        let place = awake(person)
        var turn = Turn(event, rules)
        swap(&turn.outputs, &outputs)
        defer { swap(&turn.outputs, &outputs) }
        advance(place, to: event.time, &turn)
        hear(event.body, place, &turn)
        let now = event.time
        let steps =
            switch event.body {
            case .inputSignal(let signal):
                people[place].emergency.raise(signal, at: now, rules: rules)
            case .inputAdoption(let signal):
                people[place].emergency.adopt(signal, at: now, rules: rules)
            case .inputStanding(let standing):
                people[place].emergency.stand(standing, at: now, rules: rules)
            case .inputCancel(let cancel): people[place].emergency.cancel(cancel)
            case .inputClock(let fired): people[place].emergency.fire(fired.clock.id, at: now)
            case .inputAcknowledgement(let answer): people[place].emergency.acknowledge(answer)
            case .inputResolution(let answer): people[place].emergency.resolve(answer)
            default: [EmergencyLife.Step]()
            }
        tell(steps, of: people[place], &turn)
        // In an emergency a suspect is believed sooner.
        if people[place].suspect != nil { people[place].isWakeStale = true }
        finish(place, &turn)
    }

    /// Makes events of what was decided.
    func tell(_ steps: [EmergencyLife.Step], of person: PersonState, _ turn: inout Turn) {
        for step in steps {
            let body: EventBody
            let subject: HashPart
            let cause: ID128
            switch step {
            case .news(let news):
                body = news.body(of: person, turn.rules)
                subject = .id(news.emergency.id)
                cause = news.cause
            case .clockWanted(let clock, let signal):
                body = .clockWanted(clock)
                subject = .id(clock.id)
                cause = signal.raw
            case .clockUnwanted(let clock, let signal):
                body = .clockUnwanted(clock)
                subject = .id(clock.id)
                cause = signal.raw
            }
            turn.tell(body, of: person.id, subject: subject, cause: cause)
        }
    }
}

extension EmergencyStep {
    /// Beginning and end happen once in an emergency's life, whatever led to them; a further
    /// signal joins once; of humans' answers each is its own, and may come to nothing once.
    fileprivate var cause: ID128 {
        switch kind {
        case .countdown, .cancelled, .resolved: emergency.id.raw
        case .opened:
            answeredAt.map { Hash.id(.id(emergency.id), .number($0.microseconds)) }
                ?? emergency.id.raw
        case .joined: signal.raw
        case .acknowledged:
            // One answer may count twice: a press that reopened it was known to it after all.
            Hash.id(
                by.map { .id($0) } ?? .none, .number(answeredAt?.microseconds ?? 0),
                .number(emergency.signals.count))
        }
    }

    fileprivate func body(of person: PersonState, _ rules: EvaluatorRules) -> EventBody {
        switch kind {
        case .countdown: .emergencyCountdown(news(of: person, emergency.phase.state, rules))
        case .opened: .emergencyOpened(news(of: person, emergency.phase.state, rules))
        case .joined: .emergencyJoined(news(of: person, emergency.phase.state, rules))
        case .cancelled: .emergencyCancelled(news(of: person, .cancelled, rules))
        case .acknowledged: .emergencyAcknowledged(news(of: person, .acknowledged, rules))
        case .resolved: .emergencyResolved(news(of: person, .resolved, rules))
        }
    }

    private func news(
        of person: PersonState, _ state: EmergencyState, _ rules: EvaluatorRules
    ) -> EmergencyNews {
        var fix = emergency.fix
        var battery = emergency.battery ?? person.battery
        if let last = person.lastFix, fix.map({ $0.time < last.time }) ?? true {
            fix = last
            battery = person.battery ?? battery
        }
        return EmergencyNews(
            emergency: emergency.id, person: person.id, state: state, trigger: emergency.trigger,
            signal: signal, raised: emergency.raised, countdownEnds: emergency.countdownEnds,
            fix: fix, battery: battery, note: note ?? emergency.note,
            by: by, late: emergency.late, reopened: reopened,
            suspect: person.isSuspect(fix, rules), joinedTrigger: joined?.trigger,
            joinedRaised: joined?.raised)
    }
}

extension EventBody {
    /// Whose emergency an input is about and whether it may begin one; nil for other inputs.
    fileprivate var emergencyPerson: (PersonID, begins: Bool)? {
        switch self {
        case .inputSignal(let signal), .inputAdoption(let signal): (signal.person, true)
        case .inputStanding(let standing): (standing.person, true)
        case .inputCancel(let cancel): (cancel.person, false)
        case .inputClock(let fired): (fired.clock.person, false)
        case .inputAcknowledgement(let answer), .inputResolution(let answer):
            (answer.person, false)
        default: nil
        }
    }
}
