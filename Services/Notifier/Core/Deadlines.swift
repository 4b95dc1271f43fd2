import Hashing
import Model

/// What a deadline is for.
enum DeadlinePurpose: Hashable, Sendable {
    /// An evaluator's answer to a signal.
    case fallback(EmergencyID)
    /// A responder from an escalation tier.
    case tier(EmergencyID, CircleID)
    /// The timeout of an acknowledgement, or of the answer to its reminder.
    case acknowledgement(EmergencyID)
    case retry(NotificationID)
}

/// Deadlines scheduled with the timer service, with their purpose.
///
/// The timer reports when they expire. If it does not report within ``Limits/deadlineGrace``, the
/// deadline expires here, so people are notified even while the timer is down.
struct Deadlines: Sendable {
    private var scheduled: [DeadlineID: (deadline: Deadline, purpose: DeadlinePurpose)] = [:]
    /// Restored fallback deadlines do not expire before this time: missed records are read first.
    private var earliestExpiry: [DeadlineID: Timestamp] = [:]
    private var backstops = DeadlineQueue<DeadlineID>()

    var nextDue: Timestamp? { backstops.nextDue }

    mutating func schedule(_ deadline: Deadline, _ purpose: DeadlinePurpose) {
        scheduled[deadline.id] = (deadline, purpose)
        backstops.insert(deadline.id, due: deadline.due + Limits.deadlineGrace)
    }

    /// Restores a deadline from the store. It does not expire here before `earliest`.
    mutating func restore(
        _ deadline: Deadline, _ purpose: DeadlinePurpose, earliest: Timestamp
    ) {
        scheduled[deadline.id] = (deadline, purpose)
        if case .fallback = purpose { earliestExpiry[deadline.id] = earliest }
        backstops.insert(deadline.id, due: max(deadline.due + Limits.deadlineGrace, earliest))
    }

    mutating func remove(_ id: DeadlineID) -> (deadline: Deadline, purpose: DeadlinePurpose)? {
        earliestExpiry[id] = nil
        return scheduled.removeValue(forKey: id)
    }

    /// Removes a deadline that the timer reported as expired.
    ///
    /// - Returns: nil if it may not expire yet; it then expires here later
    mutating func popExpired(
        _ id: DeadlineID, at now: Timestamp
    ) -> (deadline: Deadline, purpose: DeadlinePurpose)? {
        guard let earliest = earliestExpiry[id], now < earliest else { return remove(id) }
        backstops.insert(id, due: earliest)
        return nil
    }

    mutating func popOverdue(at now: Timestamp) -> [(deadline: Deadline, purpose: DeadlinePurpose)]
    {
        var out: [(deadline: Deadline, purpose: DeadlinePurpose)] = []
        while let id = backstops.pop(due: now) {
            if let entry = remove(id) { out.append(entry) }
        }
        return out
    }
}

extension Notifier {
    /// Schedules a deadline with the timer.
    mutating func schedule(_ deadline: Deadline, for purpose: DeadlinePurpose, _ turn: inout Turn) {
        deadlines.schedule(deadline, purpose)
        turn.publish(
            DerivedID.event(.deadlineScheduled, deadline.person, .id(deadline.id)),
            .deadlineScheduled(deadline))
    }

    /// Cancels a deadline. Does nothing if it has expired.
    mutating func cancelDeadline(_ id: DeadlineID?, _ turn: inout Turn) {
        guard let id, let (deadline, _) = deadlines.remove(id) ?? postponed.removeValue(forKey: id)
        else { return }
        turn.publish(
            DerivedID.event(.deadlineCancelled, deadline.person, .id(deadline.id)),
            .deadlineCancelled(deadline))
    }

    mutating func deadlineExpired(_ expired: ExpiredDeadline, _ turn: inout Turn) {
        guard let (deadline, purpose) = deadlines.popExpired(expired.deadline.id, at: turn.now)
        else {
            return
        }
        expire(deadline, purpose, &turn)
    }

    mutating func expire(_ deadline: Deadline, _ purpose: DeadlinePurpose, _ turn: inout Turn) {
        if postpone(deadline, purpose, turn) { return }
        switch purpose {
        case .fallback(let signal): fallBack(signal, &turn)
        case .tier(let emergency, let circle):
            guard let index = escalationIndex(emergency, circle),
                escalations[emergency]?[index].deadline == deadline.id
            else { return }
            escalations[emergency]?[index].deadline = nil
            advance(emergency, circle, &turn)
            notifyExhaustion(emergency, &turn)
        case .acknowledgement(let emergency):
            acknowledgementExpired(emergency, deadline.id, &turn)
        case .retry(let id):
            guard let notification = notifications[id], notification.deadline == deadline.id else {
                return
            }
            notifications[id]?.deadline = nil
            notifications[id]?.due = min(notification.due ?? turn.now, turn.now)
            deliveryQueue.append(
                id, to: notification.lane, about: notification.person, isRetry: true)
        }
    }
}
