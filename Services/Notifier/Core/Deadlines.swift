import Collections
import Directory
import Hashing
import Model

/// Deadlines scheduled with the timer service, each with its purpose.
///
/// The timer reports when they expire. If it does not report within ``Limits/deadlineGrace``, the
/// deadline expires here, so people are notified even while the timer is down.
struct Deadlines<Purpose: Sendable>: Sendable {
    struct Entry: Sendable {
        var deadline: Deadline
        var purpose: Purpose
    }

    private var scheduled: [DeadlineID: Entry] = [:]
    /// Deadlines that may not expire earlier, even if the timer reports them.
    private var earliestExpiry: [DeadlineID: Timestamp] = [:]
    private var backstops = DeadlineQueue<DeadlineID>()
    /// Expired deadlines whose effect is held, in no order.
    private var postponed: [DeadlineID: Entry] = [:]

    var nextDue: Timestamp? { backstops.nextDue }

    /// Schedules a deadline with the timer.
    mutating func schedule(_ deadline: Deadline, for purpose: Purpose, _ turn: inout Turn) {
        scheduled[deadline.id] = Entry(deadline: deadline, purpose: purpose)
        backstops.insert(deadline.id, due: deadline.due + Limits.deadlineGrace)
        turn.publish(
            DerivedID.event(.deadlineScheduled, deadline.person, .id(deadline.id)),
            .deadlineScheduled(deadline))
    }

    /// Cancels a deadline. Does nothing if its effect has happened.
    mutating func cancel(_ id: DeadlineID?, _ turn: inout Turn) {
        guard let id, let deadline = (remove(id) ?? postponed.removeValue(forKey: id))?.deadline
        else { return }
        turn.publish(
            DerivedID.event(.deadlineCancelled, deadline.person, .id(deadline.id)),
            .deadlineCancelled(deadline))
    }

    /// Restores a deadline from the store. It does not expire here before `earliest`.
    ///
    /// - Parameter isStrict: a report of the timer before `earliest` is ignored, too
    mutating func restore(
        _ deadline: Deadline, for purpose: Purpose, earliest: Timestamp, isStrict: Bool = false
    ) {
        scheduled[deadline.id] = Entry(deadline: deadline, purpose: purpose)
        if isStrict { earliestExpiry[deadline.id] = earliest }
        backstops.insert(deadline.id, due: max(deadline.due + Limits.deadlineGrace, earliest))
    }

    /// Removes a deadline that the timer reported as expired.
    ///
    /// - Returns: nil if it is unknown or may not expire yet; it then expires here later
    mutating func popExpired(_ id: DeadlineID, at now: Timestamp) -> Entry? {
        guard let earliest = earliestExpiry[id], now < earliest else { return remove(id) }
        backstops.insert(id, due: earliest)
        return nil
    }

    /// Removes all deadlines that the timer should have reported.
    mutating func popOverdue(at now: Timestamp) -> [(due: Timestamp, entry: Entry)] {
        var overdue: [(due: Timestamp, entry: Entry)] = []
        while let due = backstops.nextDue, let id = backstops.pop(due: now) {
            if let entry = remove(id) { overdue.append((due, entry)) }
        }
        return overdue
    }

    private mutating func remove(_ id: DeadlineID) -> Entry? {
        earliestExpiry[id] = nil
        return scheduled.removeValue(forKey: id)
    }

    // MARK: Held effects

    /// Expired deadlines whose effect is held, in no order.
    var held: some Collection<Entry> { postponed.values }

    /// Holds the effect of an expired deadline.
    mutating func hold(_ entry: Entry) { postponed[entry.deadline.id] = entry }

    mutating func removeHeld(_ id: DeadlineID) { postponed[id] = nil }

    /// - Returns: true if any was removed
    @discardableResult
    mutating func removeHeld(where isRemoved: (Entry) -> Bool) -> Bool {
        let before = postponed.count
        postponed = postponed.filter { !isRemoved($0.value) }
        return postponed.count < before
    }
}
