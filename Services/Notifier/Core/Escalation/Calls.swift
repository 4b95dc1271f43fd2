import Directory
import Hashing
import Model

/// Calls for help: open an emergency, join one, or make one active again.
struct Calls: Sendable {
    var endings: Endings

    private var acknowledgements: Acknowledgements {
        get { endings.acknowledgements }
        _modify { yield &endings.acknowledgements }
    }
    private var circles: CircleEscalations {
        get { endings.acknowledgements.circles }
        _modify { yield &endings.acknowledgements.circles }
    }
    private var book: EmergencyBook {
        get { endings.acknowledgements.circles.book }
        _modify { yield &endings.acknowledgements.circles.book }
    }

    // MARK: First call

    /// Opens an emergency and starts its escalations.
    mutating func open(_ called: Emergency, _ delivery: inout Delivery, _ turn: inout Turn) {
        var emergency = called
        emergency.state = .open
        emergency.opened = turn.now
        // Records of evaluators do not have it.
        emergency.signOfLife = emergency.signOfLife ?? book.signals[called.id]?.signal?.signOfLife
        // It is held, also if it has no recipients yet, as with a new store.
        if let cause = turn.cause, delivery.hold.holds(cause, at: turn.now) {
            emergency.isHeld = emergency.isHeld ?? true
        }
        if emergency.isHeld != true {
            acknowledgements.releaseEnds(of: emergency.person, &delivery, &turn)
        }
        emergency.isRecordOnly =
            emergency.isLate && turn.now - emergency.raised > Limits.escalationSignalAgeMax
        book.save(emergency, &delivery, &turn)
        let kind: TimelineKind =
            emergency.isRecordOnly
            ? .emergencyRecorded
            : emergency.isFallback ? .emergencyFallbackOpened : .emergencyOpened
        book.record(kind, emergency, by: emergency.raisedBy, &turn)
        book.notifyRaised(
            emergency.id, signal: emergency.id, by: emergency.raisedBy, &delivery, &turn)
        if emergency.isRecordOnly { return book.notifyOnce(emergency.id, &delivery, &turn) }
        let wait = recallWait(of: emergency, delivery, turn)
        for circle in turn.directory.circles(of: emergency.person) {
            circles.start(emergency.id, circle, after: wait, &delivery, &turn)
        }
        circles.notifyExhaustion(emergency.id, &delivery, &turn)
        // If the person excluded everybody, they learn at once that nobody can be reached.
        if wait == .zero,
            NeverNotifyRules(in: turn.directory).hidesEmergenciesFromAll(of: emergency.person)
        {
            book.notifyNobodyReached(emergency.id, &delivery, &turn)
        }
    }

    /// Opens an emergency that its person never sees, or joins the one that goes on already.
    ///
    /// It needs no evaluator. Recipients keep the reference code that they know, and everyone who
    /// was notified of the first emergency learns that they must not call.
    mutating func openCovert(
        _ signal: EmergencySignal, from origin: EmergencyID, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard book[signal.id] == nil else { return }
        turn.trace = signal.trace
        if let known = book.covert(of: signal.person) {
            book.updatePosition(signal.fix, signal.battery, of: known.id, &delivery, &turn)
            return join(known.id, signal: signal.id, FurtherCall(signal), &delivery, &turn)
        }
        let first = book.emergency(named: origin)
        var emergency = Emergency(signal)
        emergency.keptMemberships = turn.directory.memberships(of: signal.person)
        if let first {
            emergency.reference = first.reference
            emergency.note = emergency.note ?? first.note
            emergency.raisedBy = emergency.raisedBy ?? first.raisedBy
            emergency.onlyRecipients = emergency.onlyRecipients ?? first.onlyRecipients
            if first.isOwnCall { emergency.joinedOwnCall = true }
        } else if let known = book.signals[origin]?.signal {
            emergency.note = emergency.note ?? known.note
            emergency.raisedBy = emergency.raisedBy ?? known.raisedBy
            emergency.onlyRecipients = emergency.onlyRecipients ?? known.recipients
        }
        open(emergency, &delivery, &turn)
        guard let first, !emergency.isRecordOnly else { return }
        let notified = Set(delivery.book.about(signal.id).flatMap(\.recipients))
        let scope = DerivedID.update(signal.id, .pressedAgain, cause: origin.raw)
        for person in first.audience where !notified.contains(person) {
            _ = book.notifyAlarm(
                signal.id, to: person, .first, reason: .pressedAgain, scope: scope, &delivery,
                &turn)
        }
    }

    /// How long to delay messages about a new emergency whose person repeatedly called for help and
    /// cancelled. The emergency itself opens at once.
    private func recallWait(
        of emergency: Emergency, _ delivery: Delivery, _ turn: Turn
    ) -> Duration {
        guard emergency.underDuress == nil else { return .zero }
        let before = book.all.filter {
            $0.person == emergency.person && $0.id != emergency.id && !$0.audience.isEmpty
                && $0.endedBy == emergency.person
                && $0.opened.map { turn.now - $0 < Limits.recallWindow } ?? false
        }
        let beyond = before.count - Limits.recallsFree + 1
        guard beyond > 0 else { return .zero }
        let last = before.flatMap { delivery.book.about($0.id) }
            .filter { $0.reason.isAlarm && $0.recipient != emergency.person }
            .map(\.created).max()
        guard let last else { return .zero }
        let spacing = min(Limits.recallWait * Int64(beyond), Limits.recallWaitMax)
        return max(.zero, last + spacing - turn.now)
    }

    /// Opens an escalation for a signal that no evaluator answered, or joins it to an active
    /// emergency.
    mutating func fallBack(_ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn) {
        guard book.signals.isWaiting(id), let signal = book.signals[id]?.signal else { return }
        turn.trace = signal.trace
        let known = book.active(of: signal.person).first { book[$0]?.state != .countdown }
        if let known {
            book.signals.openFallback(signal, &turn)
            book.updatePosition(signal.fix, signal.battery, of: known, &delivery, &turn)
            return join(known, signal: id, FurtherCall(signal), &delivery, &turn)
        }
        // The first unanswered signal names the emergency, as it does for evaluators.
        let first = book.signals.waiting(of: signal.person).first ?? signal
        book.signals.openFallback(first, &turn)
        if first.id != id { book.signals.openFallback(signal, &turn) }
        var emergency = book[first.id] ?? Emergency(first)
        emergency.isFallback = true
        if first.id != id {
            emergency.joined.append(id)
            if signal.trigger.isOwnCall { emergency.joinedOwnCall = true }
            _ = emergency.widen(to: signal.recipients)
        }
        open(emergency, &delivery, &turn)
        turn.emit(.warn(.openedByFallback(first.id)))
    }

    // MARK: Further calls

    /// Joins a further signal to an emergency: everyone who was notified is notified again, and
    /// escalations that had stopped restart.
    mutating func join(
        _ id: EmergencyID, signal: EmergencyID, _ call: FurtherCall, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard var emergency = book[id], signal != id, !emergency.joined.contains(signal)
        else { return }
        emergency.joined.append(signal)
        if emergency.joined.count > Limits.joinedMax { emergency.joined.removeFirst() }
        book.save(emergency, &delivery, &turn)
        notifyFurtherCall(id, signal: signal, call, &delivery, &turn)
    }

    /// Notifies everyone of a further signal that joined an emergency.
    mutating func notifyFurtherCall(
        _ id: EmergencyID, signal: EmergencyID, _ call: FurtherCall, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        endHold(of: id, calledBy: signal, &delivery, &turn)
        guard var emergency = book[id] else { return }
        // The signal itself has all fields, whichever of the two records is read first.
        let call = book.signals[signal]?.signal.map { FurtherCall($0) } ?? call
        book.notifyRaised(id, signal: signal, by: call.raisedBy, &delivery, &turn)
        let wasEnded = emergency.circleEnds?.isEmpty == false
        if wasEnded {
            // It is active again in all circles.
            emergency.circleEnds = nil
            book.save(emergency, &delivery, &turn)
        }
        emergency.circleEnds = nil
        let wasTaken = emergency.state == .acknowledged || wasEnded
        let isWidened = emergency.widen(to: call.recipients)
        let isSuppressed =
            !wasTaken && !isWidened && emergency.hasJustRepeated(at: turn.now)
        emergency.latest = call
        if call.trigger?.isOwnCall == true { emergency.joinedOwnCall = true }
        book.save(emergency, &delivery, &turn)
        guard emergency.state.isActive, !emergency.isRecordOnly else {
            return revive(id, &delivery, &turn)
        }
        if isSuppressed {
            let decisions = emergency.audience.map {
                NotifyDecision(recipient: $0, reason: .alreadyNotified)
            }
            return book.record(
                .pressedAgain, emergency, by: call.raisedBy, decisions: decisions, &turn)
        }
        if wasTaken {
            acknowledgements.reopen(id, as: call.repetition, &delivery, &turn)
            if isWidened { circles.startAll(of: emergency, as: call.repetition, &delivery, &turn) }
            circles.notifyExhaustion(id, &delivery, &turn)
        } else if isWidened {
            circles.widen(id, as: call.repetition, &delivery, &turn)
            circles.notifyExhaustion(id, &delivery, &turn)
        }
        let pass = DerivedID.pass(id, round: circles.round(of: id))
        let scope = DerivedID.update(id, .pressedAgain, cause: signal.raw)
        let round = circles.round(of: id)
        let decisions = emergency.audience.map { person in
            let isRepeated =
                delivery.book.about(id).contains {
                    $0.recipients.contains(person) && $0.scope == pass
                }
                || emergency.withheld?.contains(person) == true
                    && circles.of(id).contains {
                        $0.round == round && $0.recipients.contains(person)
                    }
            if wasTaken || isWidened, isRepeated {
                return NotifyDecision(recipient: person, reason: .alreadyNotified)
            }
            let outcome = book.notifyAlarm(
                id, to: person, call.repetition, reason: .pressedAgain, scope: scope, &delivery,
                &turn)
            return NotifyDecision(person, outcome)
        }
        // A message that was merged into a queued one does not count as a repetition.
        if decisions.contains(where: \.reason.sendsMessage), var emergency = book[id] {
            emergency.repeated = turn.now
            book.save(emergency, &delivery, &turn)
        }
        book.record(.pressedAgain, emergency, by: call.raisedBy, decisions: decisions, &turn)
    }

    /// Reopens an ended or record-only emergency after a new signal.
    private mutating func revive(
        _ id: EmergencyID, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard var emergency = book[id] else { return }
        let opening = emergency.latest?.repetition ?? .another
        emergency.raised = turn.now
        emergency.isLate = false
        emergency.isRecordOnly = false
        emergency.nobodyReachedNotified = false
        emergency.ended = nil
        emergency.endedBy = nil
        emergency.circleEnds = nil
        book.save(emergency, &delivery, &turn)
        delivery.cancelEndNotices(of: id, &turn)
        book.record(.pressedAgain, emergency, &turn)
        acknowledgements.reopen(id, as: opening, &delivery, &turn)
        for circle in turn.directory.seen(by: emergency).circles(of: emergency.person) {
            circles.start(id, circle, as: opening, &delivery, &turn)
        }
        circles.notifyExhaustion(id, &delivery, &turn)
    }

    // MARK: Outage hold

    /// Releases an emergency after a signal received after the outage, also if the emergency itself
    /// is received later.
    private mutating func endHold(
        of id: EmergencyID, calledBy signal: EmergencyID, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard let outage = delivery.hold.outage, let call = book.signals[signal]?.signal,
            !outage.covers(call.received)
        else { return }
        acknowledgements.releaseEnds(of: call.person, &delivery, &turn)
        acknowledgements.release(id, &delivery, &turn)
    }

    /// Handles the expired fallback of a signal. Its effect is held if the signal was received
    /// during the outage.
    mutating func expire(
        _ entry: Deadlines<EmergencyID>.Entry, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        if book.signals.hold(entry, delivery.hold, at: turn.now) { return }
        fallBack(entry.purpose, &delivery, &turn)
    }
}
