import Model

/// When which partition's state goes to whoever keeps it: one at a time, each not before an
/// interval has passed and only with news; before leaving, all with news, once, at once.
public struct CheckpointSchedule: Sendable {
    private struct Plan: Sendable {
        /// Not before; the last checkpoint or the begin and the interval.
        var due: Timestamp
        /// Records applied that no checkpoint has.
        var news: UInt64 = 0
        /// Of these, those that the one under way has.
        var told: UInt64 = 0
        /// Sent since it is to leave: that is not done twice.
        var isParted = false
    }

    private let interval: Duration
    private var plans: [Plan?] = Partition.all.map { _ in nil }
    private var isLeaving = false
    /// Sent, and not answered yet.
    public private(set) var underWay: Partition?

    public init(interval: Duration) { self.interval = interval }

    /// A partition is owned from here on, with nothing to tell.
    public mutating func begin(_ partition: Partition, at now: Timestamp) {
        drop(partition)
        plans[Int(partition.number)] = Plan(due: now + interval)
    }

    /// A partition is owned no longer.
    public mutating func drop(_ partition: Partition) {
        plans[Int(partition.number)] = nil
        if underWay == partition { underWay = nil }
    }

    /// A record of a partition was applied.
    public mutating func applied(_ partition: Partition) {
        plans[Int(partition.number)]?.news += 1
    }

    /// Every partition with news is due, whenever its last checkpoint was.
    public mutating func leave() { isLeaving = true }

    /// The partition to tell of now: of those that are due and can, the one that waits longest.
    ///
    /// - Parameter isReady: whether a partition's state is that of a place in its log, and led to
    ///   nothing that whoever keeps states has otherwise
    public func next(at now: Timestamp, isReady: (Partition) -> Bool) -> Partition? {
        guard underWay == nil else { return nil }
        let due = Partition.all.filter { isDue($0, at: now) && isReady($0) }
        return due.min { dueTime($0) < dueTime($1) }
    }

    /// The state of a partition is on its way.
    public mutating func sent(_ partition: Partition) {
        guard let news = plans[Int(partition.number)]?.news else { return }
        underWay = partition
        plans[Int(partition.number)]?.told = news
        plans[Int(partition.number)]?.isParted = isLeaving
    }

    /// The one under way was kept or refused; refused, it is tried again after the interval.
    public mutating func answered(_ partition: Partition, isKept: Bool, at now: Timestamp) {
        guard underWay == partition, var plan = plans[Int(partition.number)] else { return }
        underWay = nil
        plan.due = now + interval
        if isKept { plan.news -= plan.told }
        plans[Int(partition.number)] = plan
    }

    /// Whether nothing is left to tell before leaving.
    public var isDone: Bool {
        isLeaving && underWay == nil
            && !Partition.all.contains { isDue($0, at: .distantFuture) }
    }

    private func isDue(_ partition: Partition, at now: Timestamp) -> Bool {
        guard let plan = plans[Int(partition.number)], plan.news > 0 else { return false }
        return isLeaving ? !plan.isParted : plan.due <= now
    }

    private func dueTime(_ partition: Partition) -> Timestamp {
        plans[Int(partition.number)]?.due ?? .distantFuture
    }
}
