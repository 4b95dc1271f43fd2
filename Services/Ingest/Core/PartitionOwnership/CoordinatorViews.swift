import Model
import Wire

/// A member as shown to the operator.
public struct MemberView: Hashable, Sendable {
    public var member: ID128
    public var logic: ClosedRange<UInt16>
    /// Whether it can run the logic in force.
    public var isFit: Bool
    public var seen: Timestamp
}

/// A partition as shown to the operator.
public struct AssignmentView: Hashable, Sendable {
    public var partition: Partition
    public var owner: ID128?
    public var epoch: UInt64?
    /// The state that the owner reports; nil = not reported yet.
    public var state: Lease.State?
    /// When the lease began, or was last reported live.
    public var since: Timestamp?
    /// The next owner during a move.
    public var successor: ID128?
}
