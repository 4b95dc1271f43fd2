import Bus
import Hashing
import Hosting
import IngestCore
import Model
import Runtime
import Store
import Wire

/// Accepts checkpoints of evaluators, and gives them to new owners of partitions.
final class CheckpointIntake {
    let table: StoredCheckpoints
    let configuration: ConfiguredVersions
    private let host: any IngestHost
    /// Stored since the start.
    private(set) var stored = 0
    /// Rejected since the start, by reason.
    private(set) var rejected: [String: Int] = [:]
    private(set) var stateConflicts = 0
    /// Sequences with two different states.
    private(set) var conflicts: [Partition: UInt64] = [:]
    /// Why the last checkpoint of a partition was rejected, until one is stored.
    private(set) var rejections: [Partition: CheckpointRejection] = [:]
    /// Checkpoints given to owners whose outcome is not known yet.
    private var handedOut: [Partition: Set<UInt64>] = [:]
    /// The checkpoint that was given out last.
    private var lastHandedOut: [Partition: UInt64] = [:]
    /// Checkpoints with which an owner failed, and when.
    private var failed: [Partition: [UInt64: Timestamp]] = [:]
    private var readers: [ID128: (reader: CheckpointReader, seen: Timestamp)] = [:]

    init(host: any IngestHost, database: Database) {
        self.host = host
        table = StoredCheckpoints(database: database)
        configuration = ConfiguredVersions(database: database)
    }

    /// Drops pieces of checkpoints that were not continued.
    func tick() {
        readers = readers.filter { host.now - $0.value.seen <= .seconds(Limits.pieceSeconds) }
    }

    /// Handles a piece of a checkpoint. The first piece tells whether the whole would be stored.
    ///
    /// - Returns: nil = no response; the piece is sent again
    func receive(
        _ piece: CheckpointPiece, _ coordinator: Coordinator
    ) throws -> CheckpointVerdict? {
        let head = Checkpoint(
            partition: piece.partition, input: piece.input, output: piece.output,
            logic: piece.logic, stateHash: piece.stateHash, state: [])
        guard coordinator.hasAssignment(piece.member, at: piece.partition) else {
            // While the coordinator settles, the member may still claim the partition.
            return coordinator.isSettled ? reject(head, .stranger) : nil
        }
        if piece.offset == 0 {
            switch try decide(on: head) {
            case .keep: break
            case .known: return .stored
            case .reject(let rejection): return reject(head, rejection)
            }
        }
        guard makeRoom(for: piece) else { return nil }
        var reader = readers[piece.member]?.reader ?? CheckpointReader()
        let step = reader.receive(piece)
        readers[piece.member] = (reader, host.now)
        switch step {
        case .more(let next): return .more(next: next)
        case .rejected(let reason):
            rejected["digest", default: 0] += 1
            return .rejected(reason)
        case .whole(let checkpoint):
            readers[piece.member] = nil
            guard Hash.state(checkpoint.state) == checkpoint.stateHash else {
                return reject(checkpoint, .stateHash)
            }
            return try store(checkpoint)
        }
    }

    /// Drops the pieces of the senders with the oldest contact while there are too many of others.
    /// Returns false if all senders are active: two would otherwise displace each other for ever.
    private func makeRoom(for piece: CheckpointPiece) -> Bool {
        while true {
            let others = readers.filter { $0.key != piece.member }
            let bytes = others.reduce(0) { $0 + $1.value.reader.byteCount }
            guard bytes + Int(piece.offset) + piece.bytes.count > Limits.pieceBytesMax,
                let longest = others.min(by: {
                    ($0.value.seen, $0.key) < ($1.value.seen, $1.key)
                })
            else { return true }
            guard host.now - longest.value.seen > .seconds(Limits.pieceContactSeconds) else {
                return false
            }
            readers[longest.key] = nil
        }
    }

    private func store(_ checkpoint: Checkpoint) throws -> CheckpointVerdict {
        switch try decide(on: checkpoint) {
        case .keep:
            try table.keep(checkpoint, at: host.now)
            let kept = try table.of(checkpoint.partition).map(\.row.sequence)
            if let oldest = kept.first {
                try configuration.forget(in: checkpoint.partition, before: oldest)
                if let place = conflicts[checkpoint.partition], place < oldest {
                    conflicts[checkpoint.partition] = nil
                }
            }
            stored += 1
            rejections[checkpoint.partition] = nil
            return .stored
        case .known: return .stored
        case .reject(let rejection): return reject(checkpoint, rejection)
        }
    }

    private func decide(on checkpoint: Checkpoint) throws -> CheckpointDecision {
        let partition = checkpoint.partition
        // If the input is not in the log, nothing else is checked.
        let isInput = try host.isOnChain(checkpoint.input, of: .input(partition))
        return CheckpointRules.decide(
            on: checkpoint, kept: try table.of(partition).map(\.row), isInput: isInput,
            isOutput: try host.isOnChain(checkpoint.output, of: .events(partition)),
            logic: isInput
                ? try configuration.logic(of: partition, asOf: checkpoint.input.sequence) : nil)
    }

    private func reject(
        _ checkpoint: Checkpoint, _ rejection: CheckpointRejection
    ) -> CheckpointVerdict {
        rejected[rejection.rawValue, default: 0] += 1
        if rejection != .stranger { rejections[checkpoint.partition] = rejection }
        if rejection == .otherState { alarm(checkpoint) }
        return .rejected(rejection.explanation)
    }

    /// Reports that two evaluators computed different states from the same records: one of them is
    /// wrong.
    private func alarm(_ checkpoint: Checkpoint) {
        stateConflicts += 1
        conflicts[checkpoint.partition] = checkpoint.input.sequence
        host.log.error(
            "evaluator states conflict",
            [
                "partition": checkpoint.partition, "sequence": checkpoint.input.sequence,
                "state_hash": CheckpointRules.text(of: checkpoint.stateHash),
            ])
    }

    // MARK: Outcomes of checkpoints

    /// Proves the checkpoint from which a member caught up, if only one was given out since the
    /// last outcome.
    func recordCaughtUp(_ partition: Partition) throws {
        let begun = handedOut.removeValue(forKey: partition) ?? []
        guard begun.count == 1, let sequence = begun.first else { return }
        try table.prove(sequence, of: partition)
        failed[partition]?[sequence] = nil
    }

    /// Records that a member gave a partition up. The next attempt starts from another checkpoint,
    /// if there is one, possibly by the same member.
    ///
    /// - Returns: whether there is another one
    func recordFailure(of partition: Partition) throws -> Bool {
        host.log.error(
            "partition given up",
            [
                "partition": partition,
                "hint": "its log says why; see docs/ingest.md",
            ])
        handedOut[partition] = nil
        guard let sequence = lastHandedOut.removeValue(forKey: partition) else { return false }
        failed[partition, default: [:]][sequence] = host.now
        let kept = try table.of(partition).map(\.row.sequence)
        let known = failures(of: partition)
        return kept.contains { !known.contains($0) }
    }

    /// Checkpoints that failed recently.
    private func failures(of partition: Partition) -> Set<UInt64> {
        let limit = Duration.seconds(Limits.failedSeconds)
        failed[partition] = failed[partition]?.filter { host.now - $0.value < limit }
        return Set((failed[partition] ?? [:]).keys)
    }

    // MARK: Snapshots for new owners

    /// A checkpoint with the configuration as of it; without a checkpoint there are no rows, and
    /// the log is read from its first record.
    func snapshot(of partition: Partition) throws -> StreamSnapshot {
        guard let end = host.position(of: .input(partition)),
            let outputs = host.position(of: .events(partition))
        else { return StreamSnapshot([]) }
        let kept = try table.of(partition).filter { checkpoint in
            try host.isOnChain(checkpoint.input(in: end.incarnation), of: .input(partition))
        }
        guard
            let (begin, audit) = CheckpointRules.choose(
                from: kept.map(\.row), failed: failures(of: partition)),
            let chosen = kept.first(where: { $0.row == begin })
        else { return StreamSnapshot([], at: .start(of: end.incarnation)) }
        handedOut[partition, default: []].insert(begin.sequence)
        lastHandedOut[partition] = begin.sequence
        let newer = kept.first { $0.row == audit }
        let snapshot = PartitionSnapshot(
            configuration: try configuration.configuration(of: partition, asOf: begin.sequence),
            head: PartitionSnapshot.Head(
                output: chosen.output(in: outputs.incarnation), logic: chosen.logic,
                stateHash: begin.stateHash),
            state: try table.state(of: chosen),
            audit: newer.map {
                PartitionSnapshot.Audit(
                    input: $0.input(in: end.incarnation), stateHash: $0.row.stateHash)
            })
        return StreamSnapshot(snapshot.records, at: chosen.input(in: end.incarnation))
    }

    /// Sequence of the oldest checkpoint: new owners need no records before it. Nil while there are
    /// fewer than two.
    func pruneFloor(of partition: Partition) throws -> UInt64? {
        let kept = try table.of(partition)
        return kept.count < Limits.checkpointsKept ? nil : kept.first?.row.sequence
    }
}
