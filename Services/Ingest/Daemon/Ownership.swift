import Bus
import Hashing
import Hosting
import IngestCore
import Model
import Runtime
import Store
import Wire

/// Who computes each partition, and what a new owner begins with: carries what evaluators say to
/// the ``Coordinator`` and keeps their checkpoints.
///
/// Of the members nothing is stored: they say it again each second.
final class Ownership {
    let outside: any Surroundings
    let placed: PlacedVersions
    let checkpoints: KeptCheckpoints
    var coordinator: Coordinator
    private let logicNewest: UInt16
    var counts = OwnershipCounts()
    /// Places of which two states are known.
    var conflicts: [Partition: UInt64] = [:]
    /// Partitions with records that no checkpoint includes.
    var waiting: [Partition: Waiting] = [:]
    /// Why the last checkpoint of a partition was refused, until one is kept.
    var refusals: [Partition: CheckpointRefusal] = [:]
    /// With which checkpoints somebody began since it was last heard how that went.
    private var handedOut: [Partition: Set<UInt64>] = [:]
    /// The last one given out.
    private var lastHandedOut: [Partition: UInt64] = [:]
    /// Checkpoints with which somebody began who gave the partition up, and when that was.
    private var failed: [Partition: [UInt64: Timestamp]] = [:]
    private var routes: [ID128: Route] = [:]
    private var intake = OwnershipIntake()
    /// How far owners have evaluated their partitions.
    var progress = EvaluationProgress()
    /// Members that lost their partitions, and why; until nobody distrusts them any more.
    var revoked: [ID128: RevokedMember] = [:]
    private var readers: [ID128: (reader: CheckpointReader, heard: Timestamp)] = [:]
    private var ticked = Timestamp.zero

    init(outside: any Surroundings, database: Database, logicNewest: UInt16) {
        self.outside = outside
        self.logicNewest = logicNewest
        placed = PlacedVersions(database: database)
        checkpoints = KeptCheckpoints(database: database)
        coordinator = Coordinator(
            isNew: true, logic: Limits.logicVersion, logicNewest: logicNewest, at: outside.now)
    }

    /// Begins over a store: whoever owns something says so.
    func start(_ core: Core) {
        coordinator = Coordinator(
            isNew: core.isNew, logic: core.logic, logicNewest: logicNewest, at: outside.now)
    }

    // MARK: Members

    /// Takes what a member says.
    ///
    /// - Returns: the version that the logs are to go over to, if every member can.
    func take(_ question: Control, from route: Route) throws -> UInt16? {
        guard
            let replaced = intake.admit(
                question, from: route, at: outside.now, isKnown: coordinator.knows)
        else {
            counts.requestsDropped += 1
            return nil
        }
        if let member = replaced.member { _ = try handle(.left(member: member)) }
        switch question {
        case .join(let member, let logic):
            routes[member] = route
            return try handle(.heard(member: member, logic: logic, holdings: []))
        case .renew(let member, let logic, let holdings):
            routes[member] = route
            try noteProgress(of: member, holdings)
            return try handle(.heard(member: member, logic: logic, holdings: holdings))
        case .leave(let member): return try handle(.left(member: member))
        case .checkpoint(let piece):
            guard let verdict = try take(piece) else { return nil }
            let answer = CheckpointAnswer(
                partition: piece.partition, id: piece.id, verdict: verdict)
            outside.tell(.checkpointAnswer(answer), to: route)
            return nil
        default: return nil
        }
    }

    /// Lets the coordinator notice who is gone, a few times a second.
    ///
    /// - Returns: as ``take(_:from:)``.
    func tick() throws -> UInt16? {
        guard outside.now - ticked >= .milliseconds(Ownership.tickMilliseconds) else { return nil }
        ticked = outside.now
        readers = readers.filter {
            outside.now - $0.value.heard <= .seconds(Limits.pieceSeconds)
        }
        let raised = try handle(.tick)
        try noteWaiting()
        try revokeIdle()
        return raised
    }

    private static let tickMilliseconds: Int64 = 200

    /// The logs go on by this version, or do not: the turn that raised it was taken back.
    func logicIs(_ version: UInt16) throws {
        guard version != coordinator.logic else { return }
        _ = try handle(.logic(version))
    }

    func handle(_ input: Coordinator.Input) throws -> UInt16? {
        let before = coordinator.memberIDs
        var effects: [Coordinator.Effect] = []
        coordinator.handle(input, at: outside.now, into: &effects)
        var raised: UInt16?
        for effect in effects {
            switch effect {
            case .assign(let member, let logic, let assignments):
                guard let route = routes[member] else { continue }
                outside.tell(
                    .assign(member: member, logic: logic, assignments: assignments), to: route)
            case .raise(let version): raised = version
            case .lived(let partition): try lived(partition)
            case .failed(let partition): try failed(partition)
            }
        }
        tellChanges(since: before)
        return raised
    }

    private func tellChanges(since before: Set<ID128>) {
        let members = coordinator.memberIDs
        guard members != before else { return }
        for member in members.subtracting(before).sorted() {
            outside.log.info("an evaluator is there", ["member": member.text])
        }
        for member in before.subtracting(members).sorted() {
            routes[member] = nil
            outside.log.info("an evaluator is gone", ["member": member.text])
        }
    }

    // MARK: Checkpoints

    /// Takes a piece. Whether the whole would be kept is known from the first one.
    ///
    /// - Returns: nil for no answer: then it is sent again.
    private func take(_ piece: CheckpointPiece) throws -> CheckpointVerdict? {
        let head = Checkpoint(
            partition: piece.partition, input: piece.input, output: piece.output,
            logic: piece.logic, stateHash: piece.stateHash, state: [])
        guard coordinator.hasSeat(piece.member, at: piece.partition) else {
            // While it is not known who has what, it may still say that it has it.
            return coordinator.isSettled ? refuse(head, .stranger) : nil
        }
        if piece.offset == 0 {
            switch try decide(on: head) {
            case .keep: break
            case .known: return .kept
            case .refuse(let refusal): return refuse(head, refusal)
            }
        }
        guard makeRoom(for: piece) else { return nil }
        var reader = readers[piece.member]?.reader ?? CheckpointReader()
        let step = reader.take(piece)
        readers[piece.member] = (reader, outside.now)
        switch step {
        case .more(let next): return .more(next: next)
        case .refused(let reason):
            counts.checkpointsRefused["digest", default: 0] += 1
            return .refused(reason)
        case .whole(let checkpoint):
            readers[piece.member] = nil
            guard Hash.state(checkpoint.state) == checkpoint.stateHash else {
                return refuse(checkpoint, .stateHash)
            }
            return try take(checkpoint)
        }
    }

    /// Forgets the pieces of whoever was silent longest, as long as there are too many of others.
    /// False if there are, and none of them is silent: two would push each other out for ever.
    private func makeRoom(for piece: CheckpointPiece) -> Bool {
        while true {
            let others = readers.filter { $0.key != piece.member }
            let bytes = others.reduce(0) { $0 + $1.value.reader.byteCount }
            guard bytes + Int(piece.offset) + piece.bytes.count > Limits.pieceBytesMax,
                let longest = others.min(by: {
                    ($0.value.heard, $0.key) < ($1.value.heard, $1.key)
                })
            else { return true }
            guard outside.now - longest.value.heard > .seconds(Limits.pieceSilenceSeconds) else {
                return false
            }
            readers[longest.key] = nil
        }
    }

    private func take(_ checkpoint: Checkpoint) throws -> CheckpointVerdict {
        switch try decide(on: checkpoint) {
        case .keep:
            try checkpoints.keep(checkpoint, at: outside.now)
            let kept = try checkpoints.of(checkpoint.partition).map(\.row.sequence)
            if let oldest = kept.first {
                try placed.forget(in: checkpoint.partition, before: oldest)
                if let place = conflicts[checkpoint.partition], place < oldest {
                    conflicts[checkpoint.partition] = nil
                }
            }
            counts.checkpoints += 1
            refusals[checkpoint.partition] = nil
            return .kept
        case .known: return .kept
        case .refuse(let refusal): return refuse(checkpoint, refusal)
        }
    }

    private func decide(on checkpoint: Checkpoint) throws -> CheckpointDecision {
        let partition = checkpoint.partition
        // Of a place that is not in the log nothing else is asked.
        let isInput = try outside.isOnChain(checkpoint.input, of: .input(partition))
        return CheckpointRules.decide(
            on: checkpoint, kept: try checkpoints.of(partition).map(\.row), isInput: isInput,
            isOutput: try outside.isOnChain(checkpoint.output, of: .events(partition)),
            logic: isInput
                ? try placed.logic(of: partition, asOf: checkpoint.input.sequence) : nil)
    }

    private func refuse(
        _ checkpoint: Checkpoint, _ refusal: CheckpointRefusal
    ) -> CheckpointVerdict {
        counts.checkpointsRefused[refusal.rawValue, default: 0] += 1
        if refusal != .stranger { refusals[checkpoint.partition] = refusal }
        if refusal == .otherState { alarm(checkpoint) }
        return .refused(refusal.explanation)
    }

    /// Two evaluators computed different states from the same records: one of them is wrong.
    private func alarm(_ checkpoint: Checkpoint) {
        counts.stateConflicts += 1
        conflicts[checkpoint.partition] = checkpoint.input.sequence
        outside.log.error(
            "two evaluators computed different states from the same records",
            [
                "partition": checkpoint.partition, "sequence": checkpoint.input.sequence,
                "state_hash": CheckpointRules.text(of: checkpoint.stateHash),
            ])
    }

    // MARK: How those that are given out turn out

    /// Somebody came to the end of a log: if only one checkpoint was given out since it was last
    /// heard how that went, it was that one that led there.
    private func lived(_ partition: Partition) throws {
        let begun = handedOut.removeValue(forKey: partition) ?? []
        guard begun.count == 1, let sequence = begun.first else { return }
        try checkpoints.prove(sequence, of: partition)
        failed[partition]?[sequence] = nil
    }

    /// Somebody gave a partition up: the next one begins with another checkpoint, if there is one,
    /// and that may be who gave it up.
    private func failed(_ partition: Partition) throws {
        outside.log.error(
            "an evaluator gave a partition up",
            [
                "partition": partition,
                "hint": "its log says why; see Services/Ingest/README.md",
            ])
        handedOut[partition] = nil
        guard let sequence = lastHandedOut.removeValue(forKey: partition) else { return }
        failed[partition, default: [:]][sequence] = outside.now
        let kept = try checkpoints.of(partition).map(\.row.sequence)
        let known = failures(of: partition)
        guard kept.contains(where: { !known.contains($0) }) else { return }
        _ = try handle(.retry(partition))
    }

    /// Checkpoints that lately led to nothing.
    private func failures(of partition: Partition) -> Set<UInt64> {
        let limit = Duration.seconds(Limits.failedSeconds)
        failed[partition] = failed[partition]?.filter { outside.now - $0.value < limit }
        return Set((failed[partition] ?? [:]).keys)
    }

    // MARK: What a new owner begins with

    /// A checkpoint with the configuration as of it; no rows where there is none, and then
    /// everything is read from the first record.
    func snapshot(of partition: Partition) throws -> StreamSnapshot {
        guard let end = outside.position(of: .input(partition)),
            let outputs = outside.position(of: .events(partition))
        else { return StreamSnapshot([]) }
        let kept = try checkpoints.of(partition).filter { checkpoint in
            try outside.isOnChain(checkpoint.input(in: end.incarnation), of: .input(partition))
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
            configuration: try placed.configuration(of: partition, asOf: begin.sequence),
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

    /// Where the oldest checkpoint stands: no new owner needs what is before. Nil while there are
    /// not two.
    func pruneFloor(of partition: Partition) throws -> UInt64? {
        let kept = try checkpoints.of(partition)
        return kept.count < Limits.checkpointsKept ? nil : kept.first?.row.sequence
    }
}
