import Model

extension EmergencyLife {
    /// The notifier says how an emergency stands with it. What was lost here is true again; what
    /// has ended is not opened again, and what is known already leads to nothing.
    mutating func stand(
        _ standing: LadderStanding, at now: Timestamp, rules: EvaluatorRules
    ) -> [Step] {
        switch standing.state {
        case .countdown: standing.signals.flatMap { raise($0, at: now, rules: rules) }
        case .open, .acknowledged:
            standing.signals.flatMap { adopt($0, at: now, rules: rules) } + answer(standing)
        case .resolved, .cancelled: end(standing, at: now)
        }
    }

    /// Whether somebody has it, as the notifier says, unless the person pressed again without its
    /// knowledge.
    private mutating func answer(_ standing: LadderStanding) -> [Step] {
        guard var emergency = active, emergency.isNamed(by: standing.emergency),
            standing.knows(emergency.signals)
        else { return [] }
        if standing.state == .acknowledged {
            return acknowledge(
                EmergencyAnswer(
                    emergency: standing.emergency, person: standing.person, by: standing.by,
                    at: standing.at))
        }
        guard case .acknowledged(_, let at) = emergency.phase else { return [] }
        emergency.phase = .open
        active = emergency
        return [
            .news(
                EmergencyStep(
                    kind: .opened, emergency: emergency, signal: emergency.id, answeredAt: at))
        ]
    }

    /// It is over there: here too, unless the person pressed again. Its signals are answered, also
    /// those that come only now.
    private mutating func end(_ standing: LadderStanding, at now: Timestamp) -> [Step] {
        for signal in standing.signals where !hasAnswered(signal.id) {
            remember(signal.id, at: now)
        }
        guard let emergency = active, standing.knows(emergency.signals) else { return [] }
        active = nil
        let step = EmergencyStep(
            kind: standing.state == .cancelled ? .cancelled : .resolved, emergency: emergency,
            signal: emergency.id, by: standing.by)
        guard case .counting(let clock) = emergency.phase else { return [.news(step)] }
        return [.news(step), .clockUnwanted(clock, cause: emergency.id)]
    }
}
