import Model
import Timing

// What the hold means for messages. Held messages and emergencies are marked in their rows.
extension OutageHold where Item == HeldItem {
    /// Whether a message is held before its first attempt: it became due during the outage or
    /// belongs to a held emergency.
    func holds(_ message: Notification, _ emergency: EmergencyFacts?, at now: Timestamp) -> Bool {
        guard isActive(at: now), message.isHeld != false,
            message.severity.waitsForOperator, emergency?.isHeld != false
        else { return false }
        return message.isHeld == true || emergency?.isHeld == true || isUntriedSince(message)
    }

    /// Whether a message was created during the outage, or before, and not tried before it.
    func isUntriedSince(_ message: Notification) -> Bool {
        guard let outage else { return false }
        let wasTried = message.attemptStarted.map { !outage.covers($0) } ?? false
        return outage.covers(message.created) && !wasTried
    }

    /// Records in a new message when its event happened, if that was during the outage.
    func mark(
        _ message: inout Notification, _ emergency: EmergencyFacts?, cause: Timestamp?,
        at now: Timestamp
    ) {
        let raised = message.wasDue
        message.wasDue = nil
        guard let outage, message.severity.waitsForOperator else { return }
        var due = raised ?? cause
        if raised == nil, message.reason.isAlarm, let emergency {
            // A further call is dated by its own time.
            let call = message.reason == .pressedAgain ? emergency.lastCall : nil
            due = call ?? emergency.raised
        }
        // A new store knows of no outage, and a phone may report late for reasons of its own.
        let waits = emergency?.isHeld ?? false
        let isSure = outage.from > .zero || cause.map(outage.covers) ?? waits
        if let due, isSure, outage.covers(due), due >= outage.from { message.wasDue = due }
        if let cause, holds(cause, at: now) { message.isHeld = true }
    }
}
