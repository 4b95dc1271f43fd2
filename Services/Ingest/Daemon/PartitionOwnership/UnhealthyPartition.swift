import IngestCore
import Model

/// Why records of a partition wait for too long.
enum UnhealthyPartition: String, CaseIterable {
    /// It has no owner.
    case unowned
    /// Its owner keeps restoring it.
    case restoring
    /// Its owner is live but evaluates nothing.
    case idle
    /// No checkpoint of it was accepted.
    case uncheckpointed

    /// Whether only the log grows, while everything is evaluated in time.
    var isHarmless: Bool { self == .uncheckpointed }
}

/// Partitions with records that no checkpoint includes.
struct WaitingPartitions {
    private struct Waiting {
        /// Sequence of the newest checkpoint then.
        var checkpoint: UInt64
        /// Since when there are records after it.
        var since: Timestamp
        /// Since when the partition has no owner.
        var unowned: Timestamp?
    }

    private var waiting: [Partition: Waiting] = [:]

    /// - Parameters:
    ///   - newest: sequence of the newest checkpoint of each partition
    ///   - unowned: partitions without owner
    ///   - head: the last record of a partition's log
    mutating func update(
        newest: [Partition: UInt64], unowned: Set<Partition>, head: (Partition) -> UInt64,
        at now: Timestamp
    ) {
        for partition in Partition.all {
            let checkpoint = newest[partition] ?? 0
            guard head(partition) > checkpoint else {
                waiting[partition] = nil
                continue
            }
            var found = Waiting(checkpoint: checkpoint, since: now)
            if let known = waiting[partition] {
                if known.checkpoint == checkpoint { found.since = known.since }
                found.unowned = known.unowned
            }
            found.unowned = unowned.contains(partition) ? found.unowned ?? now : nil
            waiting[partition] = found
        }
    }

    /// Partitions that need attention, and why.
    func unhealthy(
        _ assignments: [AssignmentView], _ progress: EvaluationProgress, at now: Timestamp
    ) -> [Partition: UnhealthyPartition] {
        guard !waiting.isEmpty else { return [:] }
        let idle = progress.idle(for: Limits.idleUnhealthySeconds, at: now)
        var found: [Partition: UnhealthyPartition] = [:]
        for assignment in assignments {
            let partition = assignment.partition
            found[partition] = waiting[partition].flatMap {
                reason(for: assignment, $0, isIdle: idle.contains(partition), at: now)
            }
        }
        return found
    }

    private func reason(
        for assignment: AssignmentView, _ waiting: Waiting, isIdle: Bool, at now: Timestamp
    ) -> UnhealthyPartition? {
        func isOver(_ seconds: Int64, since: Timestamp?) -> Bool {
            since.map { now - $0 > .seconds(seconds) } ?? false
        }
        if isOver(Limits.unownedSeconds, since: waiting.unowned) { return .unowned }
        if assignment.owner != nil, assignment.state != .live,
            isOver(Limits.restoringSeconds, since: assignment.since)
        {
            return .restoring
        }
        if isIdle { return .idle }
        if isOver(Limits.uncheckpointedSeconds, since: waiting.since) { return .uncheckpointed }
        return nil
    }
}

extension [Partition] {
    /// The partitions in words, at most eight of them by number.
    var listed: String {
        let shown = prefix(8).map(\.description).joined(separator: ", ")
        let noun = count == 1 ? "partition" : "partitions"
        return count > 8 ? "\(count) \(noun) (\(shown), …)" : "\(noun) \(shown)"
    }
}
