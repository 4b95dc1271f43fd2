import Model

extension EmergencyMachine {
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
        active = nil
        let step = EmergencyStep(
            kind: snapshot.state == .cancelled ? .cancelled : .resolved, emergency: emergency,
            signal: emergency.id, by: snapshot.by)
        guard case .counting(let deadline) = emergency.phase else { return [.transition(step)] }
        return [.transition(step), .deadlineCancelled(deadline, cause: emergency.id)]
    }
}
