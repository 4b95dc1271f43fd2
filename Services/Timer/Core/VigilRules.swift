import Model
import Timing

extension TimerCore {
    /// A signal came past the evaluators: somebody must be told soon after its countdown.
    mutating func watchOver(
        _ signal: EmergencySignal, at now: Timestamp, into effects: inout [Effect]
    ) {
        wait(
            for: signal.id, of: signal.person, countdownEnds: signal.countdownEnds, at: now,
            into: &effects)
    }

    /// A signal taken back inside its countdown ends the vigil, unless an evaluator has opened it;
    /// later an evaluator decides.
    mutating func takeBack(
        _ cancel: EmergencyCancel, at now: Timestamp, into effects: inout [Effect]
    ) {
        if let known = vigils[cancel.emergency] {
            guard known.isOpen, !known.isOpened, cancel.received <= known.countdownEnds
            else { return }
        }
        close(cancel.emergency, of: cancel.person, as: .takenBack, at: now, into: &effects)
    }

    mutating func hear(
        _ news: EmergencyNews, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch news.state {
        case .countdown, .open:
            let isOpen = news.state == .open
            if isOpen { markOpened(news.emergency, at: now) }
            wait(
                for: news.emergency, of: news.person,
                countdownEnds: isOpen ? now : news.countdownEnds, isOpened: isOpen, at: now,
                into: &effects)
            if news.signal != news.emergency { join(news, at: now, into: &effects) }
        case .acknowledged:
            for id in [news.emergency] + openSignals(of: news.emergency) {
                settle(id, of: news.person, at: now, into: &effects)
            }
            markAnswered(news.emergency, into: &effects)
        case .cancelled, .resolved:
            for id in [news.emergency] + openSignals(of: news.emergency) {
                end(id, of: news.person, at: now, into: &effects)
            }
        }
    }

    /// A message that somebody else took answers for its emergency and for what joined that.
    ///
    /// What the person in danger is sent helps nobody, and what was heard before a further press
    /// does not answer for that press. Nor does what a gateway accepted for somebody who is opted
    /// out or whose number is dead.
    mutating func hear(
        _ news: NotificationNews, isReachable: Bool, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard let emergency = news.emergency, news.recipient != news.person else { return }
        switch news.state {
        case .accepted: guard isReachable else { return }
        case .delivered: break
        // Nobody outside was reached. That counts only where the operator chose the sink.
        case .sink: guard reachability.isChosenSink(news.gateway) else { return }
        case .refused, .expired: return failed(news, at: now, into: &effects)
        case .queued, .sending, .unknown: return
        }
        let whole = vigils[emergency]?.joined ?? emergency
        for id in emergency == whole ? [whole] : [whole, emergency] {
            settle(id, of: news.person, at: now, into: &effects)
            guard var vigil = vigils[id] else { continue }
            vigil.told = now
            if !vigil.messages.contains(news.notification) {
                vigil.messages = (vigil.messages + [news.notification])
                    .suffix(Limits.vigilMessagesMax)
            }
            keep(vigil)
            effects.append(.saveVigil(vigil))
        }
        for id in openSignals(of: whole) {
            settle(id, of: news.person, at: now, into: &effects)
        }
    }

    /// A message failed, perhaps after its gateway had accepted it. If no other one was accepted,
    /// nobody is told: the wait for the operator's alarm begins again.
    private mutating func failed(
        _ news: NotificationNews, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard let emergency = news.emergency else { return }
        let whole = vigils[emergency]?.joined ?? emergency
        for id in emergency == whole ? [whole] : [whole, emergency] {
            guard var vigil = vigils[id], vigil.messages.contains(news.notification) else {
                continue
            }
            vigil.messages.removeAll { $0 == news.notification }
            keep(vigil)
            effects.append(.saveVigil(vigil))
            if vigil.messages.isEmpty, vigil.state == .told, !vigil.isAnswered {
                restart(vigil, at: now, into: &effects)
            }
        }
    }

    /// The escalation goes on: a human who had answered no longer does.
    mutating func escalated(
        _ emergency: EmergencyID, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard var vigil = vigils[emergency], vigil.isAnswered else { return }
        vigil.isAnswered = false
        guard vigil.state == .told else {
            keep(vigil)
            return effects.append(.saveVigil(vigil))
        }
        vigil.messages = []
        restart(vigil, at: now, into: &effects)
    }

    private mutating func restart(
        _ vigil: Vigil, at now: Timestamp, into effects: inout [Effect]
    ) {
        var vigil = vigil
        vigil.state = .waiting
        vigil.isCallAccepted = false
        vigil.due = now + .seconds(settings.undeliveredSeconds)
        keep(vigil)
        effects.append(.saveVigil(vigil))
    }

    /// A human answered: what becomes of messages counts no longer, until the escalation resumes.
    mutating func markAnswered(_ emergency: EmergencyID, into effects: inout [Effect]) {
        guard var vigil = vigils[emergency], !vigil.isAnswered else { return }
        vigil.isAnswered = true
        keep(vigil)
        effects.append(.saveVigil(vigil))
    }

    /// A further press joined an emergency.
    ///
    /// The emergency's own vigil answers for it only where that still waits for the first message;
    /// else the press waits by itself for a message heard after it.
    private mutating func join(
        _ news: EmergencyNews, at now: Timestamp, into effects: inout [Effect]
    ) {
        let whole = vigils[news.emergency]
        wait(
            for: news.signal, of: news.person,
            countdownEnds: news.state == .open ? now : news.countdownEnds, at: now, into: &effects)
        guard var signal = vigils[news.signal] else { return }
        signal.joined = news.emergency
        keep(signal)
        effects.append(.saveVigil(signal))
        guard signal.isOpen else { return }
        if let whole, whole.state == .waiting, whole.isOpened {
            end(news.signal, of: news.person, at: now, into: &effects)
        } else if let told = whole?.told, told > signal.heard {
            settle(news.signal, of: news.person, at: now, into: &effects)
        }
    }

    /// An evaluator that opens an emergency overrules the call that was taken back.
    private mutating func markOpened(_ id: EmergencyID, at now: Timestamp) {
        guard var vigil = vigils[id], vigil.state == .takenBack else { return }
        vigil.state = .waiting
        vigil.due = .distantFuture
        keep(vigil)
    }

    /// The alarm, a further call of the operator's address, or the time to forget.
    mutating func vigilDue(
        _ id: EmergencyID, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard var vigil = vigils[id] else { return }
        switch vigil.state {
        case .told, .takenBack, .ended:
            vigils[id] = nil
            effects.append(.removeVigil(id))
            return
        case .waiting:
            vigil.state = .alarmed
            effects.append(.raiseAlarm(vigil))
        case .alarmed: break
        }
        if settings.callsAlarm, !vigil.isCallAccepted {
            vigil.calls += 1
            effects.append(.callAlarm(vigil))
            // Should the answer get lost, the call is made again.
            vigil.due = now + .seconds(Limits.alarmCallSecondsLongest)
        } else {
            vigil.due = .distantFuture
        }
        keep(vigil)
        effects.append(.saveVigil(vigil))
    }

    mutating func alarmCalled(
        _ id: EmergencyID, accepted: Bool, jitter: UInt64, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard var vigil = vigils[id], vigil.state == .alarmed else { return }
        vigil.isCallAccepted = accepted
        let backoff = Backoff(
            first: .seconds(Limits.alarmCallSecondsFirst),
            longest: .seconds(Limits.alarmCallSecondsLongest))
        vigil.due =
            accepted
            ? .distantFuture : now + backoff.delay(after: vigil.calls, jitter: jitter)
        keep(vigil)
        effects.append(.saveVigil(vigil))
    }

    /// Somebody was told, or answered.
    mutating func settle(
        _ id: EmergencyID, of person: PersonID, at now: Timestamp, into effects: inout [Effect]
    ) {
        if let known = vigils[id], !known.isOpen, known.state != .takenBack { return }
        close(id, of: person, as: .told, at: now, into: &effects)
    }

    /// It was cancelled or resolved.
    mutating func end(
        _ id: EmergencyID, of person: PersonID, at now: Timestamp, into effects: inout [Effect]
    ) {
        if vigils[id]?.state == .ended { return }
        close(id, of: person, as: .ended, at: now, into: &effects)
    }

    /// Also without a vigil: news of several streams overtake each other, and those that come later
    /// must find that it is over.
    private mutating func close(
        _ id: EmergencyID, of person: PersonID, as state: Vigil.State, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        var vigil =
            vigils[id]
            ?? Vigil(
                emergency: id, person: person, countdownEnds: now, state: state, due: now,
                heard: now)
        if vigil.state == .alarmed { effects.append(.endAlarm(vigil)) }
        vigil.state = state
        vigil.due = now + .seconds(Limits.vigilKeptSeconds)
        keep(vigil)
        effects.append(.saveVigil(vigil))
    }

    /// Begins a vigil, or shortens the wait of one. What is heard late still gets the full time.
    private mutating func wait(
        for id: EmergencyID, of person: PersonID, countdownEnds: Timestamp, isOpened: Bool = false,
        at now: Timestamp, into effects: inout [Effect]
    ) {
        let due = max(countdownEnds, now) + .seconds(settings.undeliveredSeconds)
        let known = vigils[id]
        var vigil =
            known
            ?? Vigil(
                emergency: id, person: person, countdownEnds: countdownEnds, state: .waiting,
                due: .distantFuture, heard: now)
        guard vigil.state == .waiting else { return }
        vigil.isOpened = vigil.isOpened || isOpened
        if due < vigil.due {
            vigil.due = due
            vigil.countdownEnds = countdownEnds
        }
        guard vigil != known else { return }
        keep(vigil)
        effects.append(.saveVigil(vigil))
    }

    mutating func keep(_ vigil: Vigil) {
        vigils[vigil.emergency] = vigil
        queue.set(.vigil(vigil.emergency), due: vigil.due)
    }

    /// Those of a person, ids ascending.
    func vigils(of person: PersonID) -> [Vigil] {
        vigils.values.filter { $0.person == person }.sorted { $0.emergency < $1.emergency }
    }

    /// Those of a person about which nobody is known to have been told, ids ascending.
    func openVigils(of person: PersonID) -> [Vigil] {
        vigils.values.filter { $0.person == person && $0.isOpen }
            .sorted { $0.emergency < $1.emergency }
    }
    /// Signals known to have joined an emergency of which nobody is known to have been told since,
    /// ids ascending.
    private func openSignals(of emergency: EmergencyID) -> [EmergencyID] {
        vigils.values.filter { $0.joined == emergency && $0.isOpen }.map(\.emergency).sorted()
    }
}
