import IngestCore
import Model
import Parsing
import Runtime
import Wire

/// What the operator is shown about owners and checkpoints.
struct OwnershipStatus {
    let ownership: Ownership

    private var host: any IngestHost { ownership.host }
    private var coordinator: Coordinator { ownership.coordinator }
    private var checkpoints: CheckpointIntake { ownership.checkpoints }

    private var unhealthy: [Partition: UnhealthyPartition] {
        ownership.waiting.unhealthy(
            coordinator.assignmentViews, ownership.progress, at: host.now)
    }

    var healthProblems: [String] {
        var found = sentences(about: unhealthy.filter { !$0.value.isHarmless })
        for (partition, sequence) in checkpoints.conflicts.sorted(by: { $0.key < $1.key }) {
            found.append(
                "in/\(partition): two evaluators computed different states at record \(sequence)")
        }
        for view in coordinator.memberViews where !view.isFit {
            found.append(
                "evaluator \(view.member.text.prefix(6))… knows logic "
                    + "\(view.logic.lowerBound) to \(view.logic.upperBound), "
                    + "the logs need \(coordinator.logic): it gets no partition")
        }
        return found
    }

    /// Problems that delay nothing but need attention.
    var alarms: [String] {
        sentences(about: unhealthy.filter(\.value.isHarmless)) + revocationSentences
    }

    /// Members, assignments, moves and checkpoints for `GET /v1/status/ingest`.
    var statusMembers: [JSON.Member] {
        let assignments = coordinator.assignmentViews
        let kept = (try? checkpoints.table.all()) ?? [:]
        return [
            .init("logic", .integer(Int64(coordinator.logic))),
            .init("members", .array(coordinator.memberViews.map { json($0, assignments) })),
            .init("moves", .integer(Int64(assignments.filter { $0.successor != nil }.count))),
            .init(
                "partitions",
                .array(assignments.map { json($0, kept[$0.partition] ?? []) })),
        ]
    }

    private func json(_ view: MemberView, _ assignments: [AssignmentView]) -> JSON {
        let held = assignments.filter { $0.owner == view.member }
        return [
            "member": .string(view.member.text),
            "logic": [
                "lowest": .integer(Int64(view.logic.lowerBound)),
                "highest": .integer(Int64(view.logic.upperBound)),
            ],
            "fit": .bool(view.isFit),
            "partitions": .array(held.map { .integer(Int64($0.partition.number)) }),
            "live": .integer(Int64(held.filter { $0.state == .live }.count)),
            "lastSeen": .string(view.seen.description),
        ]
    }

    private func json(_ assignment: AssignmentView, _ kept: [StoredCheckpoint]) -> JSON {
        .object([
            .init("partition", .integer(Int64(assignment.partition.number))),
            .init("owner", assignment.owner.map { .string($0.text) } ?? .null),
            .init("epoch", assignment.epoch.map { .integer(Int64(clamping: $0)) } ?? .null),
            .init("state", .string(assignment.text)),
            .init("successor", assignment.successor.map { .string($0.text) } ?? .null),
            .init("checkpoints", .array(kept.map(json))),
        ])
    }

    private func json(_ kept: StoredCheckpoint) -> JSON {
        [
            "sequence": .integer(Int64(clamping: kept.row.sequence)),
            "received": .string(kept.row.received.description),
            "ageSeconds": .integer((host.now - kept.row.received).components.seconds),
            "proven": .bool(kept.row.isProven),
            "bytes": .integer(Int64(kept.size)),
            "stateHash": .string(CheckpointRules.text(of: kept.row.stateHash)),
        ]
    }

    func write(to metrics: Metrics) {
        let assignments = coordinator.assignmentViews
        metrics.gauge("jaga_ingest_members", "Evaluators that are members.")
            .set(Double(coordinator.memberIDs.count))
        metrics.gauge("jaga_ingest_partitions_unowned", "Partitions without owner.")
            .set(Double(coordinator.unowned.count))
        let unhealthy = metrics.gauge(
            "jaga_ingest_partitions_unhealthy",
            "Partitions with records that are not evaluated, or not in a checkpoint, for too long.",
            "reason")
        let reasons = self.unhealthy.values
        for reason in UnhealthyPartition.allCases {
            unhealthy.set(Double(reasons.count { $0 == reason }), reason.rawValue)
        }
        metrics.gauge("jaga_ingest_partitions_moving", "Partitions that are moving to a new owner.")
            .set(Double(assignments.filter { $0.successor != nil }.count))
        metrics.counter("jaga_ingest_moves_total", "Moves of partitions started.")
            .set(Double(coordinator.moves))
        let revocations = metrics.counter(
            "jaga_ingest_members_revoked_total", "Evaluators that lost their partitions.", "cause")
        for cause in Coordinator.Revocation.allCases {
            revocations.set(Double(ownership.revocations[cause] ?? 0), cause.rawValue)
        }
        metrics.counter(
            "jaga_ingest_ownership_requests_dropped_total",
            "Ownership requests of evaluators beyond the limits."
        ).set(Double(ownership.requestsDropped))
        metrics.counter("jaga_ingest_checkpoints_total", "Checkpoints of partitions stored.")
            .set(Double(checkpoints.stored))
        let refused = metrics.counter(
            "jaga_ingest_checkpoints_rejected_total", "Rejected checkpoints, by reason.", "reason")
        for (reason, count) in checkpoints.rejected { refused.set(Double(count), reason) }
        metrics.counter(
            "jaga_ingest_state_conflicts_total",
            "Checkpoints whose state conflicts with a stored one."
        ).set(Double(checkpoints.stateConflicts))
    }

    // MARK: Sentences

    /// A sentence for each reason and each member concerned.
    private func sentences(about unhealthy: [Partition: UnhealthyPartition]) -> [String] {
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
            .map { cause, partitions in sentence(partitions.listed, cause) }
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
            let rejection = assignment.flatMap { checkpoints.rejections[$0.partition] }.map {
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

    /// A sentence for each recently revoked member.
    private var revocationSentences: [String] {
        ownership.revoked.sorted { $0.key < $1.key }.map { member, found in
            "evaluator \(member.text.prefix(6))… was revoked at \(found.at): it \(found.reason); "
                + "see its log, and replace the evaluators' key if it is not yours"
        }
    }
}

extension AssignmentView {
    /// `unowned`, `assigned`, `restoring` or `live`.
    var text: String {
        guard owner != nil else { return "unowned" }
        switch state {
        case nil: return "assigned"
        case .restoring: return "restoring"
        case .live: return "live"
        // A member that failed is no longer the owner.
        case .failed: return "unowned"
        }
    }
}

extension [AssignmentView] {
    fileprivate subscript(partition: Partition) -> AssignmentView? {
        first { $0.partition == partition }
    }
}
