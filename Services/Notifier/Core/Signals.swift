import Hashing
import Model

// A panic never depends on an evaluator: every signal reaches the notifier past them, and is
// answered here if nobody else does in time.
extension Notifier {
    /// A signal: wait for what an evaluator makes of it.
    mutating func raised(_ signal: EmergencySignal, _ turn: inout Turn) {
        let known = signals[signal.id]
        guard known == nil || known?.state == .located else { return }
        var signal = signal
        if signal.fix == nil {
            signal.fix = known?.place?.fix
            signal.battery = signal.battery ?? known?.place?.battery
        }
        // Heard late, it may have been taken back in what is read next. A clock of ingest that is
        // ahead makes no countdown longer than it is.
        let counted = max(.zero, signal.countdownEnds - signal.received)
        let ends = min(max(signal.countdownEnds, turn.now), turn.now + counted)
        let due = ends + Limits.fallbackWait
        let clock = Meaning.clock(.fallback, signal.id.raw, .none)
        save(
            SignalWait(
                id: signal.id, state: .waiting, signal: signal, clock: clock, due: due,
                at: turn.now), &turn)
        want(
            WantedClock(
                id: clock, rule: .fallback, person: signal.person, emergency: signal.id, due: due),
            for: .fallback(signal.id), &turn)
    }

    /// Ingest says where somebody was last for whom a deadline raises an emergency. It opens
    /// nothing: a signal without a place gets this one, also if it is received later.
    mutating func located(_ place: EmergencyPlace, _ turn: inout Turn) {
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
        case .adopted:
            let emergency = activeOf[place.person, default: []]
                .first { emergencies[$0]?.signals.contains(place.emergency) == true }
            if let emergency { absorb(place.fix, place.battery, into: emergency, &turn) }
        case .answered, .cancelled, .located: break
        }
    }

    /// A signal was taken back by its person before anybody was told; or an emergency that was
    /// opened here, of which no evaluator knows yet.
    mutating func cancelled(_ cancel: EmergencyCancel, _ turn: inout Turn) {
        turn.trace = cancel.trace
        let id = cancel.emergency
        switch signals[id]?.state {
        case nil, .located?:
            save(SignalWait(id: id, state: .cancelled, at: turn.now), &turn)
        case .waiting?: settle(id, as: .cancelled, &turn)
        case .answered?, .adopted?, .cancelled?: break
        }
        guard let emergency = emergencies[id], emergency.person == cancel.person else { return }
        if emergency.state == .countdown {
            end(id, as: .cancelled, by: cancel.person, &turn)
        } else if emergency.isAdopted, emergency.state.isActive {
            let later = unanswered(of: emergency, after: cancel.received).map(\.id)
            if !outlives(id, end: cancel.received, as: .cancelled, by: cancel.person, &turn) {
                end(id, as: .cancelled, by: cancel.person, &turn)
            }
            // An evaluator that comes back reads of the signal first: to it this is the end.
            let answer = EmergencyAnswer(
                emergency: id, person: cancel.person, by: cancel.person, at: turn.now,
                trace: cancel.trace, signals: emergency.signals.filter { !later.contains($0) })
            let event = Meaning.event(
                .resolutionGiven, cancel.person, .id(id),
                .number(emergencies[id]?.endings ?? 0))
            turn.publish(event, .resolutionGiven(answer))
        }
    }

    /// An evaluator has decided about a signal: nothing is left to wait for.
    mutating func answered(_ id: EmergencyID, _ turn: inout Turn) {
        switch signals[id]?.state {
        case nil, .located?:
            save(SignalWait(id: id, state: .answered, at: turn.now), &turn)
        case .waiting?: settle(id, as: .answered, &turn)
        case .answered?, .adopted?, .cancelled?: break
        }
    }

    /// No evaluator answered: the ladder is opened here, or the signal joins what is open.
    mutating func fallBack(_ id: EmergencyID, _ turn: inout Turn) {
        guard let wait = signals[id], wait.state == .waiting, let signal = wait.signal else {
            return
        }
        turn.trace = signal.trace
        let known = activeOf[signal.person, default: []]
            .first { emergencies[$0]?.state != .countdown }
        if let known {
            adopt(signal, &turn)
            absorb(signal.fix, signal.battery, into: known, &turn)
            join(known, signal: id, FurtherCall(signal), &turn)
            return
        }
        // The first trigger that nobody answered names the emergency, as it does for evaluators.
        let first = waitingSignals(of: signal.person).first ?? signal
        adopt(first, &turn)
        if first.id != id { adopt(signal, &turn) }
        var emergency = emergencies[first.id] ?? Emergency(first)
        emergency.isAdopted = true
        if first.id != id {
            emergency.joined.append(id)
            if signal.trigger.isOwnCall { emergency.joinedOwnCall = true }
        }
        open(emergency, &turn)
        turn.effects.append(.warn(.adopted(first.id)))
    }

    /// The signals of a person that wait for an answer, in the order in which they came.
    private func waitingSignals(of person: PersonID) -> [EmergencySignal] {
        signals.values
            .filter { $0.state == .waiting }
            .compactMap(\.signal)
            .filter { $0.person == person }
            .sorted { ($0.received, $0.id) < ($1.received, $1.id) }
    }

    private mutating func adopt(_ signal: EmergencySignal, _ turn: inout Turn) {
        settle(signal.id, as: .adopted, &turn)
        turn.publish(
            Meaning.event(.ladderAdopted, signal.person, .id(signal.id)), .ladderAdopted(signal))
    }

    /// The operator wants nothing to come of a signal that nobody answered.
    mutating func giveUp(_ id: EmergencyID, _ turn: inout Turn) {
        guard signals[id]?.state == .waiting else { return }
        settle(id, as: .cancelled, &turn)
    }

    private mutating func settle(
        _ id: EmergencyID, as state: SignalWait.State, _ turn: inout Turn
    ) {
        guard var wait = signals[id] else { return }
        unwant(wait.clock, &turn)
        wait.state = state
        wait.clock = nil
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
    /// The emergency that a signal raises where nobody else decided.
    init(_ signal: EmergencySignal) {
        self.init(
            id: signal.id, person: signal.person, trigger: signal.trigger, state: .countdown,
            raised: signal.raised, fix: signal.fix, battery: signal.battery, note: signal.note,
            isLate: signal.received - signal.raised > Limits.lateSignalAge, trace: signal.trace)
    }

    /// The emergency that an evaluator tells of.
    init(_ news: EmergencyNews, trace: String) {
        self.init(
            id: news.emergency, person: news.person, trigger: news.trigger, state: .countdown,
            raised: news.raised, fix: news.fix, battery: news.battery, note: news.note,
            isLate: news.late, trace: trace)
        if news.joinedTrigger?.isOwnCall == true { joinedOwnCall = true }
    }
}
