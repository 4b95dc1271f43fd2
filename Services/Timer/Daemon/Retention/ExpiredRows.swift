import Hosting
import Model
import TimerCore

/// Deletes rows that are kept no longer, a limited number in each turn.
struct ExpiredRows {
    private let deadlines: DeadlineRows
    private let watches: WatchRows
    private let checkIns: CheckInRows
    private let responses: IdempotencyStore
    /// When rows are deleted next.
    private(set) var due: Timestamp

    init(
        _ deadlines: DeadlineRows, _ watches: WatchRows, _ checkIns: CheckInRows,
        _ responses: IdempotencyStore, at now: Timestamp
    ) {
        self.deadlines = deadlines
        self.watches = watches
        self.checkIns = checkIns
        self.responses = responses
        due = now
    }

    mutating func deleteDue(at now: Timestamp) throws {
        guard now >= due else { return }
        let limit = Limits.removedPerTurnMax
        let removed = max(
            try responses.prune(at: now, limit: limit),
            try deadlines.removeExpired(
                before: now - .seconds(Limits.expiredDeadlineKeptSeconds), limit: limit),
            try watches.removeOver(
                before: now - .seconds(Limits.watchKeptSeconds), limit: limit),
            try checkIns.removeOver(
                before: now - .seconds(Limits.checkInKeptSeconds), limit: limit))
        try checkIns.removeSignals(before: now - .seconds(Limits.snapshotSeconds))
        due = now + .seconds(removed == limit ? 1 : Limits.removalSeconds)
    }
}
