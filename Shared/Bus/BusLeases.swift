import Model
import Wire

// Partitions that a peer assigns to this process.
extension Bus {
    /// The id of this process for the peer that assigns partitions; nil without such a peer.
    public var member: ID128? { consumer.leaseSet?.member }

    /// The partitions assigned to this process, and their states.
    public var leases: [Lease] { consumer.leaseSet?.leases ?? [] }

    /// Whether all inputs of an assigned partition are evaluated and the publisher has all outputs.
    /// May never become true while inputs keep arriving.
    package func isSettled(_ partition: Partition) -> Bool { consumer.isSettled(partition) }

    /// Whether a checkpoint of a partition is possible now: its state belongs to a position of its
    /// log, and its outputs agree with the publisher's. Inputs may still be pending.
    public func canCheckpoint(_ partition: Partition) -> Bool { consumer.canCheckpoint(partition) }

    /// Sends a checkpoint once the publisher has all outputs that it includes.
    ///
    /// Pieces are repeated until they are acknowledged. ``Hooks/checkpointed`` reports the outcome,
    /// also if the partition is revoked or restored meanwhile.
    ///
    /// - Returns: false, without any later report, if another checkpoint is being sent or the
    ///   partition is not assigned to this process
    @discardableResult
    public func send(checkpoint: Checkpoint) -> Bool { consumer.send(checkpoint) }

    /// Whether a checkpoint is being sent.
    package var isSendingCheckpoint: Bool { consumer.checkpointSender != nil }

    /// Sends `LEAVE`, once, so that partitions are reassigned without waiting for a timeout.
    ///
    /// Keep the bus open for a moment afterwards, so that the frame can leave.
    ///
    /// - Returns: whether `LEAVE` was sent
    @discardableResult
    public func leave() -> Bool { consumer.leave() }
}
