import Collections
import Model
import Wire

/// Prunes served streams a little in each turn.
///
/// Each portion takes about a millisecond, and pauses between portions leave the store's time to
/// live records. A backlog of one day is pruned within minutes.
final class Pruner {
    let outbox: Outbox
    let replayServer: ReplayServer
    let store: any BusStore
    /// Streams still to be checked in this round.
    private var queue = Fifo<StreamName>()
    private var nextRound: Duration
    private var nextPortion: Duration
    private var nextHoldbackCheck: Duration
    /// Streams whose oldest record is too young to be pruned before the given time.
    private var dueAt: [StreamName: Timestamp] = [:]
    private var mayShrink = true
    /// Whether the previous turn was rolled back.
    private var wasRolledBack = false
    private(set) var holdbacks: [Holdback] = []

    init(outbox: Outbox, replayServer: ReplayServer, store: any BusStore, now: Moment) {
        self.outbox = outbox
        self.replayServer = replayServer
        self.store = store
        nextRound = now.monotonic
        nextPortion = now.monotonic
        nextHoldbackCheck = now.monotonic + BusLimits.holdbackDelay
    }

    /// Time until the next portion; nil if there is none.
    func wait(_ now: Duration) -> Duration? { queue.isEmpty ? nil : nextPortion - now }

    /// Prunes one portion within the turn's transaction.
    func step(_ now: Moment, hooks: Bus.Hooks) throws {
        if wasRolledBack {
            wasRolledBack = false
            nextPortion = now.monotonic + BusLimits.prunePauseAfterRollback
        }
        guard now.monotonic >= nextPortion else { return }
        if queue.isEmpty, now.monotonic >= nextRound {
            nextRound = now.monotonic + BusLimits.pruneInterval
            for stream in outbox.pruned { queue.append(stream) }
            if now.monotonic >= nextHoldbackCheck {
                nextHoldbackCheck = now.monotonic + BusLimits.holdbackInterval
                try findHoldbacks(now, hooks)
                try replayServer.forgetAbsent(now)
            }
        }
        while let stream = queue.first {
            let count = try prune(stream, now, hooks)
            if count == 0 {
                queue.popFirst()
            } else {
                mayShrink = true
                nextPortion = now.monotonic + BusLimits.prunePause
                return
            }
        }
        if mayShrink, try store.reclaimSpace() {
            nextPortion = now.monotonic + BusLimits.prunePause
        } else {
            mayShrink = false
        }
    }

    /// Prunes the oldest records of a stream. Returns their number.
    private func prune(_ stream: StreamName, _ now: Moment, _ hooks: Bus.Hooks) throws -> Int {
        if let due = dueAt[stream], now.wall < due { return 0 }
        guard let extent = outbox.extent(of: stream), let rule = outbox.retention(of: stream) else {
            return 0
        }
        let base = extent.base.sequence
        let floor = rule.hasFloor ? try hooks.pruneFloor(stream) : nil
        let bound = rule.bound(
            head: extent.head.sequence, acknowledged: try acknowledged(extent, by: rule.required),
            floor: floor)
        guard bound > base else { return 0 }
        let oldest = try store.ages(
            of: stream, after: base, through: bound, limit: BusLimits.prunedRecordsPerTurn)
        let count = rule.count(of: oldest, now: now.wall)
        guard count > 0 else {
            dueAt[stream] = oldest.first.map { $0.appended + rule.ageMin }
            return 0
        }
        dueAt[stream] = nil
        try outbox.prune(stream, through: oldest[count - 1].sequence)
        return count
    }

    /// The acknowledged sequence of each consumer; positions that are not of the stream are
    /// ignored.
    private func acknowledged(
        _ extent: Extent, by consumers: [String]
    ) throws -> [String: UInt64] {
        var found: [String: UInt64] = [:]
        for consumer in consumers {
            guard let position = replayServer.position(of: extent.stream, by: consumer),
                position.incarnation == extent.head.incarnation,
                position.sequence >= extent.base.sequence,
                try outbox.hash(of: extent.stream, at: position.sequence) == position.hash
            else { continue }
            found[consumer] = position.sequence
        }
        return found
    }

    /// Finds consumers that keep records from being pruned, and reports new ones.
    private func findHoldbacks(_ now: Moment, _ hooks: Bus.Hooks) throws {
        var found: [Holdback] = []
        for stream in outbox.pruned {
            guard let extent = outbox.extent(of: stream), let rule = outbox.retention(of: stream)
            else { continue }
            let known = try acknowledged(extent, by: rule.required)
            for consumer in rule.required {
                let has = max(known[consumer] ?? 0, extent.base.sequence)
                let missing = extent.head.sequence - has
                guard missing > 0,
                    let oldest = try store.ages(
                        of: stream, after: has, through: has + 1, limit: 1
                    ).first, rule.isHeldBack(oldest, now: now.wall)
                else { continue }
                found.append(
                    Holdback(
                        consumer: consumer, stream: stream, records: missing,
                        age: now.wall - oldest.appended))
            }
        }
        let before = Set(holdbacks.map(\.consumer))
        holdbacks = found
        for holdback in found.firstOfEach(\.consumer) where !before.contains(holdback.consumer) {
            hooks.notice(.heldBack(holdback))
        }
    }

    /// Discards ages read in the turn and pauses pruning. If the disk is full, only turns without
    /// additional writes may be able to commit.
    func rolledBack() {
        dueAt.removeAll()
        wasRolledBack = true
    }

    /// One sentence per consumer.
    var healthProblems: [String] {
        holdbacks.firstOfEach(\.consumer).map { first in
            let others = holdbacks.count { $0.consumer == first.consumer } - 1
            return others == 0 ? "\(first)" : "\(first), and records of \(others) more streams"
        }
    }
}

extension Array {
    /// The first element with each key, in order.
    fileprivate func firstOfEach<Key: Hashable>(_ key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}
