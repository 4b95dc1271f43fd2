import Collections
import Model
import Timing

/// Deadlines of other services, by id and due time. Their rows hold the rest.
struct Deadlines: Sendable {
    /// Deadlines due before this are late.
    private let started: Timestamp
    private var queue: DeadlineHeap<DeadlineID>
    /// Held deadlines stay pending in the store, so that they are held again after a restart.
    private(set) var hold: OutageHold<DeadlineID>

    init(
        _ pending: [(id: DeadlineID, due: Timestamp)] = [], started: Timestamp,
        after outage: Outage?
    ) {
        self.started = started
        queue = DeadlineHeap(pending.map { .init($0.id, due: $0.due) })
        hold = OutageHold(after: outage)
    }

    /// Number of pending deadlines, held ones included.
    var count: Int { queue.count + hold.count }
    var next: Timestamp? { queue.next }

    /// Schedules a deadline; the same id again changes its due time.
    mutating func schedule(_ deadline: Deadline, trace: String, _ turn: inout Turn) {
        hold.remove(deadline.id)
        queue.set(deadline.id, due: deadline.due)
        turn.emit(.saveDeadline(deadline, trace: trace))
    }

    mutating func cancel(_ id: DeadlineID, _ turn: inout Turn) {
        queue.remove(id)
        hold.remove(id)
        turn.emit(.removeDeadline(id))
    }

    /// Expires or holds the earliest deadline, which is due.
    mutating func expireNext(_ turn: inout Turn) {
        guard let entry = queue.popDue(at: turn.now),
            !hold.hold(entry.id, due: entry.due, at: turn.now)
        else { return }
        expire(entry.id, due: entry.due, &turn)
    }

    private func expire(_ id: DeadlineID, due: Timestamp, _ turn: inout Turn) {
        turn.emit(.expireDeadline(id, late: due < started))
    }

    // MARK: Outage hold

    /// Releases everything when the hold ends.
    mutating func endHold(at now: Timestamp) {
        for (id, due) in hold.end(at: now) ?? [] { queue.set(id, due: due) }
    }

    /// Expires a held deadline.
    mutating func release(_ id: DeadlineID, _ turn: inout Turn) {
        guard let due = hold.remove(id) else { return }
        expire(id, due: due, &turn)
    }

    /// Removes a held deadline.
    mutating func drop(_ id: DeadlineID, _ turn: inout Turn) {
        if hold.remove(id) != nil { turn.emit(.removeDeadline(id)) }
    }
}
