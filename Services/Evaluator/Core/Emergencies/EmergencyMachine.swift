import Hashing
import Model

/// A person's emergency: `countdown → open → acknowledged → resolved`, or `cancelled`.
///
/// Transitions are pure and return steps, which ``handle(_:_:_:)`` turns into events.
struct EmergencyMachine: Hashable, Sendable {
    /// The result of a transition.
    enum Step: Hashable {
        /// Reported to everyone who follows the emergency.
        case transition(EmergencyStep)
        case deadlineScheduled(Deadline, cause: EmergencyID)
        case deadlineCancelled(Deadline, cause: EmergencyID)
    }

    /// A signal that was handled.
    struct HandledSignal: Hashable {
        var signal: EmergencyID
        var at: Timestamp
    }

    var active: ActiveEmergency?
    /// Oldest first.
    var handled: [HandledSignal] = []

    init(active: ActiveEmergency? = nil, handled: [HandledSignal] = []) {
        self.active = active
        self.handled = handled
    }

    var isActive: Bool {
        switch active {
        case .none: false
        case .some: true
        }
    }

    /// Whether this signal was handled before. A repeated signal never raises a second emergency.
    func hasHandled(_ signal: EmergencyID) -> Bool {
        handled.contains { $0.signal == signal }
    }

    /// Records a handled signal and drops those that are too old to be repeated.
    mutating func remember(_ signal: EmergencyID, at now: Timestamp) {
        let oldest = now - .seconds(EvaluatorLimits.signalsKeptSeconds)
        handled.removeAll { $0.at < oldest && active?.signals.contains($0.signal) != true }
        if handled.count >= EvaluatorLimits.signalsKeptMax { handled.removeFirst() }
        handled.append(HandledSignal(signal: signal, at: now))
    }

    // MARK: Inputs

    /// Handles signals, cancellations, deadlines and answers of people.
    mutating func handle(
        _ body: EventBody, _ fixes: borrowing FixHistory, _ turn: inout Turn
    ) {
        let (now, rules) = (turn.time, turn.rules)
        let steps: [Step] =
            switch body {
            case .inputSignal(let signal): raise(signal, at: now, rules: rules)
            case .inputFallbackOpened(let signal): openFallback(signal, at: now, rules: rules)
            case .inputEmergencySnapshot(let snapshot): apply(snapshot, at: now, rules: rules)
            case .inputCancel(let cancel): self.cancel(cancel)
            case .inputDeadline(let expired): expire(expired.deadline.id, at: now)
            case .inputAcknowledgement(let answer): acknowledge(answer)
            case .inputResolution(let answer): resolve(answer)
            default: []
            }
        emit(steps, fixes, &turn)
        // An emergency shortens the time after which a suspect fix is trusted.
        if fixes.suspect != nil { turn.areWaitsStale = true }
    }

    /// Raises the emergency of a person who is inside a zone that is marked for it.
    ///
    /// A person who went no farther than the zone's alert distance and comes back is still in the
    /// stay of the earlier signal. This raises another emergency, unless one is open: its
    /// recipients know already, and a person at the edge must not alert them again and again.
    mutating func raise(
        zone signal: EmergencySignal, _ fixes: borrowing FixHistory, _ turn: inout Turn
    ) {
        var signal = signal
        if hasHandled(signal.id) {
            guard !isActive else { return }
            signal.id = EmergencyID(Hash.id("zone again", .id(signal.id), .id(turn.cause)))
        }
        raise(detected: signal, fixes, &turn)
    }

    /// Raises an emergency that the evaluator itself detected: contact with a watched person was
    /// lost, or the person is inside a zone that is marked for it.
    mutating func raise(
        detected signal: EmergencySignal, _ fixes: borrowing FixHistory,
        _ turn: inout Turn
    ) {
        let steps = raise(signal, at: turn.now, rules: turn.rules)
        emit(steps, fixes, &turn)
    }

    /// Resolves the emergency because the person was deleted.
    mutating func removePerson(_ fixes: borrowing FixHistory, _ turn: inout Turn) {
        guard let emergency = active else { return }
        let step = EmergencyStep(kind: .resolved, emergency: emergency, signal: emergency.id)
        let steps = end(step)
        emit(steps, fixes, &turn)
    }

    private func emit(
        _ steps: [Step], _ fixes: borrowing FixHistory, _ turn: inout Turn
    ) {
        turn.isEmergency = isActive
        for step in steps {
            switch step {
            case .transition(let transition):
                turn.emit(
                    transition.body(turn.person, fixes, turn.rules),
                    subject: .id(transition.emergency.id), cause: transition.cause)
            case .deadlineScheduled(let deadline, let signal):
                turn.schedule(deadline, cause: signal.raw)
            case .deadlineCancelled(let deadline, let signal):
                turn.cancel(deadline, cause: signal.raw)
            }
        }
    }

    // MARK: Transitions

    /// Handles a signal that the person is in danger. Each signal causes at most one step.
    mutating func raise(
        _ signal: EmergencySignal, at now: Timestamp, rules: EvaluatorRules
    ) -> [Step] {
        if hasHandled(signal.id) { return [] }
        defer { remember(signal.id, at: now) }
        if active != nil { return join(signal, at: now) }
        let late = signal.received - signal.raised > .seconds(rules.lateSignalSeconds)
        let hasCountdown = signal.countdownEnds > max(signal.received, now)
        guard hasCountdown, !late else { return open(signal, late: late, at: now) }
        let deadline = EmergencyMachine.countdownDeadline(
            of: signal.person, signal.id, due: signal.countdownEnds)
        let emergency = ActiveEmergency(signal, late: false, phase: .counting(deadline))
        active = emergency
        let step = EmergencyStep(
            kind: .countdown, emergency: emergency, signal: signal.id, raisedBy: signal.raisedBy)
        return [
            .transition(step),
            .deadlineScheduled(deadline, cause: signal.id),
        ]
    }

    /// Adopts an emergency that the notifier opened as a fallback. What people already know
    /// stays true.
    mutating func openFallback(
        _ signal: EmergencySignal, at now: Timestamp, rules: EvaluatorRules
    ) -> [Step] {
        if hasHandled(signal.id) {
            guard active?.includes(signal.id) == true else { return [] }
            return openIfCounting(by: signal, at: now)
        }
        defer { remember(signal.id, at: now) }
        if active != nil { return join(signal, at: now) }
        let late = signal.received - signal.raised > .seconds(rules.lateSignalSeconds)
        return open(signal, late: late, at: now)
    }

    /// Opens the emergency when its countdown expires. An outdated deadline changes nothing.
    mutating func expire(_ deadline: DeadlineID, at now: Timestamp) -> [Step] {
        guard var emergency = active, case .counting(let scheduled) = emergency.phase,
            scheduled.id == deadline
        else { return [] }
        emergency.open(at: now)
        active = emergency
        return [
            .transition(EmergencyStep(kind: .opened, emergency: emergency, signal: emergency.id))
        ]
    }

    /// Cancels the emergency during its countdown, before anybody is notified. An open emergency
    /// cannot be cancelled.
    mutating func cancel(_ cancel: EmergencyCancel) -> [Step] {
        guard let emergency = active, emergency.includes(cancel.emergency),
            case .counting = emergency.phase
        else { return [] }
        return end(
            EmergencyStep(kind: .cancelled, emergency: emergency, signal: cancel.emergency))
    }

    /// Records an acknowledgement by another person. A later one replaces the one before; an
    /// earlier one does not, such as that of a joined emergency in the notifier's snapshot.
    mutating func acknowledge(_ answer: EmergencyAnswer) -> [Step] {
        guard var emergency = active, emergency.includes(answer.emergency),
            answer.by != answer.person
        else { return [] }
        switch emergency.phase {
        case .counting: return []
        case .acknowledged(_, let at) where answer.at <= at: return []
        case .open, .acknowledged:
            emergency.phase = .acknowledged(by: answer.by, at: answer.at)
        }
        active = emergency
        return [.transition(EmergencyStep(kind: .acknowledged, emergency, answer))]
    }

    /// Resolves the emergency, unless it has a signal that the responder did not know of.
    mutating func resolve(_ answer: EmergencyAnswer) -> [Step] {
        guard let emergency = active, emergency.includes(answer.emergency),
            answer.knows(emergency)
        else { return [] }
        return end(EmergencyStep(kind: .resolved, emergency, answer))
    }

    /// Ends the emergency, and its countdown if it is running.
    private mutating func end(_ step: EmergencyStep) -> [Step] {
        active = nil
        guard case .counting(let deadline) = step.emergency.phase else {
            return [.transition(step)]
        }
        return [.transition(step), .deadlineCancelled(deadline, cause: step.emergency.id)]
    }

    /// The deadline of a countdown. The same countdown always has the same id.
    static func countdownDeadline(
        of person: PersonID, _ signal: EmergencyID, due: Timestamp
    ) -> Deadline {
        Deadline(
            .countdown, of: person, emergency: signal, subject: .id(signal), cause: signal.raw,
            due: due)
    }

    private mutating func open(
        _ signal: EmergencySignal, late: Bool, at now: Timestamp
    ) -> [Step] {
        var emergency = ActiveEmergency(signal, late: late, phase: .open)
        emergency.open(at: now)
        active = emergency
        let step = EmergencyStep(
            kind: .opened, emergency: emergency, signal: signal.id,
            raisedBy: signal.raisedBy, recipients: signal.recipients)
        return [.transition(step)]
    }

    /// Adds a further signal: opens a countdown immediately, and reopens an acknowledged emergency
    /// so that its escalation restarts.
    private mutating func join(_ signal: EmergencySignal, at now: Timestamp) -> [Step] {
        guard var emergency = active else { return [] }
        emergency.add(signal)
        active = emergency
        let opening = openIfCounting(by: signal, at: now)
        if !opening.isEmpty { return opening }
        var step = EmergencyStep(
            kind: .joined, emergency: emergency, signal: signal.id, joined: signal,
            raisedBy: signal.raisedBy, note: signal.note)
        if case .acknowledged = emergency.phase {
            emergency.phase = .open
            active = emergency
            step.emergency = emergency
            step.reopened = true
        }
        return [.transition(step)]
    }

    private mutating func openIfCounting(
        by signal: EmergencySignal, at now: Timestamp
    ) -> [Step] {
        guard var emergency = active, case .counting(let deadline) = emergency.phase else {
            return []
        }
        emergency.open(at: now)
        active = emergency
        return [
            .transition(
                EmergencyStep(
                    kind: .opened, emergency: emergency, signal: signal.id,
                    joined: signal.id == emergency.id ? nil : signal,
                    raisedBy: signal.raisedBy)),
            .deadlineCancelled(deadline, cause: signal.id),
        ]
    }

    // MARK: Snapshots

    /// Applies the notifier's snapshot of an emergency. Restores what was lost here; does not
    /// reopen what has ended, and does nothing for what is known.
    mutating func apply(
        _ snapshot: EmergencySnapshot, at now: Timestamp, rules: EvaluatorRules
    ) -> [Step] {
        switch snapshot.state {
        case .countdown: snapshot.signals.flatMap { raise($0, at: now, rules: rules) }
        case .open, .acknowledged:
            snapshot.signals.flatMap { openFallback($0, at: now, rules: rules) }
                + adoptAcknowledgement(of: snapshot)
        case .resolved, .cancelled: adoptEnd(of: snapshot, at: now)
        }
    }

    /// Adopts the notifier's acknowledgement state, unless there is a signal that the notifier does
    /// not know.
    private mutating func adoptAcknowledgement(of snapshot: EmergencySnapshot) -> [Step] {
        guard var emergency = active, emergency.includes(snapshot.emergency),
            snapshot.knows(emergency.signals)
        else { return [] }
        if snapshot.state == .acknowledged {
            return acknowledge(
                EmergencyAnswer(
                    emergency: snapshot.emergency, person: snapshot.person, by: snapshot.by,
                    at: snapshot.at))
        }
        guard case .acknowledged(_, let at) = emergency.phase else { return [] }
        emergency.phase = .open
        active = emergency
        return [
            .transition(
                EmergencyStep(
                    kind: .opened, emergency: emergency, signal: emergency.id, answeredAt: at))
        ]
    }

    /// Ends the emergency because it ended at the notifier, unless there is a newer signal. Marks
    /// its signals as handled, including those that arrive later.
    private mutating func adoptEnd(of snapshot: EmergencySnapshot, at now: Timestamp) -> [Step] {
        for signal in snapshot.signals where !hasHandled(signal.id) {
            remember(signal.id, at: now)
        }
        guard let emergency = active, snapshot.knows(emergency.signals) else { return [] }
        return end(
            EmergencyStep(
                kind: snapshot.state == .cancelled ? .cancelled : .resolved,
                emergency: emergency, signal: emergency.id, by: snapshot.by))
    }
}

/// An emergency that has not ended.
struct ActiveEmergency: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Nobody is notified until the deadline expires.
        case counting(Deadline)
        case open
        /// Somebody acknowledged it; nil = the operator.
        case acknowledged(by: PersonID?, at: Timestamp)

        var state: EmergencyState {
            switch self {
            case .counting: .countdown
            case .open: .open
            case .acknowledged: .acknowledged
            }
        }
    }

    /// The id of its first signal.
    var id: EmergencyID
    var trigger: EmergencyTrigger
    var raised: Timestamp
    /// Whether the signal arrived long after it was raised.
    var late: Bool
    var note: String?
    var countdownEnds: Timestamp
    var phase: Phase
    /// The newest fix of all signals.
    var fix: Fix?
    var battery: UInt8?
    /// The first signal and all that joined, in order.
    var signals: [EmergencyID]
    /// When the last signal arrived.
    var signalled: Timestamp

    /// Whether an id is the emergency's own or that of a joined signal.
    func includes(_ id: EmergencyID) -> Bool { signals.contains(id) }
}

extension ActiveEmergency {
    init(_ signal: EmergencySignal, late: Bool, phase: Phase) {
        self.init(
            id: signal.id, trigger: signal.trigger, raised: signal.raised, late: late,
            note: signal.note, countdownEnds: signal.countdownEnds, phase: phase, fix: signal.fix,
            battery: signal.battery, signals: [signal.id], signalled: signal.received)
    }
}

/// One transition, with the emergency's state after it.
struct EmergencyStep: Hashable {
    enum Kind: Hashable { case countdown, opened, joined, cancelled, acknowledged, resolved }

    var kind: Kind
    var emergency: ActiveEmergency
    /// The signal that caused this step.
    var signal: EmergencyID
    /// The joined signal; nil for the one that raised the emergency.
    var joined: EmergencySignal?
    /// Who called on the person's behalf with the signal.
    var raisedBy: PersonID?
    var by: PersonID?
    var note: String?
    var reopened = false
    /// When a person answered; part of the step's identity. For a reopened emergency: when the
    /// acknowledgement was given that no longer counts.
    var answeredAt: Timestamp?
    /// The only people to notify because of the signal that opened it; nil = everyone.
    var recipients: [PersonID]?
}

extension ActiveEmergency {
    fileprivate mutating func open(at now: Timestamp) {
        phase = .open
        countdownEnds = min(countdownEnds, now)
    }

    fileprivate mutating func add(_ signal: EmergencySignal) {
        signals.append(signal.id)
        signalled = max(signalled, signal.received)
        if let new = signal.fix, fix.map({ $0.time <= new.time }) ?? true { fix = new }
        battery = signal.battery ?? battery
    }
}

extension EmergencyAnswer {
    /// Whether the answer was given with knowledge of every signal. If it does not list signals,
    /// times decide; they are those of two services.
    fileprivate func knows(_ emergency: ActiveEmergency) -> Bool {
        guard !signals.isEmpty else { return emergency.signalled <= at }
        return emergency.signals.allSatisfy(signals.contains)
    }
}

extension EmergencyStep {
    fileprivate init(kind: Kind, _ emergency: ActiveEmergency, _ answer: EmergencyAnswer) {
        self.init(
            kind: kind, emergency: emergency, signal: emergency.id, by: answer.by,
            note: answer.note, answeredAt: answer.at)
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

    fileprivate func body(
        _ person: PersonID, _ fixes: FixHistory, _ rules: EvaluatorRules
    ) -> EventBody {
        let change = change(person, fixes, rules)
        return switch kind {
        case .countdown: .emergencyCountdown(change)
        case .opened: .emergencyOpened(change)
        case .joined: .emergencyJoined(change)
        case .cancelled: .emergencyCancelled(change)
        case .acknowledged: .emergencyAcknowledged(change)
        case .resolved: .emergencyResolved(change)
        }
    }

    private func change(
        _ person: PersonID, _ fixes: FixHistory, _ rules: EvaluatorRules
    ) -> EmergencyChange {
        var fix = emergency.fix
        var battery = emergency.battery ?? fixes.battery
        if let last = fixes.lastFix, fix.map({ $0.time < last.time }) ?? true {
            fix = last
            battery = fixes.battery ?? battery
        }
        let state =
            switch kind {
            case .countdown, .opened, .joined, .acknowledged: emergency.phase.state
            case .cancelled: EmergencyState.cancelled
            case .resolved: EmergencyState.resolved
            }
        return EmergencyChange(
            emergency: emergency.id, person: person, state: state, trigger: emergency.trigger,
            signal: signal, raised: emergency.raised, countdownEnds: emergency.countdownEnds,
            fix: fix, battery: battery, note: note ?? emergency.note,
            by: by, late: emergency.late, reopened: reopened,
            suspect: fixes.isSuspect(fix, rules), joinedTrigger: joined?.trigger,
            joinedRaised: joined?.raised, recipients: joined?.recipients ?? recipients,
            raisedBy: raisedBy)
    }
}
