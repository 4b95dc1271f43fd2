import Bus
import EvaluatorCore
import Hosting
import Model
import Runtime
import Wire

// Assigned and revoked partitions.
extension EvaluatorService {
    /// Starts a partition from a checkpoint with its configuration, or from nothing.
    func replace(
        _ stream: StreamName, withRecords records: [Record], at position: Position
    ) throws {
        guard case .input(let partition) = stream else { return }
        try partitionRevoked(partition)
        counters.starts.add()
        var partitionLease = PartitionLease()
        do {
            if let snapshot = try PartitionSnapshot(records: records) {
                try restore(partition, from: snapshot)
                partitionLease.audit = snapshot.audit
                partitionLease.lastCheckpoint = PartitionLease.StoredCheckpoint(
                    input: position, at: host.now)
            } else {
                core.assign(partition)
            }
        } catch let error as StreamStop {
            throw error
        } catch {
            throw StreamStop(reason: "\(error)")
        }
        partitionLeases[Int(partition.number)] = partitionLease
        schedule.assign(partition, at: host.now)
    }

    private func restore(_ partition: Partition, from snapshot: PartitionSnapshot) throws {
        try core.restore(
            partition, configuration: try snapshot.configuration.map(EventCodec.decode),
            state: snapshot.state)
        guard core[partition]?.stateHash == snapshot.head.stateHash else {
            core.revoke(partition)
            counters.mismatches.add()
            throw StreamStop(reason: "the restored state has another hash than its checkpoint")
        }
    }

    func partitionRevoked(_ partition: Partition) throws {
        core.revoke(partition)
        schedule.revoke(partition)
        partitionLeases[Int(partition.number)] = nil
    }
}
