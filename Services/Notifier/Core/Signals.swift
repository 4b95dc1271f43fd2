import Hashing
import Model

// An emergency never depends on an evaluator: every signal also reaches the notifier directly. If
// no evaluator answers in time, the fallback opens an escalation here.
extension Notifier {
    /// Receives a signal and schedules the fallback.
    mutating func receiveSignal(_ signal: EmergencySignal, _ turn: inout Turn) {
        let known = signals[signal.id]
        guard known == nil || known?.state == .located else { return }
        var signal = signal
        if signal.fix == nil {
            signal.fix = known?.place?.fix
            signal.battery = signal.battery ?? known?.place?.battery
        }
        // A signal received late may be cancelled by one of the next records. A fast clock at
        // ingest must not extend the countdown.
        let counted = max(.zero, signal.countdownEnds - signal.received)
        let ends = min(max(signal.countdownEnds, turn.now), turn.now + counted)
        let due = ends + Limits.fallbackWait
        let deadline = DerivedID.deadline(.fallback, signal.id.raw, .none)
        save(
            SignalWait(
                id: signal.id, state: .waiting, signal: signal, deadline: deadline, due: due,
                at: turn.now), &turn)
        schedule(
            Deadline(
                id: deadline, rule: .fallback, person: signal.person, emergency: signal.id, due: due
            ),
            for: .fallback(signal.id), &turn)
    }

    /// Applies the last position of a person whose missed deadline raises an emergency. It opens
    /// nothing: a signal without a position gets this one, also if the signal comes later.
    mutating func applyPosition(_ place: EmergencyPlace, _ turn: inout Turn) {
        guard var wait = signals[place.emergency] else {
            return save(
                SignalWait(id: place.emergency, state: .located, place: place, at: turn.now),
                &turn)
        }
        switch wait.state {
        case .waiting:
            guard var signal = wait.signal, signal.fix == nil else { return }
            signal.fix = place.fix
            signal.battery = signal.battery ?? place.battery
            wait.signal = signal
            save(wait, &turn)
        case .openedByFallback:
            let emergency = activeOf[place.person, default: []]
                .first { emergencies[$0]?.signals.contains(place.emergency) == true }
            if let emergency { updatePosition(place.fix, place.battery, into: emergency, &turn) }
        case .answered, .cancelled, .located: break
        }
    }

    /// Applies a cancellation by the person: of a signal before anybody was notified, or of a
    /// fallback emergency that no evaluator knows.
    mutating func applyCancellation(_ cancel: EmergencyCancel, _ turn: inout Turn) {
        turn.trace = cancel.trace
        let id = cancel.emergency
        switch signals[id]?.state {
        case nil, .located?:
            save(SignalWait(id: id, state: .cancelled, at: turn.now), &turn)
        case .waiting?: settle(id, as: .cancelled, &turn)
        case .answered?, .openedByFallback?, .cancelled?: break
        }
        guard let emergency = emergencies[id], emergency.person == cancel.person else { return }
        if emergency.state == .countdown {
            end(id, as: .cancelled, by: cancel.person, &turn)
        } else if emergency.isFallback, emergency.state.isActive {
            let later = fallbackCalls(of: emergency, after: cancel.received).map(\.id)
            if !continueAfterEnd(id, end: cancel.received, as: .cancelled, by: cancel.person, &turn)
            {
                end(id, as: .cancelled, by: cancel.person, &turn)
            }
            // An evaluator that returns reads the signal first and needs to see its end.
            let answer = EmergencyAnswer(
                emergency: id, person: cancel.person, by: cancel.person, at: turn.now,
                trace: cancel.trace, signals: emergency.signals.filter { !later.contains($0) })
            let event = DerivedID.event(
                .resolutionCommitted, cancel.person, .id(id),
                .number(emergencies[id]?.endings ?? 0))
            turn.publish(event, .resolutionCommitted(answer))
        }
    }

    /// Marks a signal as answered by an evaluator and cancels the fallback.
    mutating func markAnswered(_ id: EmergencyID, _ turn: inout Turn) {
        switch signals[id]?.state {
        case nil, .located?:
            save(SignalWait(id: id, state: .answered, at: turn.now), &turn)
        case .waiting?: settle(id, as: .answered, &turn)
        case .answered?, .openedByFallback?, .cancelled?: break
        }
    }

    /// Opens an escalation for a signal that no evaluator answered, or joins it to an active
    /// emergency.
    mutating func fallBack(_ id: EmergencyID, _ turn: inout Turn) {
        guard let wait = signals[id], wait.state == .waiting, let signal = wait.signal else {
            return
        }
        turn.trace = signal.trace
        let known = activeOf[signal.person, default: []]
            .first { emergencies[$0]?.state != .countdown }
        if let known {
            openFallback(signal, &turn)
            updatePosition(signal.fix, signal.battery, into: known, &turn)
            join(known, signal: id, FurtherCall(signal), &turn)
            return
        }
        // The first unanswered signal names the emergency, as it does for evaluators.
        let first = waitingSignals(of: signal.person).first ?? signal
        openFallback(first, &turn)
        if first.id != id { openFallback(signal, &turn) }
        var emergency = emergencies[first.id] ?? Emergency(first)
        emergency.isFallback = true
        if first.id != id {
            emergency.joined.append(id)
            if signal.trigger.isOwnCall { emergency.joinedOwnCall = true }
        }
        open(emergency, &turn)
        turn.effects.append(.warn(.openedByFallback(first.id)))
    }

    /// Signals of a person that wait for an evaluator, in order of arrival.
    private func waitingSignals(of person: PersonID) -> [EmergencySignal] {
        signals.values
            .filter { $0.state == .waiting }
            .compactMap(\.signal)
            .filter { $0.person == person }
            .sorted { ($0.received, $0.id) < ($1.received, $1.id) }
    }

    private mutating func openFallback(_ signal: EmergencySignal, _ turn: inout Turn) {
        settle(signal.id, as: .openedByFallback, &turn)
        turn.publish(
            DerivedID.event(.escalationFallbackOpened, signal.person, .id(signal.id)),
            .escalationFallbackOpened(signal))
    }

    /// Drops an unanswered signal for the operator.
    mutating func dropSignal(_ id: EmergencyID, _ turn: inout Turn) {
        guard signals[id]?.state == .waiting else { return }
        settle(id, as: .cancelled, &turn)
    }

    private mutating func settle(
        _ id: EmergencyID, as state: SignalWait.State, _ turn: inout Turn
    ) {
        guard var wait = signals[id] else { return }
        cancelDeadline(wait.deadline, &turn)
        wait.state = state
        wait.deadline = nil
        wait.due = nil
        wait.at = turn.now
        save(wait, &turn)
    }

    private mutating func save(_ wait: SignalWait, _ turn: inout Turn) {
        signals[wait.id] = wait
        turn.save(.signal(wait))
    }
}

extension Emergency {
    /// The emergency that a signal raises without an evaluator.
    init(_ signal: EmergencySignal) {
        self.init(
            id: signal.id, person: signal.person, trigger: signal.trigger, state: .countdown,
            raised: signal.raised, fix: signal.fix, battery: signal.battery, note: signal.note,
            isLate: signal.received - signal.raised > Limits.lateSignalAge, trace: signal.trace)
    }

    /// The emergency of an evaluator's record.
    init(_ change: EmergencyChange, trace: String) {
        self.init(
            id: change.emergency, person: change.person, trigger: change.trigger, state: .countdown,
            raised: change.raised, fix: change.fix, battery: change.battery, note: change.note,
            isLate: change.late, trace: trace)
        if change.joinedTrigger?.isOwnCall == true { joinedOwnCall = true }
    }
}
