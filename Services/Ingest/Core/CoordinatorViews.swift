import Model
import Wire

/// A member as the operator sees it.
public struct MemberView: Hashable, Sendable {
    public var member: ID128
    public var logic: ClosedRange<UInt16>
    /// Whether it can run the logic of the logs.
    public var isFit: Bool
    public var heard: Timestamp
}

/// A partition as the operator sees it.
public struct SeatView: Hashable, Sendable {
    public var partition: Partition
    public var owner: ID128?
    public var epoch: UInt64?
    /// What the owner says of it; nil as long as it has said nothing.
    public var state: Holding.State?
    /// When the owner got it, or last said that it is live.
    public var since: Timestamp?
    /// Who takes over once it is live.
    public var successor: ID128?
}

extension Coordinator {
    public var memberIDs: Set<ID128> { Set(members.keys) }

    /// By id.
    public var memberViews: [MemberView] {
        members.sorted { $0.key < $1.key }.map { id, member in
            MemberView(
                member: id, logic: member.logic, isFit: member.logic.contains(logic),
                heard: member.heard)
        }
    }

    /// Whether a member has a partition now.
    public func owns(_ id: ID128, _ partition: Partition) -> Bool {
        seats[partition]?.owner?.member == id
    }

    /// Members that are there and have lately given a partition up, by id.
    public func failed(at partition: Partition) -> [ID128] {
        members.filter { $0.value.failed[partition] != nil }.keys.sorted()
    }

    /// Partitions that nobody has, ascending.
    public var unowned: [Partition] { partitions.filter { seats[$0]?.owner == nil } }

    /// By partition.
    public var seatViews: [SeatView] {
        partitions.map { partition in
            let seat = seats[partition]
            return SeatView(
                partition: partition, owner: seat?.owner?.member, epoch: seat?.owner?.epoch,
                state: seat?.owner.flatMap { state(of: $0, at: partition) },
                since: seat?.owner?.since,
                successor: seat?.successor?.member)
        }
    }
}
