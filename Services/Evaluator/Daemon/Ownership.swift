import Bus
import EvaluatorCore
import Hosting
import Model
import Runtime
import Wire

// Partitions come and go.
extension EvaluatorService {
    /// A partition begins: with a checkpoint and the configuration there, or with nothing.
    func replace(
        _ stream: StreamName, withRecords records: [Record], at position: Position
    ) throws {
        guard case .input(let partition) = stream else { return }
        try lost(partition)
        counts.begun.add()
        var tenure = Tenure()
        do {
            if let snapshot = try PartitionSnapshot(records: records) {
                try restore(partition, from: snapshot)
                tenure.audit = snapshot.audit
                tenure.kept = Tenure.Kept(input: position, at: host.now)
            } else {
                core.begin(partition)
            }
        } catch let error as StreamStop {
            throw error
        } catch {
            throw StreamStop(reason: "\(error)")
        }
        tenures[Int(partition.number)] = tenure
        schedule.begin(partition, at: host.now)
    }

    private func restore(_ partition: Partition, from snapshot: PartitionSnapshot) throws {
        try core.restore(
            partition, configuration: try snapshot.configuration.map(EventCodec.decode),
            state: snapshot.state)
        guard core[partition]?.stateHash == snapshot.head.stateHash else {
            core.drop(partition)
            counts.mismatches.add()
            throw StreamStop(reason: "the state that was kept gives another one here")
        }
    }

    func lost(_ partition: Partition) throws {
        core.drop(partition)
        schedule.drop(partition)
        tenures[Int(partition.number)] = nil
    }
}
