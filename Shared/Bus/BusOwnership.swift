import Model
import Wire

// Partitions that a peer shares out, for the process that is given some of them.
extension Bus {
    /// Who this process is for a peer that shares its partitions out; nil where none does.
    public var member: ID128? { consumer.tenancy?.member }

    /// The partitions that this process was given, and how far it is with each.
    public var holdings: [Holding] { consumer.tenancy?.holdings ?? [] }

    /// Whether everything that the log of an own partition has is evaluated, and all that it led to
    /// is on the keeper's chain. Where records never cease, that may never be.
    package func isSettled(_ partition: Partition) -> Bool { consumer.isSettled(partition) }

    /// Whether the state of a partition is that of a place in its log, and led to nothing that the
    /// keeper has otherwise: then a checkpoint of it makes sense, however much is still to come.
    public func canCheckpoint(_ partition: Partition) -> Bool { consumer.canCheckpoint(partition) }

    /// Carries a checkpoint to the keeper, as soon as all that the state led to is on the keeper's
    /// chain, in pieces that are sent again until they are answered.
    /// What becomes of it comes by ``Hooks/checkpointed``, also when it comes to nothing because
    /// the partition is lost or read anew.
    ///
    /// - Returns: false, and nothing comes, if another checkpoint is on its way, or the partition
    ///   is not this process's.
    @discardableResult
    public func send(checkpoint: Checkpoint) -> Bool { consumer.send(checkpoint) }

    /// Whether a checkpoint is on its way.
    package var isSendingCheckpoint: Bool { consumer.sender != nil }

    /// Says that this process ends, once: its partitions are given to others without waiting for
    /// its silence. To be followed by a moment in which the frame can leave.
    ///
    /// - Returns: whether anything was said.
    @discardableResult
    public func leave() -> Bool { consumer.leave() }
}
