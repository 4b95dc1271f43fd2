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

extension Ownership {
    /// Records of a partition that no checkpoint includes.
    struct Waiting {
        /// Sequence of the newest checkpoint then.
        var checkpoint: UInt64
        /// Since when there are records after it.
        var since: Timestamp
        /// Since when the partition has no owner.
        var unowned: Timestamp?
    }

    /// Updates which partitions have records that no checkpoint includes.
    func updateWaiting() throws {
        let newest = try checkpoints.newest()
        let unowned = Set(coordinator.unowned)
        for partition in Partition.all {
            let checkpoint = newest[partition] ?? 0
            guard host.position(of: .input(partition))?.sequence ?? 0 > checkpoint else {
                waiting[partition] = nil
                continue
            }
            var found = Waiting(checkpoint: checkpoint, since: host.now)
            if let known = waiting[partition] {
                if known.checkpoint == checkpoint { found.since = known.since }
                found.unowned = known.unowned
            }
            found.unowned = unowned.contains(partition) ? found.unowned ?? host.now : nil
            waiting[partition] = found
        }
    }

    /// Partitions that need attention, and why.
    var unhealthy: [Partition: UnhealthyPartition] {
        guard !waiting.isEmpty else { return [:] }
        var found: [Partition: UnhealthyPartition] = [:]
        for assignment in coordinator.assignmentViews {
            found[assignment.partition] = waiting[assignment.partition].flatMap {
                unhealthyPartition(of: assignment, $0)
            }
        }
        return found
    }

    private func unhealthyPartition(of assignment: AssignmentView, _ waiting: Waiting)
        -> UnhealthyPartition?
    {
        func isOver(_ seconds: Int64, since: Timestamp?) -> Bool {
            since.map { host.now - $0 > .seconds(seconds) } ?? false
        }
        if isOver(Limits.unownedSeconds, since: waiting.unowned) { return .unowned }
        if assignment.owner != nil, assignment.state != .live,
            isOver(Limits.restoringSeconds, since: assignment.since)
        {
            return .restoring
        }
        if progress.idle(for: Limits.idleUnhealthySeconds, at: host.now).contains(
            assignment.partition)
        {
            return .idle
        }
        if isOver(Limits.uncheckpointedSeconds, since: waiting.since) { return .uncheckpointed }
        return nil
    }

    /// A sentence for each reason and each member concerned.
    func sentences(about unhealthy: [Partition: UnhealthyPartition]) -> [String] {
        let assignments = coordinator.assignmentViews
        let causes = unhealthy.map { partition, unhealthyPartition in
            (
                partition,
                Cause(
                    unhealthyPartition: unhealthyPartition,
                    text: text(of: unhealthyPartition, assignments[partition]))
            )
        }
        return Dictionary(grouping: causes, by: \.1).mapValues { $0.map(\.0).sorted() }
            .sorted { $0.value[0] < $1.value[0] }
            .map { cause, partitions in sentence(Ownership.list(partitions), cause) }
    }

    /// A cause that several partitions may share.
    private struct Cause: Hashable {
        var unhealthyPartition: UnhealthyPartition
        /// The member concerned, or what happened.
        var text: String
    }

    private func sentence(_ partitions: String, _ cause: Cause) -> String {
        switch cause.unhealthyPartition {
        case .unowned:
            "\(partitions) without owner and with records to evaluate: \(cause.text)"
        case .restoring:
            "\(cause.text) has been restoring \(partitions) for more than "
                + "\(Limits.restoringSeconds) s: see its log; restart it if it hangs; if it is "
                + "busy, start another evaluator"
        case .idle:
            "\(cause.text) has evaluated nothing of \(partitions) for more than "
                + "\(Limits.idleUnhealthySeconds) s although records wait: see its log"
        case .uncheckpointed:
            "no checkpoint of \(partitions) for \(Limits.uncheckpointedSeconds / 60) min, so "
                + "its log cannot be pruned: \(cause.text)"
        }
    }

    private func text(of unhealthyPartition: UnhealthyPartition, _ assignment: AssignmentView?)
        -> String
    {
        let owner = assignment?.owner.map { "evaluator \($0.text.prefix(6))…" } ?? "nobody"
        switch unhealthyPartition {
        case .unowned: return assignment.map { reasonForNobody($0.partition) } ?? ""
        case .restoring, .idle: return owner
        case .uncheckpointed:
            let rejection = assignment.flatMap { rejections[$0.partition] }.map {
                "the last was rejected: \($0.explanation)"
            }
            return "\(rejection ?? "none came"); see the log of \(owner)"
        }
    }

    private func reasonForNobody(_ partition: Partition) -> String {
        let failed = coordinator.failed(at: partition)
        if coordinator.memberIDs.isEmpty { return "no evaluator is running; start one" }
        guard !failed.isEmpty else { return "no running evaluator can run its logic" }
        let names = failed.map { "\($0.text.prefix(6))…" }.joined(separator: ", ")
        return "evaluator \(names) gave it up and tries again within "
            + "\(Limits.failedSeconds / 60) min; its log says why, and what to do "
            + "docs/ingest.md"
    }

    static func list(_ partitions: [Partition]) -> String {
        let shown = partitions.prefix(8).map(\.description).joined(separator: ", ")
        let noun = partitions.count == 1 ? "partition" : "partitions"
        return partitions.count > 8
            ? "\(partitions.count) \(noun) (\(shown), …)" : "\(noun) \(shown)"
    }
}

extension [AssignmentView] {
    fileprivate subscript(partition: Partition) -> AssignmentView? {
        first { $0.partition == partition }
    }
}
