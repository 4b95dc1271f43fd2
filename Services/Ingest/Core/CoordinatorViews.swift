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

extension Coordinator {
    public var memberIDs: Set<ID128> { Set(members.keys) }

    /// Ordered by id.
    public var memberViews: [MemberView] {
        members.sorted { $0.key < $1.key }.map { id, member in
            MemberView(
                member: id, logic: member.logic, isFit: member.logic.contains(logic),
                seen: member.seen)
        }
    }

    /// Whether a member owns a partition.
    public func owns(_ id: ID128, _ partition: Partition) -> Bool {
        assignments[partition]?.owner?.member == id
    }

    /// Current members that recently gave a partition up, ordered by id.
    public func failed(at partition: Partition) -> [ID128] {
        members.filter { $0.value.failed[partition] != nil }.keys.sorted()
    }

    /// Partitions without owner, ascending.
    public var unowned: [Partition] { partitions.filter { assignments[$0]?.owner == nil } }

    /// Ordered by partition.
    public var assignmentViews: [AssignmentView] {
        partitions.map { partition in
            let assignment = assignments[partition]
            return AssignmentView(
                partition: partition, owner: assignment?.owner?.member,
                epoch: assignment?.owner?.epoch,
                state: assignment?.owner.flatMap { state(of: $0, at: partition) },
                since: assignment?.owner?.since,
                successor: assignment?.successor?.member)
        }
    }
}
