import Hashing
import Model

extension PartitionState {
    /// Handles signals, cancellations, deadlines and answers of people.
    mutating func handleEmergency(
        _ event: Event, _ rules: EvaluatorRules, into outputs: inout [Event]
    ) {
        guard let (person, begins) = event.body.emergencyPerson else { return }
        // A signal counts even for a person who was never configured.
        guard begins || people.index(of: person) != nil else { return }
        let index = prepare(person)
        var turn = Turn(event, rules)
        swap(&turn.outputs, &outputs)
        defer { swap(&turn.outputs, &outputs) }
        advance(index, to: event.time, &turn)
        recordSignalContact(event.body, index, &turn)
        let now = event.time
        let steps =
            switch event.body {
            case .inputSignal(let signal):
                people[index].emergency.raise(signal, at: now, rules: rules)
            case .inputFallbackOpened(let signal):
                people[index].emergency.openFallback(signal, at: now, rules: rules)
            case .inputEmergencySnapshot(let snapshot):
                people[index].emergency.apply(snapshot, at: now, rules: rules)
            case .inputCancel(let cancel): people[index].emergency.cancel(cancel)
            case .inputDeadline(let expired):
                people[index].emergency.expire(expired.deadline.id, at: now)
            case .inputAcknowledgement(let answer): people[index].emergency.acknowledge(answer)
            case .inputResolution(let answer): people[index].emergency.resolve(answer)
            default: [EmergencyMachine.Step]()
            }
        emit(steps, of: people[index], &turn)
        // An emergency shortens the time after which a suspect fix is trusted.
        if people[index].suspect != nil { people[index].isWakeStale = true }
        finish(index, &turn)
    }

    /// Emits events for the steps of a transition.
    func emit(_ steps: [EmergencyMachine.Step], of person: PersonState, _ turn: inout Turn) {
        for step in steps {
            let body: EventBody
            let subject: HashPart
            let cause: ID128
            switch step {
            case .transition(let transition):
                body = transition.body(of: person, turn.rules)
                subject = .id(transition.emergency.id)
                cause = transition.cause
            case .deadlineScheduled(let deadline, let signal):
                body = .deadlineScheduled(deadline)
                subject = .id(deadline.id)
                cause = signal.raw
            case .deadlineCancelled(let deadline, let signal):
                body = .deadlineCancelled(deadline)
                subject = .id(deadline.id)
                cause = signal.raw
            }
            turn.emit(body, of: person.id, subject: subject, cause: cause)
        }
    }
}

extension EmergencyStep {
    /// Beginning and end happen once per emergency, whatever caused them. A signal joins once. Each
    /// answer of a person is its own cause, and can be revoked once.
    fileprivate var cause: ID128 {
        switch kind {
        case .countdown, .cancelled, .resolved: emergency.id.raw
        case .opened:
            answeredAt.map { Hash.id(.id(emergency.id), .number($0.microseconds)) }
                ?? emergency.id.raw
        case .joined: signal.raw
        case .acknowledged:
            // One answer may count twice: a signal reopened the emergency although the responder
            // already knew of it.
            Hash.id(
                by.map { .id($0) } ?? .none, .number(answeredAt?.microseconds ?? 0),
                .number(emergency.signals.count))
        }
    }

    fileprivate func body(of person: PersonState, _ rules: EvaluatorRules) -> EventBody {
        switch kind {
        case .countdown: .emergencyCountdown(change(of: person, emergency.phase.state, rules))
        case .opened: .emergencyOpened(change(of: person, emergency.phase.state, rules))
        case .joined: .emergencyJoined(change(of: person, emergency.phase.state, rules))
        case .cancelled: .emergencyCancelled(change(of: person, .cancelled, rules))
        case .acknowledged: .emergencyAcknowledged(change(of: person, .acknowledged, rules))
        case .resolved: .emergencyResolved(change(of: person, .resolved, rules))
        }
    }

    private func change(
        of person: PersonState, _ state: EmergencyState, _ rules: EvaluatorRules
    ) -> EmergencyChange {
        var fix = emergency.fix
        var battery = emergency.battery ?? person.battery
        if let last = person.lastFix, fix.map({ $0.time < last.time }) ?? true {
            fix = last
            battery = person.battery ?? battery
        }
        return EmergencyChange(
            emergency: emergency.id, person: person.id, state: state, trigger: emergency.trigger,
            signal: signal, raised: emergency.raised, countdownEnds: emergency.countdownEnds,
            fix: fix, battery: battery, note: note ?? emergency.note,
            by: by, late: emergency.late, reopened: reopened,
            suspect: person.isSuspect(fix, rules), joinedTrigger: joined?.trigger,
            joinedRaised: joined?.raised)
    }
}

extension EventBody {
    /// The person of an emergency input, and whether the input may begin an emergency; nil for
    /// other inputs.
    fileprivate var emergencyPerson: (PersonID, begins: Bool)? {
        switch self {
        case .inputSignal(let signal), .inputFallbackOpened(let signal): (signal.person, true)
        case .inputEmergencySnapshot(let snapshot): (snapshot.person, true)
        case .inputCancel(let cancel): (cancel.person, false)
        case .inputDeadline(let expired): (expired.deadline.person, false)
        case .inputAcknowledgement(let answer), .inputResolution(let answer):
            (answer.person, false)
        default: nil
        }
    }
}
