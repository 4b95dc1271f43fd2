import Model
import Wire

// Partitions that a peer shares out, for the process that is given some of them.
extension Bus {
    /// Who this process is for a peer that shares its partitions out; nil where none does.
    public var member: ID128? { consumer.tenancy?.member }

    /// The partitions that this process was given, and how far it is with each.
    public var holdings: [Holding] { consumer.tenancy?.holdings ?? [] }

    /// Whether everything that the log of an own partition has is evaluated, and all that it led to
    /// is on the keeper's chain: then a checkpoint can be accepted.
    public func isSettled(_ partition: Partition) -> Bool { consumer.isSettled(partition) }

    /// Carries a checkpoint to the keeper, in pieces that are sent again until they are answered.
    /// What becomes of it comes by ``Hooks/checkpointed``, also when it comes to nothing because
    /// the partition is lost or read anew.
    ///
    /// - Returns: false, and nothing comes, if another checkpoint is on its way, or the partition
    ///   is not this process's.
    @discardableResult
    public func send(checkpoint: Checkpoint) -> Bool { consumer.send(checkpoint) }

    /// Whether a checkpoint is on its way.
    public var isSendingCheckpoint: Bool { consumer.sender != nil }

    /// Says that this process ends, once: its partitions are given to others without waiting for
    /// its silence. To be followed by a moment in which the frame can leave.
    ///
    /// - Returns: whether anything was said.
    @discardableResult
    public func leave() -> Bool { consumer.leave() }
}
