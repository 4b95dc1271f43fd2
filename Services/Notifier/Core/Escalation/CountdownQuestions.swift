import Directory
import Model

/// Asks a person "Are you OK?" on all contact points while the countdown of an automatic signal
/// runs.
///
/// The signal and the evaluator's record of it ask the same question, whichever is read first.
struct CountdownQuestions: Sendable {
    func ask(
        about signal: EmergencySignal, _ escalation: Escalation, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        let others = escalation.book.active(of: signal.person).filter { $0 != signal.id }
        // A further signal opens the emergency at once, and a question that comes too late helps
        // nobody.
        guard signal.trigger.rules.asksPerson, others.isEmpty, turn.now < signal.countdownEnds,
            escalation.book[signal.id].map({ $0.state == .countdown }) ?? true,
            escalation.book.signals[signal.id].map({ $0.state == .waiting }) ?? true
        else { return }
        var plan = DeliveryPlan(
            reason: .ownCountdown, severity: .safety,
            scope: DerivedID.update(signal.id, .ownCountdown, cause: signal.id.raw))
        plan.emergency = Emergency(signal)
        plan.person = signal.person
        plan.channels = nil
        plan.expires = signal.countdownEnds
        _ = delivery.notify(
            signal.person, .ownCountdown(signal.trigger, alarmAt: signal.countdownEnds), plan,
            &turn)
    }
}

extension EmergencySignal {
    /// The signal as far as an evaluator's record contains it.
    init(_ change: EmergencyChange, received: Timestamp, trace: String) {
        self.init(
            id: change.emergency, person: change.person, trigger: change.trigger,
            raised: change.raised, received: received, countdownEnds: change.countdownEnds,
            fix: change.fix, battery: change.battery, note: change.note,
            recipients: change.recipients, raisedBy: change.raisedBy, trace: trace)
    }
}
