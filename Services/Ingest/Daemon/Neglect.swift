import IngestCore
import Model

/// Why records of a partition wait for longer than they should.
enum Neglect: String, CaseIterable {
    /// Nobody has the partition.
    case unowned
    /// Who has it reads it, and comes to no end.
    case restoring
    /// Who has it is live, and evaluates nothing.
    case idle
    /// Nobody sends a checkpoint that can be kept.
    case uncheckpointed

    /// All is decided and told in time; it is the log that grows.
    var isHarmless: Bool { self == .uncheckpointed }
}

extension Ownership {
    /// Since when something waits.
    struct Waiting {
        /// Where the newest checkpoint was then.
        var checkpoint: UInt64
        /// Since when there are records after it.
        var since: Timestamp
        /// Since when nobody has the partition.
        var unowned: Timestamp?
    }

    /// Looks at which partitions have records that no checkpoint includes.
    func noteWaiting() throws {
        let newest = try checkpoints.newest()
        let unowned = Set(coordinator.unowned)
        for partition in Partition.all {
            let checkpoint = newest[partition] ?? 0
            guard outside.position(of: .input(partition))?.sequence ?? 0 > checkpoint else {
                waiting[partition] = nil
                continue
            }
            var found = Waiting(checkpoint: checkpoint, since: outside.now)
            if let known = waiting[partition] {
                if known.checkpoint == checkpoint { found.since = known.since }
                found.unowned = known.unowned
            }
            found.unowned = unowned.contains(partition) ? found.unowned ?? outside.now : nil
            waiting[partition] = found
        }
    }

    /// Partitions of which somebody should know, and why.
    var neglected: [Partition: Neglect] {
        guard !waiting.isEmpty else { return [:] }
        var found: [Partition: Neglect] = [:]
        for seat in coordinator.seatViews {
            found[seat.partition] = waiting[seat.partition].flatMap { neglect(of: seat, $0) }
        }
        return found
    }

    private func neglect(of seat: SeatView, _ waiting: Waiting) -> Neglect? {
        func isOver(_ seconds: Int64, since: Timestamp?) -> Bool {
            since.map { outside.now - $0 > .seconds(seconds) } ?? false
        }
        if isOver(Limits.unownedSeconds, since: waiting.unowned) { return .unowned }
        if seat.owner != nil, seat.state != .live,
            isOver(Limits.restoringSeconds, since: seat.since)
        {
            return .restoring
        }
        if progress.idle(for: Limits.idleUnhealthySeconds, at: outside.now).contains(
            seat.partition)
        {
            return .idle
        }
        if isOver(Limits.uncheckpointedSeconds, since: waiting.since) { return .uncheckpointed }
        return nil
    }

    /// A sentence for each reason and each who is to be looked at.
    func sentences(about neglected: [Partition: Neglect]) -> [String] {
        let seats = coordinator.seatViews
        let causes = neglected.map { partition, neglect in
            (partition, Cause(neglect: neglect, text: text(of: neglect, seats[partition])))
        }
        return Dictionary(grouping: causes, by: \.1).mapValues { $0.map(\.0).sorted() }
            .sorted { $0.value[0] < $1.value[0] }
            .map { cause, partitions in sentence(Ownership.list(partitions), cause) }
    }

    /// What several partitions may have in common.
    private struct Cause: Hashable {
        var neglect: Neglect
        /// Who is to be looked at, or what happened.
        var text: String
    }

    private func sentence(_ partitions: String, _ cause: Cause) -> String {
        switch cause.neglect {
        case .unowned:
            "nobody evaluates \(partitions), and there are records to evaluate: \(cause.text)"
        case .restoring:
            "\(cause.text) has been reading \(partitions) for more than "
                + "\(Limits.restoringSeconds) s: see its log; if it hangs, restart it; if it is "
                + "busy, start one more"
        case .idle:
            "\(cause.text) has evaluated nothing of \(partitions) for more than "
                + "\(Limits.idleUnhealthySeconds) s, and there are records to evaluate: see its log"
        case .uncheckpointed:
            "no checkpoint of \(partitions) for \(Limits.uncheckpointedSeconds / 60) min, so "
                + "nothing there can be pruned: \(cause.text)"
        }
    }

    private func text(of neglect: Neglect, _ seat: SeatView?) -> String {
        let owner = seat?.owner.map { "evaluator \($0.text.prefix(6))…" } ?? "nobody"
        switch neglect {
        case .unowned: return seat.map { reasonForNobody($0.partition) } ?? ""
        case .restoring, .idle: return owner
        case .uncheckpointed:
            let refusal = seat.flatMap { refusals[$0.partition] }.map {
                "the last was refused: \($0.explanation)"
            }
            return "\(refusal ?? "none came"); see the log of \(owner)"
        }
    }

    private func reasonForNobody(_ partition: Partition) -> String {
        let failed = coordinator.failed(at: partition)
        if coordinator.memberIDs.isEmpty { return "no evaluator is there; start one" }
        guard !failed.isEmpty else { return "no evaluator that is there can run its logic" }
        let names = failed.map { "\($0.text.prefix(6))…" }.joined(separator: ", ")
        return "evaluator \(names) gave it up and tries again within "
            + "\(Limits.failedSeconds / 60) min; its log says why, and what to do "
            + "Services/Ingest/README.md"
    }

    static func list(_ partitions: [Partition]) -> String {
        let shown = partitions.prefix(8).map(\.description).joined(separator: ", ")
        let noun = partitions.count == 1 ? "partition" : "partitions"
        return partitions.count > 8
            ? "\(partitions.count) \(noun) (\(shown), …)" : "\(noun) \(shown)"
    }
}

extension [SeatView] {
    fileprivate subscript(partition: Partition) -> SeatView? {
        first { $0.partition == partition }
    }
}
