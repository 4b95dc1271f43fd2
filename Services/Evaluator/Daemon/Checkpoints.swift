import Bus
import EvaluatorCore
import Hosting
import Model
import Wire

// Checkpoints that are sent to ingest, and audits against the states of other owners.
extension EvaluatorService {
    /// Counts an applied record, and compares the state with an audit at this position.
    func recordApplied(_ partition: Partition, at position: Position) {
        schedule.recordApplied(partition)
        guard let audit = partitionLeases[Int(partition.number)]?.popAudit(at: position),
            let hash = core[partition]?.stateHash, hash != audit.stateHash
        else { return }
        reportMismatch(
            partition, "state at record \(position.sequence) differs from another owner's")
    }

    /// Reports that two owners have different states for the same log: one of them is wrong.
    func reportMismatch(_ partition: Partition, _ reason: String) {
        counters.mismatches.add()
        partitionLeases[Int(partition.number)]?.problem = "partition \(partition): \(reason)"
        host.log.error(
            "partition state mismatch",
            [
                "partition": partition, "reason": reason,
                "hint": "Run the same version of jaga-evaluator everywhere.",
            ])
    }

    /// Sends the checkpoint of the partition that is due.
    func sendCheckpoint() {
        let bus = host.bus
        guard let partition = schedule.next(at: host.now, isReady: bus.canCheckpoint),
            let state = core[partition], let logic = UInt16(exactly: state.logic),
            let input = bus.position(of: .input(partition)),
            let output = bus.position(of: .events(partition))
        else { return }
        let bytes = state.encodedState()
        let checkpoint = Checkpoint(
            partition: partition, input: input, output: output, logic: logic,
            stateHash: PartitionState.hash(ofState: bytes), state: bytes)
        guard bus.send(checkpoint: checkpoint) else { return }
        schedule.recordSent(partition)
        sent = PartitionLease.StoredCheckpoint(input: input, at: host.now)
    }

    func checkpointed(_ partition: Partition, _ verdict: CheckpointVerdict) throws {
        guard schedule.inFlight == partition else { return }
        drain.progress(at: host.now)
        switch verdict {
        case .more: break
        case .stored:
            counters.stored.add()
            partitionLeases[Int(partition.number)]?.lastCheckpoint = sent
            schedule.recordAnswer(partition, isStored: true, at: host.now)
        case .rejected(let reason):
            counters.rejected.add()
            host.log.warning(
                "checkpoint rejected",
                ["partition": partition, "reason": reason])
            schedule.recordAnswer(partition, isStored: false, at: host.now)
        }
    }
}
