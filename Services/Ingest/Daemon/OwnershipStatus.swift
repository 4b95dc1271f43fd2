import IngestCore
import Model
import Parsing
import Runtime
import Wire

/// Totals since the start.
struct OwnershipCounts {
    var checkpoints = 0
    /// By reason.
    var checkpointsRefused: [String: Int] = [:]
    var stateConflicts = 0
    var revocations: [Coordinator.Revocation: Int] = [:]
    /// Requests about ownership beyond the bounds.
    var requestsDropped = 0
}

// What is to be seen of owners and checkpoints.
extension Ownership {
    var troubles: [String] {
        var found = sentences(about: neglected.filter { !$0.value.isHarmless })
        for (partition, sequence) in conflicts.sorted(by: { $0.key < $1.key }) {
            found.append(
                "in/\(partition): two evaluators computed different states at record \(sequence)")
        }
        for view in coordinator.memberViews where !view.isFit {
            found.append(
                "evaluator \(view.member.text.prefix(6))… knows logic "
                    + "\(view.logic.lowerBound) to \(view.logic.upperBound), "
                    + "the logs go by \(coordinator.logic): it gets no partition")
        }
        return found
    }

    /// What keeps nobody from being told, and is to be looked at.
    var alarms: [String] {
        sentences(about: neglected.filter(\.value.isHarmless)) + revocationSentences
    }

    /// Members, seats, moves and checkpoints, for `GET /v1/status/ingest`.
    var statusMembers: [JSON.Member] {
        let seats = coordinator.seatViews
        let kept = (try? checkpoints.all()) ?? [:]
        return [
            .init("logic", .integer(Int64(coordinator.logic))),
            .init("members", .array(coordinator.memberViews.map { json($0, seats) })),
            .init("moves", .integer(Int64(seats.filter { $0.successor != nil }.count))),
            .init(
                "partitions",
                .array(seats.map { json($0, kept[$0.partition] ?? []) })),
        ]
    }

    private func json(_ view: MemberView, _ seats: [SeatView]) -> JSON {
        let held = seats.filter { $0.owner == view.member }
        return [
            "member": .string(view.member.text),
            "logic": [
                "lowest": .integer(Int64(view.logic.lowerBound)),
                "highest": .integer(Int64(view.logic.upperBound)),
            ],
            "fit": .bool(view.isFit),
            "partitions": .array(held.map { .integer(Int64($0.partition.number)) }),
            "live": .integer(Int64(held.filter { $0.state == .live }.count)),
            "heard": .string(view.heard.description),
        ]
    }

    private func json(_ seat: SeatView, _ kept: [KeptCheckpoint]) -> JSON {
        .object([
            .init("partition", .integer(Int64(seat.partition.number))),
            .init("owner", seat.owner.map { .string($0.text) } ?? .null),
            .init("epoch", seat.epoch.map { .integer(Int64(clamping: $0)) } ?? .null),
            .init("state", .string(seat.text)),
            .init("successor", seat.successor.map { .string($0.text) } ?? .null),
            .init("checkpoints", .array(kept.map(json))),
        ])
    }

    private func json(_ kept: KeptCheckpoint) -> JSON {
        [
            "sequence": .integer(Int64(clamping: kept.row.sequence)),
            "received": .string(kept.row.received.description),
            "ageSeconds": .integer((outside.now - kept.row.received).components.seconds),
            "proven": .bool(kept.row.isProven),
            "bytes": .integer(Int64(kept.size)),
            "stateHash": .string(CheckpointRules.text(of: kept.row.stateHash)),
        ]
    }

    func write(to metrics: Metrics) {
        let seats = coordinator.seatViews
        metrics.gauge("jaga_ingest_members", "Evaluators that are there.")
            .set(Double(coordinator.memberIDs.count))
        metrics.gauge("jaga_ingest_partitions_unowned", "Partitions that no evaluator has.")
            .set(Double(coordinator.unowned.count))
        let neglected = metrics.gauge(
            "jaga_ingest_partitions_neglected",
            "Partitions with records that are not evaluated, or not in a checkpoint, for too long.",
            "reason")
        let reasons = self.neglected.values
        for reason in Neglect.allCases {
            neglected.set(Double(reasons.count { $0 == reason }), reason.rawValue)
        }
        metrics.gauge("jaga_ingest_partitions_moving", "Partitions that wait for a new owner.")
            .set(Double(seats.filter { $0.successor != nil }.count))
        metrics.counter("jaga_ingest_moves_total", "Moves of partitions begun.")
            .set(Double(coordinator.moves))
        let revocations = metrics.counter(
            "jaga_ingest_members_revoked_total", "Evaluators that lost their partitions.", "cause")
        for cause in Coordinator.Revocation.allCases {
            revocations.set(Double(counts.revocations[cause] ?? 0), cause.rawValue)
        }
        metrics.counter(
            "jaga_ingest_ownership_requests_dropped_total",
            "Requests of evaluators about partitions beyond what one may ask."
        ).set(Double(counts.requestsDropped))
        metrics.counter("jaga_ingest_checkpoints_total", "Checkpoints of partitions kept.")
            .set(Double(counts.checkpoints))
        let refused = metrics.counter(
            "jaga_ingest_checkpoints_refused_total", "Checkpoints not kept.", "reason")
        for (reason, count) in counts.checkpointsRefused { refused.set(Double(count), reason) }
        metrics.counter(
            "jaga_ingest_state_conflicts_total", "Checkpoints with another state than one kept."
        ).set(Double(counts.stateConflicts))
    }
}

extension SeatView {
    /// `unowned`, `assigned`, `restoring` or `live`.
    var text: String {
        guard owner != nil else { return "unowned" }
        switch state {
        case nil: return "assigned"
        case .restoring: return "restoring"
        case .live: return "live"
        // Who has failed owns it no longer.
        case .failed: return "unowned"
        }
    }
}
