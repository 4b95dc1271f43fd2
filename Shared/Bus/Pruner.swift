import Model
import Wire

/// Forgets what nobody needs any more of the streams kept here, a little in each turn.
///
/// A portion is so small that no request waits for it, and portions are so far apart that the
/// store's time belongs to what is live; a backlog of a day goes within minutes all the same.
final class Pruner {
    let outbox: Outbox
    let desk: Desk
    let store: any BusStore
    /// Those still to be looked at in this round.
    private var queue = Fifo<StreamName>()
    private var nextRound: Duration
    private var nextPortion: Duration
    private var nextLook: Duration
    /// The oldest record is too young before this; looked up once, not each second.
    private var dueAt: [StreamName: Timestamp] = [:]
    private var mayShrink = true
    /// The turn before was undone.
    private var wasUndone = false
    private(set) var holdbacks: [Holdback] = []

    init(outbox: Outbox, desk: Desk, store: any BusStore, now: Moment) {
        self.outbox = outbox
        self.desk = desk
        self.store = store
        nextRound = now.monotonic
        nextPortion = now.monotonic
        nextLook = now.monotonic + BusLimits.holdbackFirst
    }

    /// How long until the next portion; nil when there is nothing that waits.
    func wait(_ now: Duration) -> Duration? { queue.isEmpty ? nil : nextPortion - now }

    /// One portion, in the turn's transaction.
    func step(_ now: Moment, hooks: Bus.Hooks) throws {
        if wasUndone {
            wasUndone = false
            nextPortion = now.monotonic + BusLimits.pruneAfterUndo
        }
        guard now.monotonic >= nextPortion else { return }
        if queue.isEmpty, now.monotonic >= nextRound {
            nextRound = now.monotonic + BusLimits.pruneInterval
            for stream in outbox.pruned { queue.append(stream) }
            if now.monotonic >= nextLook {
                nextLook = now.monotonic + BusLimits.holdbackInterval
                try look(now, hooks)
                try desk.forgetSilent(now)
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
        if mayShrink, try store.giveBackSpace() {
            nextPortion = now.monotonic + BusLimits.prunePause
        } else {
            mayShrink = false
        }
    }

    /// Removes the oldest records of a stream that may go now; gives how many.
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
            of: stream, after: base, through: bound, limit: BusLimits.prunedRecords)
        let count = rule.count(of: oldest, now: now.wall)
        guard count > 0 else {
            dueAt[stream] = oldest.first.map { $0.appended + rule.ageMin }
            return 0
        }
        dueAt[stream] = nil
        try outbox.prune(stream, through: oldest[count - 1].sequence)
        return count
    }

    /// Up to where each has the stream; a position that is not of it counts for nothing.
    private func acknowledged(
        _ extent: Extent, by consumers: [String]
    ) throws -> [String: UInt64] {
        var found: [String: UInt64] = [:]
        for consumer in consumers {
            guard let position = desk.position(of: extent.stream, by: consumer),
                position.incarnation == extent.head.incarnation,
                position.sequence >= extent.base.sequence,
                try outbox.hash(of: extent.stream, at: position.sequence) == position.hash
            else { continue }
            found[consumer] = position.sequence
        }
        return found
    }

    /// Looks for those who hold something back, and tells of new ones.
    private func look(_ now: Moment, _ hooks: Bus.Hooks) throws {
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
        for news in found.firstOfEach(\.consumer) where !before.contains(news.consumer) {
            hooks.notice(.heldBack(news))
        }
    }

    /// What was looked up may be of the turn that is undone; and if it was undone because the disk
    /// is full, turns without writes of ours may be the only ones that last.
    func rolledBack() {
        dueAt.removeAll()
        wasUndone = true
    }

    /// A sentence for each consumer.
    var troubles: [String] {
        holdbacks.firstOfEach(\.consumer).map { first in
            let others = holdbacks.count { $0.consumer == first.consumer } - 1
            return others == 0 ? "\(first)" : "\(first), and of \(others) more streams"
        }
    }
}

extension Array {
    /// The first element with each key, in their order.
    fileprivate func firstOfEach<Key: Hashable>(_ key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}
