import Bus
import Hashing
import Hosting
import IngestCore
import Model
import Runtime
import Store
import Wire

/// Manages owners and checkpoints of partitions: passes requests of evaluators to the
/// ``Coordinator`` and stores their checkpoints.
///
/// Members are not stored: they report again each second.
final class Ownership {
    let host: any IngestHost
    let configuration: ConfiguredVersions
    let checkpoints: StoredCheckpoints
    var coordinator: Coordinator
    private let logicNewest: UInt16
    var counts = OwnershipCounts()
    /// Sequences with two different states.
    var conflicts: [Partition: UInt64] = [:]
    /// Partitions with records that no checkpoint includes.
    var waiting: [Partition: Waiting] = [:]
    /// Why the last checkpoint of a partition was rejected, until one is stored.
    var rejections: [Partition: CheckpointRejection] = [:]
    /// Checkpoints given to owners whose outcome is not known yet.
    private var handedOut: [Partition: Set<UInt64>] = [:]
    /// The checkpoint that was given out last.
    private var lastHandedOut: [Partition: UInt64] = [:]
    /// Checkpoints with which an owner failed, and when.
    private var failed: [Partition: [UInt64: Timestamp]] = [:]
    private var routes: [ID128: Route] = [:]
    private var intake = OwnershipIntake()
    /// How far owners have evaluated their partitions.
    var progress = EvaluationProgress()
    /// Revoked members and the reason, until the distrust ends.
    var revoked: [ID128: RevokedMember] = [:]
    private var readers: [ID128: (reader: CheckpointReader, seen: Timestamp)] = [:]
    private var ticked = Timestamp.zero

    init(host: any IngestHost, database: Database, logicNewest: UInt16) {
        self.host = host
        self.logicNewest = logicNewest
        configuration = ConfiguredVersions(database: database)
        checkpoints = StoredCheckpoints(database: database)
        coordinator = Coordinator(
            isNew: true, logic: Limits.logicVersion, logicNewest: logicNewest, at: host.now)
    }

    /// Starts without owners; members claim their partitions.
    func start(_ core: Core) {
        coordinator = Coordinator(
            isNew: core.isNew, logic: core.logic, logicNewest: logicNewest, at: host.now)
    }

    // MARK: Members

    /// Handles a message of a member.
    ///
    /// - Returns: the version of the logic that all logs must switch to; nil = unchanged
    func receive(_ question: Control, from route: Route) throws -> UInt16? {
        guard
            let replaced = intake.admit(
                question, from: route, at: host.now, isKnown: coordinator.knows)
        else {
            counts.requestsDropped += 1
            return nil
        }
        if let member = replaced.member { _ = try handle(.left(member: member)) }
        switch question {
        case .join(let member, let logic):
            routes[member] = route
            return try handle(.renewed(member: member, logic: logic, leases: []))
        case .renew(let member, let logic, let leases):
            routes[member] = route
            try recordProgress(of: member, leases)
            return try handle(.renewed(member: member, logic: logic, leases: leases))
        case .leave(let member): return try handle(.left(member: member))
        case .checkpoint(let piece):
            guard let verdict = try receive(piece) else { return nil }
            let answer = CheckpointReply(
                partition: piece.partition, id: piece.id, verdict: verdict)
            host.reply(with: .checkpointReply(answer), to: route)
            return nil
        default: return nil
        }
    }

    /// Passes time to the coordinator, a few times per second.
    ///
    /// - Returns: as ``receive(_:from:)``
    func tick() throws -> UInt16? {
        guard host.now - ticked >= .milliseconds(Ownership.tickMilliseconds) else { return nil }
        ticked = host.now
        readers = readers.filter {
            host.now - $0.value.seen <= .seconds(Limits.pieceSeconds)
        }
        let raised = try handle(.tick)
        try updateWaiting()
        try revokeIdle()
        return raised
    }

    private static let tickMilliseconds: Int64 = 200

    /// Passes the logic version in force to the coordinator, also after a rollback.
    func logicIs(_ version: UInt16) throws {
        guard version != coordinator.logic else { return }
        _ = try handle(.logic(version))
    }

    func handle(_ input: Coordinator.Input) throws -> UInt16? {
        let before = coordinator.memberIDs
        var effects: [Coordinator.Effect] = []
        coordinator.handle(input, at: host.now, into: &effects)
        var raised: UInt16?
        for effect in effects {
            switch effect {
            case .assign(let member, let logic, let assignments):
                guard let route = routes[member] else { continue }
                host.reply(
                    with: .assign(member: member, logic: logic, assignments: assignments), to: route
                )
            case .raise(let version): raised = version
            case .caughtUp(let partition): try recordCaughtUp(partition)
            case .failed(let partition): try recordFailure(of: partition)
            }
        }
        logMemberChanges(since: before)
        return raised
    }

    private func logMemberChanges(since before: Set<ID128>) {
        let members = coordinator.memberIDs
        guard members != before else { return }
        for member in members.subtracting(before).sorted() {
            host.log.info("evaluator joined", ["member": member.text])
        }
        for member in before.subtracting(members).sorted() {
            routes[member] = nil
            host.log.info("evaluator left", ["member": member.text])
        }
    }

    // MARK: Checkpoints

    /// Handles a piece of a checkpoint. The first piece tells whether the whole would be stored.
    ///
    /// - Returns: nil = no response; the piece is sent again
    private func receive(_ piece: CheckpointPiece) throws -> CheckpointVerdict? {
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
            counts.checkpointsRejected["digest", default: 0] += 1
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
            try checkpoints.keep(checkpoint, at: host.now)
            let kept = try checkpoints.of(checkpoint.partition).map(\.row.sequence)
            if let oldest = kept.first {
                try configuration.forget(in: checkpoint.partition, before: oldest)
                if let place = conflicts[checkpoint.partition], place < oldest {
                    conflicts[checkpoint.partition] = nil
                }
            }
            counts.checkpoints += 1
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
            on: checkpoint, kept: try checkpoints.of(partition).map(\.row), isInput: isInput,
            isOutput: try host.isOnChain(checkpoint.output, of: .events(partition)),
            logic: isInput
                ? try configuration.logic(of: partition, asOf: checkpoint.input.sequence) : nil)
    }

    private func reject(
        _ checkpoint: Checkpoint, _ rejection: CheckpointRejection
    ) -> CheckpointVerdict {
        counts.checkpointsRejected[rejection.rawValue, default: 0] += 1
        if rejection != .stranger { rejections[checkpoint.partition] = rejection }
        if rejection == .otherState { alarm(checkpoint) }
        return .rejected(rejection.explanation)
    }

    /// Reports that two evaluators computed different states from the same records: one of them is
    /// wrong.
    private func alarm(_ checkpoint: Checkpoint) {
        counts.stateConflicts += 1
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
    private func recordCaughtUp(_ partition: Partition) throws {
        let begun = handedOut.removeValue(forKey: partition) ?? []
        guard begun.count == 1, let sequence = begun.first else { return }
        try checkpoints.prove(sequence, of: partition)
        failed[partition]?[sequence] = nil
    }

    /// Records that a member gave a partition up. The next attempt starts from another checkpoint,
    /// if there is one, possibly by the same member.
    private func recordFailure(of partition: Partition) throws {
        host.log.error(
            "partition given up",
            [
                "partition": partition,
                "hint": "its log says why; see docs/ingest.md",
            ])
        handedOut[partition] = nil
        guard let sequence = lastHandedOut.removeValue(forKey: partition) else { return }
        failed[partition, default: [:]][sequence] = host.now
        let kept = try checkpoints.of(partition).map(\.row.sequence)
        let known = failures(of: partition)
        guard kept.contains(where: { !known.contains($0) }) else { return }
        _ = try handle(.retry(partition))
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
        let kept = try checkpoints.of(partition).filter { checkpoint in
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
            state: try checkpoints.state(of: chosen),
            audit: newer.map {
                PartitionSnapshot.Audit(
                    input: $0.input(in: end.incarnation), stateHash: $0.row.stateHash)
            })
        return StreamSnapshot(snapshot.records, at: chosen.input(in: end.incarnation))
    }

    /// Sequence of the oldest checkpoint: new owners need no records before it. Nil while there are
    /// fewer than two.
    func pruneFloor(of partition: Partition) throws -> UInt64? {
        let kept = try checkpoints.of(partition)
        return kept.count < Limits.checkpointsKept ? nil : kept.first?.row.sequence
    }
}
