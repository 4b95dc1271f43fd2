import Hashing
import Model

// Life of an emergency, as decided by evaluators or by the fallback here.
extension Notifier {
    /// Applies a countdown. Nobody is notified yet.
    ///
    /// The fallback deadline keeps running, so the emergency survives a crash of the evaluator.
    mutating func applyCountdown(_ change: EmergencyChange, _ turn: inout Turn) {
        guard emergencies[change.emergency] == nil else {
            return confirmByEvaluator(change.emergency, &turn)
        }
        save(Emergency(change, trace: turn.trace), &turn)
        // Cancelled before. The evaluator reports that next, unless ingest's store lost it.
        guard signals[change.emergency]?.state == .cancelled else { return }
        end(change.emergency, as: .cancelled, by: change.person, &turn)
    }

    mutating func applyOpened(_ change: EmergencyChange, _ turn: inout Turn) {
        markAnswered(change.signal, &turn)
        markAnswered(change.emergency, &turn)
        if let known = emergencies[change.emergency], known.opened != nil {
            updatePosition(change.fix, change.battery, into: change.emergency, &turn)
            confirmByEvaluator(change.emergency, &turn)
            return join(change.emergency, signal: change.signal, FurtherCall(change), &turn)
        }
        if isClosed(change) { return }
        if let known = openedByFallback(before: change) { return rename(known, as: change, &turn) }
        var emergency = Emergency(change, trace: turn.trace)
        if change.signal != change.emergency { emergency.joined = [change.signal] }
        open(emergency, &turn)
    }

    /// Whether an evaluator has already ended this emergency. One that opens it again has lost that
    /// record; a snapshot informs it.
    private func isClosed(_ change: EmergencyChange) -> Bool {
        guard let known = emergencies[change.emergency], known.isClosed == true else {
            return false
        }
        return known.signals.contains(change.signal)
    }

    /// Applies a further signal of a person in danger.
    mutating func applyJoined(_ change: EmergencyChange, _ turn: inout Turn) {
        let (id, signal) = (change.emergency, change.signal)
        markAnswered(signal, &turn)
        if signal != id, emergencies[signal]?.state.isActive ?? false {
            return merge(signal, into: id, &turn)
        }
        guard let known = emergencies[id], known.opened != nil else {
            guard change.state != .countdown else { return }
            markAnswered(id, &turn)
            if let known = openedByFallback(before: change) {
                return rename(known, as: change, &turn)
            }
            var emergency = Emergency(change, trace: turn.trace)
            emergency.joined = [signal]
            return open(emergency, &turn)
        }
        confirmByEvaluator(id, &turn)
        updatePosition(change.fix, change.battery, into: id, &turn)
        join(id, signal: signal, FurtherCall(change), &turn)
    }

    /// Applies a cancellation or resolution.
    mutating func applyEnded(_ change: EmergencyChange, _ turn: inout Turn) {
        markAnswered(change.signal, &turn)
        markAnswered(change.emergency, &turn)
        confirmByEvaluator(change.emergency, &turn)
        markClosed(change.emergency, &turn)
        let state: EmergencyState = change.state == .cancelled ? .cancelled : .resolved
        if let end = turn.cause,
            continueAfterEnd(change.emergency, end: end, as: state, by: change.by, &turn)
        {
            return
        }
        end(change.emergency, as: state, by: change.by, &turn)
    }

    /// Applies an acknowledgement read from a stream. Acknowledgements are committed here, so this
    /// matters only after a restore of the store.
    mutating func applyAcknowledged(_ change: EmergencyChange, _ turn: inout Turn) {
        markAnswered(change.emergency, &turn)
        confirmByEvaluator(change.emergency, &turn)
        guard let emergency = emergencies[change.emergency], emergency.state == .open,
            emergency.acknowledgementCount == 0
        else { return }
        acknowledge(change.emergency, by: change.by, &turn)
    }

    /// Opens an emergency and starts its escalations.
    mutating func open(_ emergency: Emergency, _ turn: inout Turn) {
        var emergency = emergency
        emergency.state = .open
        emergency.opened = turn.now
        emergency.isHeld = emergency.isHeld ?? isHeldWhenOpened(turn)
        if emergency.isHeld != true { endOutageHold(ofEndsOf: emergency.person, &turn) }
        emergency.isRecordOnly =
            emergency.isLate && turn.now - emergency.raised > Limits.escalationSignalAgeMax
        save(emergency, &turn)
        let kind: TimelineKind =
            emergency.isRecordOnly
            ? .emergencyRecorded
            : emergency.isFallback ? .emergencyFallbackOpened : .emergencyOpened
        record(kind, emergency, &turn)
        if emergency.isRecordOnly { return notifyOnce(emergency.id, &turn) }
        let wait = recallWait(of: emergency, turn)
        for circle in turn.directory.circles(of: emergency.person) {
            startEscalation(emergency.id, circle, after: wait, &turn)
        }
        notifyExhaustion(emergency.id, &turn)
    }

    /// How long to delay messages about a new emergency whose person repeatedly called for help and
    /// cancelled. The emergency itself opens at once.
    private func recallWait(of emergency: Emergency, _ turn: Turn) -> Duration {
        let before = emergencies.values.filter {
            $0.person == emergency.person && $0.id != emergency.id && !$0.recipients.isEmpty
                && $0.endedBy == emergency.person
                && $0.opened.map { turn.now - $0 < Limits.recallWindow } ?? false
        }
        let beyond = before.count - Limits.recallsFree + 1
        guard beyond > 0 else { return .zero }
        let last = before.flatMap { notificationsOf[$0.id, default: []] }
            .compactMap { notifications[$0] }
            .filter { $0.reason.isAlarm && $0.recipient != emergency.person }
            .map(\.created).max()
        guard let last else { return .zero }
        let spacing = min(Limits.recallWait * Int64(beyond), Limits.recallWaitMax)
        return max(.zero, last + spacing - turn.now)
    }

    /// Joins a further signal to an emergency: everyone who was notified is notified again, and
    /// escalations that had stopped restart.
    mutating func join(
        _ id: EmergencyID, signal: EmergencyID, _ call: FurtherCall, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id], signal != id, !emergency.joined.contains(signal)
        else { return }
        emergency.joined.append(signal)
        if emergency.joined.count > Limits.joinedMax { emergency.joined.removeFirst() }
        save(emergency, &turn)
        notifyFurtherCall(id, signal: signal, call, &turn)
    }

    /// Notifies everyone of a further signal that joined an emergency.
    mutating func notifyFurtherCall(
        _ id: EmergencyID, signal: EmergencyID, _ call: FurtherCall, _ turn: inout Turn
    ) {
        endOutageHold(of: id, calledBy: signal, &turn)
        guard var emergency = emergencies[id] else { return }
        // The signal itself has all fields, whichever of the two records is read first.
        let call = signals[signal]?.signal.map { FurtherCall($0) } ?? call
        let wasEnded = clearCircleEnds(of: id, &turn)
        emergency.circleEnds = nil
        let wasTaken = emergency.state == .acknowledged || wasEnded
        let isSuppressed = !wasTaken && emergency.hasJustRepeated(at: turn.now)
        emergency.latest = call
        if call.trigger?.isOwnCall == true { emergency.joinedOwnCall = true }
        save(emergency, &turn)
        guard emergency.state.isActive, !emergency.isRecordOnly else {
            return revive(id, &turn)
        }
        if isSuppressed {
            let decisions = emergency.recipients.map {
                NotifyDecision(recipient: $0, reason: .alreadyNotified)
            }
            return record(.pressedAgain, emergency, decisions: decisions, &turn)
        }
        if wasTaken {
            reopen(id, as: call.repetition, &turn)
            notifyExhaustion(id, &turn)
        }
        let pass = DerivedID.pass(id, round: (escalations[id]?.map(\.round).max() ?? 0))
        let scope = DerivedID.update(id, .pressedAgain, cause: signal.raw)
        let decisions = emergency.recipients.map { person in
            let isRepeated = notificationsOf[id, default: []].contains {
                notifications[$0]?.recipients.contains(person) == true
                    && notifications[$0]?.scope == pass
            }
            if wasTaken, isRepeated {
                return NotifyDecision(recipient: person, reason: .alreadyNotified)
            }
            let outcome = notifyAlarm(
                id, to: person, call.repetition, reason: .pressedAgain, scope: scope, &turn)
            return NotifyDecision(recipient: person, reason: outcome.reason)
        }
        // A message that was merged into a queued one does not count as a repetition.
        if decisions.contains(where: \.reason.sendsMessage), var emergency = emergencies[id] {
            emergency.repeated = turn.now
            save(emergency, &turn)
        }
        record(.pressedAgain, emergency, decisions: decisions, &turn)
    }

    /// Reopens an ended or record-only emergency after a new signal.
    private mutating func revive(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id] else { return }
        let opening = emergency.latest?.repetition ?? .another
        emergency.raised = turn.now
        emergency.isLate = false
        emergency.isRecordOnly = false
        emergency.nobodyReachedNotified = false
        emergency.ended = nil
        emergency.endedBy = nil
        emergency.circleEnds = nil
        save(emergency, &turn)
        cancelEndNotices(of: id, &turn)
        record(.pressedAgain, emergency, &turn)
        reopen(id, as: opening, &turn)
        for circle in turn.directory.circles(of: emergency.person) {
            startEscalation(id, circle, as: opening, &turn)
        }
        notifyExhaustion(id, &turn)
    }

    /// Applies a newer position.
    mutating func updatePosition(
        _ fix: Fix?, _ battery: UInt8?, into id: EmergencyID, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id], let fix,
            emergency.fix.map({ $0.time < fix.time }) ?? true
        else { return }
        emergency.fix = fix
        emergency.battery = battery ?? emergency.battery
        save(emergency, &turn)
    }

    /// Reopens an emergency without a responder: its escalations restart from the first tier.
    ///
    /// - Parameter running: circles whose escalation never stopped; it continues unchanged
    mutating func reopen(
        _ id: EmergencyID, as opening: Repetition, besides running: [CircleID] = [],
        _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id] else { return }
        for acknowledgement in emergency.acknowledgements {
            cancelDeadline(acknowledgement.deadline, &turn)
        }
        emergency.firstAcknowledgement = nil
        emergency.furtherAcknowledgements = nil
        emergency.state = .open
        emergency.reopened = turn.now
        emergency.notifiedSince = nil
        emergency.isClosed = nil
        save(emergency, &turn)
        publishSnapshot(id, &turn)
        if emergency.isRecordOnly { return }
        restartEscalations(id, as: opening, besides: running, &turn)
    }

    /// Restarts the escalations of circles that have no responder and in which it has not ended.
    mutating func restartEscalations(
        _ id: EmergencyID, as opening: Repetition, besides running: [CircleID], _ turn: inout Turn
    ) {
        guard let emergency = emergencies[id] else { return }
        let round = (escalations[id]?.map(\.round).max() ?? 0) + 1
        let circles = escalations[id, default: []].map(\.circle).filter {
            !running.contains($0) && emergency.escalates(in: $0, turn.directory)
        }
        for index in escalations[id, default: []].indices
        where circles.contains(escalations[id, default: []][index].circle) {
            escalations[id]?[index].restart(round: round, opening: opening)
        }
        for circle in circles { advance(id, circle, &turn) }
    }

    /// Ends an emergency: notifies all recipients once and expires unsent messages.
    ///
    /// - Parameter isDropped: true if it ended before anybody was notified; then nobody is
    mutating func end(
        _ id: EmergencyID, as state: EmergencyState, by: PersonID?, isDropped: Bool = false,
        _ turn: inout Turn
    ) {
        if turn.cause == nil { endOutageHold(ofTaken: id, &turn) }
        let isDropped = dropOldEnd(id, &turn) || isDropped
        guard var emergency = emergencies[id], emergency.state.isActive else { return }
        let wasCounting = emergency.state == .countdown
        // Recipients for whom it ended earlier have been notified of that.
        let recipients = emergency.recipients.filter {
            emergency.goesOn(for: $0, in: turn.directory)
        }
        emergency.circleEnds = nil
        for acknowledgement in emergency.acknowledgements {
            cancelDeadline(acknowledgement.deadline, &turn)
        }
        emergency.clearAcknowledgementDeadlines()
        emergency.state = state
        emergency.ended = turn.now
        emergency.endedBy = by
        let endings = (emergency.endings ?? 0) + 1
        emergency.endings = endings
        save(emergency, &turn)
        stopEscalations(id, &turn)
        if wasCounting { return }
        expireMessages(id, &turn)
        let scope = DerivedID.update(id, .standDown, cause: Hash.id("ending", .number(endings)))
        let name = by.flatMap { turn.directory.person($0)?.name }
        let content = NoticeContent.ended(cancelled: state == .cancelled, by: name)
        var decisions = recipients.map {
            notifyProgress(id, to: $0, content, reason: .standDown, scope: scope, &turn)
        }
        let isKnown = !isDropped || !emergency.recipients.isEmpty
        if state == .resolved, by != emergency.person, isKnown {
            decisions.append(
                askPerson(
                    id, by: name, circles: nil, cause: Hash.id("ending", .number(endings)), &turn))
        }
        record(
            state == .cancelled ? .cancelled : .resolved, emergency, by: by, decisions: decisions,
            &turn)
    }

    /// Saves an emergency and updates the index of active ones.
    mutating func save(_ emergency: Emergency, _ turn: inout Turn) {
        emergencies[emergency.id] = emergency
        var active = activeOf[emergency.person, default: []]
        if !emergency.state.isActive {
            active.removeAll { $0 == emergency.id }
        } else if !active.contains(emergency.id) {
            active.append(emergency.id)
        }
        activeOf[emergency.person] = active.isEmpty ? nil : active
        turn.save(.emergency(emergency))
    }

    /// Marks an emergency as ended by an evaluator.
    private mutating func markClosed(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id], emergency.isClosed != true else { return }
        emergency.isClosed = true
        save(emergency, &turn)
    }

    /// Marks a fallback emergency as known to an evaluator.
    private mutating func confirmByEvaluator(_ id: EmergencyID, _ turn: inout Turn) {
        guard var emergency = emergencies[id], emergency.isFallback else { return }
        emergency.isFallback = false
        save(emergency, &turn)
    }

    /// Merges a fallback emergency into the one to which its signal belongs.
    ///
    /// Its escalations stop silently and its recipients become recipients of the other. If the
    /// other has ended here, the signal keeps its own escalation; evaluators know the other by this
    /// id, too.
    private mutating func merge(
        _ id: EmergencyID, into other: EmergencyID, _ turn: inout Turn
    ) {
        guard var emergency = emergencies[id] else { return }
        guard var target = emergencies[other], target.state.isActive else {
            let others = emergencies[other]?.signals ?? [other]
            emergency.joined += others.filter { !emergency.signals.contains($0) }
            return save(emergency, &turn)
        }
        stopEscalations(id, &turn)
        cancelDeadline(emergency.firstAcknowledgement?.deadline, &turn)
        emergency.state = .cancelled
        emergency.ended = turn.now
        save(emergency, &turn)
        target.recipients = Set(target.recipients + emergency.recipients).sorted()
        if emergency.isOwnCall { target.joinedOwnCall = true }
        target.joined += emergency.signals.filter { !target.signals.contains($0) }
        save(target, &turn)
    }
}
