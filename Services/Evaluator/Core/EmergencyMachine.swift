import Hashing
import Model

extension EmergencyMachine {
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
        return [
            .transition(EmergencyStep(kind: .countdown, emergency: emergency, signal: signal.id)),
            .deadlineScheduled(deadline, cause: signal.id),
        ]
    }

    /// Adopts an emergency that the notifier opened as a fallback. What it already told people
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
            case .counting(let deadline) = emergency.phase
        else { return [] }
        active = nil
        let step = EmergencyStep(
            kind: .cancelled, emergency: emergency, signal: cancel.emergency)
        return [.transition(step), .deadlineCancelled(deadline, cause: emergency.id)]
    }

    /// Records an acknowledgement by another person. A later one replaces the one before.
    mutating func acknowledge(_ answer: EmergencyAnswer) -> [Step] {
        guard var emergency = active, emergency.includes(answer.emergency),
            answer.by != answer.person
        else { return [] }
        switch emergency.phase {
        case .counting: return []
        case .acknowledged(answer.by, answer.at): return []
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
        active = nil
        let step = Step.transition(EmergencyStep(kind: .resolved, emergency, answer))
        guard case .counting(let deadline) = emergency.phase else { return [step] }
        return [step, .deadlineCancelled(deadline, cause: emergency.id)]
    }

    /// Resolves the emergency because the person was deleted.
    mutating func personRemoved() -> [Step] {
        guard let emergency = active else { return [] }
        active = nil
        let step = Step.transition(
            EmergencyStep(kind: .resolved, emergency: emergency, signal: emergency.id))
        guard case .counting(let deadline) = emergency.phase else { return [step] }
        return [step, .deadlineCancelled(deadline, cause: emergency.id)]
    }

    /// The deadline of a countdown. The same countdown always has the same id.
    static func countdownDeadline(
        of person: PersonID, _ signal: EmergencyID, due: Timestamp
    ) -> Deadline {
        let rule = DeadlineKind.countdown
        let id = Hash.derivedID(
            kind: "clock." + rule.rawValue, person: person, subject: .id(signal),
            cause: signal.raw)
        return Deadline(
            id: DeadlineID(id), rule: rule, person: person, emergency: signal, due: due)
    }

    private mutating func open(
        _ signal: EmergencySignal, late: Bool, at now: Timestamp
    ) -> [Step] {
        var emergency = ActiveEmergency(signal, late: late, phase: .open)
        emergency.open(at: now)
        active = emergency
        return [.transition(EmergencyStep(kind: .opened, emergency: emergency, signal: signal.id))]
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
            note: signal.note)
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
                    joined: signal.id == emergency.id ? nil : signal)),
            .deadlineCancelled(deadline, cause: signal.id),
        ]
    }
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
