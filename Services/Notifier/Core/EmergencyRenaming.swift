import Hashing
import Model

// Emergencies opened here that evaluators know by another of their signals.
extension Notifier {
    /// The person's active fallback emergency to which an evaluator's record refers. A person has
    /// one active emergency at a time.
    func openedByFallback(before change: EmergencyChange) -> Emergency? {
        activeOf[change.person, default: []].compactMap { emergencies[$0] }.first {
            $0.id != change.emergency && $0.opened != nil && !$0.isRecordOnly
                && ($0.isFallback || $0.id == change.signal)
        }
    }

    /// Continues a fallback emergency under the evaluator's id.
    ///
    /// Recipients are not notified again, acknowledgements stay, and escalations continue where
    /// they are.
    mutating func rename(_ old: Emergency, as change: EmergencyChange, _ turn: inout Turn) {
        var emergency = Emergency(change, trace: turn.trace)
        emergency.joined = (old.signals + [change.signal]).reduce(into: []) { joined, signal in
            if signal != change.emergency, !joined.contains(signal) { joined.append(signal) }
        }
        emergency.state = old.state
        emergency.opened = old.opened
        emergency.recipients = old.recipients
        emergency.firstAcknowledgement = old.firstAcknowledgement
        emergency.furtherAcknowledgements = old.furtherAcknowledgements
        emergency.acknowledgementCount = old.acknowledgementCount
        emergency.nobodyReachedNotified = old.nobodyReachedNotified
        emergency.endings = old.endings
        emergency.reopened = old.reopened
        emergency.notifiedSince = old.notifiedSince
        emergency.circleEnds = old.circleEnds
        emergency.partialEndings = old.partialEndings
        if old.isOwnCall { emergency.joinedOwnCall = true }
        emergency.latest = old.latest
        emergency.repeated = old.repeated
        emergency.isHeld = old.isHeld
        // Recipients have this code in their messages.
        emergency.reference = old.reference
        moveAcknowledgements(from: old, to: &emergency, &turn)
        save(emergency, &turn)
        moveMessages(of: old.id, to: emergency.id, &turn)
        moveEscalations(of: old.id, to: emergency, &turn)
        markRenamed(old, &turn)
        updatePosition(old.fix, old.battery, into: emergency.id, &turn)
        record(.emergencyOpened, emergency, &turn)
        if old.opened.map({ change.raised > $0 }) ?? false, !old.signals.contains(emergency.id) {
            // The person called again while the first emergency was open, and evaluators lost that
            // one.
            let call = FurtherCall(trigger: change.trigger, raised: change.raised)
            notifyFurtherCall(emergency.id, signal: emergency.id, call, &turn)
        } else if emergency.state == .acknowledged {
            publishSnapshot(emergency.id, &turn)
        }
        guard let current = emergencies[emergency.id], current.state.isActive else { return }
        for circle in turn.directory.circles(of: emergency.person)
        where current.escalates(in: circle, turn.directory) {
            startEscalation(emergency.id, circle, &turn)
        }
        notifyExhaustion(emergency.id, &turn)
    }

    /// Keeps an emergency active that ended before a later call joined it here.
    ///
    /// The fallback joined the call because no evaluator answered it. The emergency continues under
    /// the id of that call, and nobody is notified of the earlier end.
    ///
    /// - Returns: true if there is such a call
    mutating func continueAfterEnd(
        _ id: EmergencyID, end: Timestamp, as state: EmergencyState, by: PersonID?,
        _ turn: inout Turn
    ) -> Bool {
        guard let old = emergencies[id], old.state.isActive,
            let call = fallbackCalls(of: old, after: end).first
        else { return false }
        record(state == .cancelled ? .cancelled : .resolved, old, by: by, &turn)
        var change = EmergencyChange(
            emergency: call.id, person: call.person, state: .open, trigger: call.trigger,
            signal: call.id, raised: call.raised, countdownEnds: call.countdownEnds,
            fix: call.fix, battery: call.battery, note: call.note)
        change.late = Emergency(call).isLate
        turn.trace = call.trace
        rename(old, as: change, &turn)
        emergencies[call.id]?.isFallback = true
        emergencies[id]?.state = state
        emergencies[id]?.endedBy = by
        for emergency in [call.id, id].compactMap({ emergencies[$0] }) { save(emergency, &turn) }
        return true
    }

    /// Calls that joined an emergency only here after a time, in the order of arrival.
    func fallbackCalls(of emergency: Emergency, after time: Timestamp) -> [EmergencySignal] {
        emergency.joined.compactMap { signals[$0] }
            .filter { $0.id != emergency.id && $0.state == .openedByFallback }
            .compactMap(\.signal)
            .filter { time < $0.received }
            .sorted { ($0.received, $0.id) < ($1.received, $1.id) }
    }

    private mutating func markRenamed(_ old: Emergency, _ turn: inout Turn) {
        var old = old
        old.state = .cancelled
        old.ended = turn.now
        old.clearAcknowledgementDeadlines()
        save(old, &turn)
    }

    private mutating func moveAcknowledgements(
        from old: Emergency, to emergency: inout Emergency, _ turn: inout Turn
    ) {
        for var acknowledgement in old.acknowledgements {
            guard let due = acknowledgement.due, let before = acknowledgement.deadline else {
                continue
            }
            cancelDeadline(before, &turn)
            let deadline = Deadline(
                id: DerivedID.acknowledgementTimeout(
                    emergency.id, acknowledgementCount: old.acknowledgementCount, acknowledgement),
                rule: .acknowledgementHold, person: emergency.person, emergency: emergency.id,
                due: due)
            acknowledgement.deadline = deadline.id
            emergency.update(acknowledgement)
            schedule(deadline, for: .acknowledgement(emergency.id), &turn)
        }
    }

    /// Moves messages to the new id and publishes their states under it.
    private mutating func moveMessages(
        of old: EmergencyID, to new: EmergencyID, _ turn: inout Turn
    ) {
        for id in notificationsOf.removeValue(forKey: old) ?? [] {
            guard var notification = notifications[id] else { continue }
            notification.emergency = new
            save(notification, isChange: false, &turn)
            publishState(notification, cause: .id(new), &turn)
            notificationsOf[new, default: []].append(id)
        }
    }

    private mutating func moveEscalations(
        of old: EmergencyID, to emergency: Emergency, _ turn: inout Turn
    ) {
        let running = escalations[old, default: []]
        stopEscalations(old, &turn)
        for var escalation in running {
            escalation.emergency = emergency.id
            if let due = escalation.due, escalation.deadline != nil {
                // The old id is part of the deadline's id: an emergency may return to an id that it
                // had before.
                let step = HashPart.parts(
                    .id(escalation.circle), .number(escalation.round), .number(escalation.nextTier),
                    .id(old))
                let deadline = Deadline(
                    id: DerivedID.deadline(.tier, emergency.id.raw, step), rule: .tier,
                    person: emergency.person, emergency: emergency.id, due: due)
                escalation.deadline = deadline.id
                schedule(deadline, for: .tier(emergency.id, escalation.circle), &turn)
            }
            escalations[emergency.id]?.removeAll { $0.circle == escalation.circle }
            escalations[emergency.id, default: []].append(escalation)
            turn.save(.escalation(escalation))
        }
    }
}
