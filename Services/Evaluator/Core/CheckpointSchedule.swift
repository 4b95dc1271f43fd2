import Model

/// Decides when to send which partition's checkpoint.
///
/// One checkpoint is in flight at a time. A partition is due once the interval has passed and it
/// has new records. While draining, every partition with new records is due once, immediately.
public struct CheckpointSchedule: Sendable {
    private struct Plan: Sendable {
        /// Earliest time: the interval after the last checkpoint or the assignment.
        var due: Timestamp
        /// Applied records that no stored checkpoint contains.
        var pendingRecords: UInt64 = 0
        /// How many of them the checkpoint in flight contains.
        var sentRecords: UInt64 = 0
        /// Whether it was sent while draining; it is not sent twice.
        var isSentOnDrain = false
    }

    private let interval: Duration
    private var plans: [Plan?] = Partition.all.map { _ in nil }
    private var isDraining = false
    /// The partition whose checkpoint was sent and is not answered yet.
    public private(set) var inFlight: Partition?

    public init(interval: Duration) { self.interval = interval }

    /// Adds a partition without new records.
    public mutating func assign(_ partition: Partition, at now: Timestamp) {
        revoke(partition)
        plans[Int(partition.number)] = Plan(due: now + interval)
    }

    /// Removes a partition that is no longer owned.
    public mutating func revoke(_ partition: Partition) {
        plans[Int(partition.number)] = nil
        if inFlight == partition { inFlight = nil }
    }

    /// Counts an applied record of a partition.
    public mutating func recordApplied(_ partition: Partition) {
        plans[Int(partition.number)]?.pendingRecords += 1
    }

    /// Makes every partition with new records due, regardless of its last checkpoint.
    public mutating func beginDrain() { isDraining = true }

    /// The partition whose checkpoint is to be sent now: of those that are due and ready, the one
    /// that has waited longest.
    ///
    /// - Parameter isReady: whether a partition's state matches a position in its log and all its
    ///   outputs are stored.
    public func next(at now: Timestamp, isReady: (Partition) -> Bool) -> Partition? {
        guard inFlight == nil else { return nil }
        let due = Partition.all.filter { isDue($0, at: now) && isReady($0) }
        return due.min { dueTime($0) < dueTime($1) }
    }

    /// Records that a partition's checkpoint was sent.
    public mutating func recordSent(_ partition: Partition) {
        guard let pendingRecords = plans[Int(partition.number)]?.pendingRecords else { return }
        inFlight = partition
        plans[Int(partition.number)]?.sentRecords = pendingRecords
        plans[Int(partition.number)]?.isSentOnDrain = isDraining
    }

    /// Handles the answer to the checkpoint in flight. A rejected one is retried after the
    /// interval.
    public mutating func recordAnswer(_ partition: Partition, isStored: Bool, at now: Timestamp) {
        guard inFlight == partition, var plan = plans[Int(partition.number)] else { return }
        inFlight = nil
        plan.due = now + interval
        if isStored { plan.pendingRecords -= plan.sentRecords }
        plans[Int(partition.number)] = plan
    }

    /// Whether all checkpoints were sent and answered while draining.
    public var hasDrained: Bool {
        isDraining && inFlight == nil
            && !Partition.all.contains { isDue($0, at: .distantFuture) }
    }

    private func isDue(_ partition: Partition, at now: Timestamp) -> Bool {
        guard let plan = plans[Int(partition.number)], plan.pendingRecords > 0 else { return false }
        return isDraining ? !plan.isSentOnDrain : plan.due <= now
    }

    private func dueTime(_ partition: Partition) -> Timestamp {
        plans[Int(partition.number)]?.due ?? .distantFuture
    }
}
