import Hashing
import Model

extension EmergencyLife {
    /// Somebody or something says that the person is in danger. Answered once, by one step.
    mutating func raise(
        _ signal: EmergencySignal, at now: Timestamp, rules: EvaluatorRules
    ) -> [Step] {
        if hasAnswered(signal.id) { return [] }
        defer { remember(signal.id, at: now) }
        if active != nil { return join(signal, at: now) }
        let late = signal.received - signal.raised > .seconds(rules.lateSignalSeconds)
        let counts = signal.countdownEnds > max(signal.received, now)
        guard counts, !late else { return open(signal, late: late, at: now) }
        let clock = EmergencyLife.countdownClock(
            of: signal.person, signal.id, due: signal.countdownEnds)
        let emergency = ActiveEmergency(signal, late: false, phase: .counting(clock))
        active = emergency
        return [
            .news(EmergencyStep(kind: .countdown, emergency: emergency, signal: signal.id)),
            .clockWanted(clock, cause: signal.id),
        ]
    }

    /// The notifier went ahead without an answer: whatever it told is true from now on.
    mutating func adopt(
        _ signal: EmergencySignal, at now: Timestamp, rules: EvaluatorRules
    ) -> [Step] {
        if hasAnswered(signal.id) {
            guard active?.isNamed(by: signal.id) == true else { return [] }
            return openIfCounting(by: signal, at: now)
        }
        defer { remember(signal.id, at: now) }
        if active != nil { return join(signal, at: now) }
        let late = signal.received - signal.raised > .seconds(rules.lateSignalSeconds)
        return open(signal, late: late, at: now)
    }

    /// A countdown has run out. A clock that is not wanted any more changes nothing.
    mutating func fire(_ clock: ClockID, at now: Timestamp) -> [Step] {
        guard var emergency = active, case .counting(let wanted) = emergency.phase,
            wanted.id == clock
        else { return [] }
        emergency.open(at: now)
        active = emergency
        return [.news(EmergencyStep(kind: .opened, emergency: emergency, signal: emergency.id))]
    }

    /// Taken back inside the countdown: nobody is told. Once it is open nothing changes.
    mutating func cancel(_ cancel: EmergencyCancel) -> [Step] {
        guard let emergency = active, emergency.isNamed(by: cancel.emergency),
            case .counting(let clock) = emergency.phase
        else { return [] }
        active = nil
        let step = EmergencyStep(
            kind: .cancelled, emergency: emergency, signal: cancel.emergency)
        return [.news(step), .clockUnwanted(clock, cause: emergency.id)]
    }

    /// Somebody else takes it. A later answer replaces the one before.
    mutating func acknowledge(_ answer: EmergencyAnswer) -> [Step] {
        guard var emergency = active, emergency.isNamed(by: answer.emergency),
            answer.by != answer.person
        else { return [] }
        switch emergency.phase {
        case .counting: return []
        case .acknowledged(answer.by, answer.at): return []
        case .open, .acknowledged:
            emergency.phase = .acknowledged(by: answer.by, at: answer.at)
        }
        active = emergency
        return [.news(EmergencyStep(kind: .acknowledged, emergency, answer))]
    }

    /// It is over; unless the person pressed again and whoever ended it did not know.
    mutating func resolve(_ answer: EmergencyAnswer) -> [Step] {
        guard let emergency = active, emergency.isNamed(by: answer.emergency),
            answer.knows(emergency)
        else { return [] }
        active = nil
        let step = Step.news(EmergencyStep(kind: .resolved, emergency, answer))
        guard case .counting(let clock) = emergency.phase else { return [step] }
        return [step, .clockUnwanted(clock, cause: emergency.id)]
    }

    /// The person is deleted.
    mutating func personRemoved() -> [Step] {
        guard let emergency = active else { return [] }
        active = nil
        let step = Step.news(
            EmergencyStep(kind: .resolved, emergency: emergency, signal: emergency.id))
        guard case .counting(let clock) = emergency.phase else { return [step] }
        return [step, .clockUnwanted(clock, cause: emergency.id)]
    }

    /// The clock of a countdown: asking twice for it is one clock.
    static func countdownClock(
        of person: PersonID, _ signal: EmergencyID, due: Timestamp
    ) -> WantedClock {
        let rule = ClockRule.countdown
        let id = Hash.meaning(
            kind: "clock." + rule.rawValue, person: person, subject: .id(signal),
            cause: signal.raw)
        return WantedClock(
            id: ClockID(id), rule: rule, person: person, emergency: signal, due: due)
    }

    private mutating func open(
        _ signal: EmergencySignal, late: Bool, at now: Timestamp
    ) -> [Step] {
        var emergency = ActiveEmergency(signal, late: late, phase: .open)
        emergency.open(at: now)
        active = emergency
        return [.news(EmergencyStep(kind: .opened, emergency: emergency, signal: signal.id))]
    }

    /// A further trigger: opens at once what was counting, starts the ladder again where somebody
    /// had taken it.
    private mutating func join(_ signal: EmergencySignal, at now: Timestamp) -> [Step] {
        guard var emergency = active else { return [] }
        emergency.take(signal)
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
        return [.news(step)]
    }

    private mutating func openIfCounting(
        by signal: EmergencySignal, at now: Timestamp
    ) -> [Step] {
        guard var emergency = active, case .counting(let clock) = emergency.phase else { return [] }
        emergency.open(at: now)
        active = emergency
        return [
            .news(
                EmergencyStep(
                    kind: .opened, emergency: emergency, signal: signal.id,
                    joined: signal.id == emergency.id ? nil : signal)),
            .clockUnwanted(clock, cause: signal.id),
        ]
    }
}

extension ActiveEmergency {
    fileprivate mutating func open(at now: Timestamp) {
        phase = .open
        countdownEnds = min(countdownEnds, now)
    }

    fileprivate mutating func take(_ signal: EmergencySignal) {
        signals.append(signal.id)
        signalled = max(signalled, signal.received)
        if let new = signal.fix, fix.map({ $0.time <= new.time }) ?? true { fix = new }
        battery = signal.battery ?? battery
    }
}

extension EmergencyAnswer {
    /// Whether every signal of an emergency was known to whoever gave this answer. Where it does
    /// not tell, the times decide; they are those of two services.
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
