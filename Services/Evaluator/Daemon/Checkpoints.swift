import Bus
import EvaluatorCore
import Hosting
import Model
import Wire

// States on their way to ingest, and what they are compared with.
extension EvaluatorService {
    /// Counts a record, and compares the state with an audit's that stands here.
    func noteApplied(_ partition: Partition, at position: Position) {
        schedule.applied(partition)
        guard let audit = tenures[Int(partition.number)]?.takeAudit(at: position),
            let hash = core[partition]?.stateHash, hash != audit.stateHash
        else { return }
        doubt(partition, "the state at record \(position.sequence) differs from another owner's")
    }

    /// Two owners came to different states by the same log: one of them is wrong.
    func doubt(_ partition: Partition, _ reason: String) {
        counts.mismatches.add()
        tenures[Int(partition.number)]?.trouble = "partition \(partition): \(reason)"
        host.log.error(
            "two owners disagree about a partition",
            ["partition": partition, "reason": reason, "hint": "run one version everywhere"])
    }

    /// Sends the state of a partition whose turn it is.
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
        schedule.sent(partition)
        sent = Tenure.Kept(input: input, at: host.now)
    }

    func checkpointed(_ partition: Partition, _ verdict: CheckpointVerdict) throws {
        guard schedule.underWay == partition else { return }
        farewell.progress(at: host.now)
        switch verdict {
        case .more: break
        case .kept:
            counts.kept.add()
            tenures[Int(partition.number)]?.kept = sent
            schedule.answered(partition, isKept: true, at: host.now)
        case .refused(let reason):
            counts.refused.add()
            host.log.warning(
                "a checkpoint is refused; tried again later",
                ["partition": partition, "reason": reason])
            schedule.answered(partition, isKept: false, at: host.now)
        }
    }
}
