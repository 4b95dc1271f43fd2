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

    /// A signal taken back inside its countdown ends the vigil; later an evaluator decides.
    mutating func takeBack(
        _ cancel: EmergencyCancel, at now: Timestamp, into effects: inout [Effect]
    ) {
        let countdownEnds = vigils[cancel.emergency]?.countdownEnds
        guard countdownEnds.map({ cancel.received <= $0 }) ?? true else { return }
        end(cancel.emergency, of: cancel.person, at: now, into: &effects)
    }

    mutating func hear(
        _ news: EmergencyNews, at now: Timestamp, into effects: inout [Effect]
    ) {
        switch news.state {
        case .countdown, .open:
            if news.signal != news.emergency, vigils[news.signal] != nil {
                // It joined an emergency, which has a vigil of its own.
                end(news.signal, of: news.person, at: now, into: &effects)
            }
            wait(
                for: news.emergency, of: news.person,
                countdownEnds: news.state == .open ? now : news.countdownEnds, at: now,
                into: &effects)
        case .acknowledged:
            settle(news.emergency, of: news.person, at: now, into: &effects)
            if news.signal != news.emergency, vigils[news.signal] != nil {
                end(news.signal, of: news.person, at: now, into: &effects)
            }
        case .cancelled, .resolved:
            end(news.emergency, of: news.person, at: now, into: &effects)
        }
    }

    /// An accepted delivery about a person answers for every emergency of that person that waits.
    mutating func hear(
        _ news: NotificationNews, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard let emergency = news.emergency, news.state == .accepted || news.state == .delivered
        else { return }
        settle(emergency, of: news.person, at: now, into: &effects)
        for vigil in openVigils(of: news.person) {
            settle(vigil.emergency, of: news.person, at: now, into: &effects)
        }
    }

    /// The alarm, a further call of the operator's address, or the time to forget.
    mutating func vigilDue(
        _ id: EmergencyID, at now: Timestamp, into effects: inout [Effect]
    ) {
        guard var vigil = vigils[id] else { return }
        switch vigil.state {
        case .told, .ended:
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
        if let known = vigils[id], !known.isOpen { return }
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
            ?? Vigil(emergency: id, person: person, countdownEnds: now, state: state, due: now)
        if vigil.state == .alarmed { effects.append(.endAlarm(vigil)) }
        vigil.state = state
        vigil.due = now + .seconds(Limits.vigilKeptSeconds)
        keep(vigil)
        effects.append(.saveVigil(vigil))
    }

    /// Begins a vigil, or shortens the wait of one. What is heard late still gets the full time.
    private mutating func wait(
        for id: EmergencyID, of person: PersonID, countdownEnds: Timestamp, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        let due = max(countdownEnds, now) + .seconds(settings.undeliveredSeconds)
        var vigil =
            vigils[id]
            ?? Vigil(
                emergency: id, person: person, countdownEnds: countdownEnds, state: .waiting,
                due: .distantFuture)
        guard vigil.state == .waiting, due < vigil.due else { return }
        vigil.due = due
        vigil.countdownEnds = countdownEnds
        keep(vigil)
        effects.append(.saveVigil(vigil))
    }

    mutating func keep(_ vigil: Vigil) {
        vigils[vigil.emergency] = vigil
        queue.set(.vigil(vigil.emergency), due: vigil.due)
    }

    /// Those of a person about which nobody is known to have been told, ids ascending.
    func openVigils(of person: PersonID) -> [Vigil] {
        vigils.values.filter { $0.person == person && $0.isOpen }
            .sorted { $0.emergency < $1.emergency }
    }
}
