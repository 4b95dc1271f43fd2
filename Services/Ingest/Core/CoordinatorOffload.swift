import Model
import Wire

// Members that do not catch up with a partition.
extension Coordinator {
    /// Ends penalties whose time has passed.
    mutating func clearPenalties() {
        for (id, member) in members where !(member.failed.isEmpty && member.slow.isEmpty) {
            members[id]?.failed = member.failed.filter { $0.value > now }
            members[id]?.slow = member.slow.filter { $0.value > now }
        }
        for (id, member) in members {
            if let revoked = member.revoked, revoked.until <= now { members[id]?.revoked = nil }
        }
    }

    /// Whether a partition of another member may be assigned to this one.
    func mayAssign(_ id: ID128, _ partition: Partition) -> Bool {
        isFit(id, for: partition) && members[id]?.slow[partition] == nil && isTrusted(id)
    }

    /// Starts moves of partitions that their owner does not catch up with, to members that have
    /// caught up with everything. The owner keeps the partition until the successor is live. If all
    /// members are busy, another reader helps nobody.
    mutating func offload() {
        let stuck = partitions.filter { partition in
            guard let assignment = assignments[partition], let last = assignment.future else {
                return false
            }
            return isStuck(last, at: partition)
                && (assignment.owner == last || !isLive(assignment.owner, partition))
        }
        for partition in stuck {
            guard let assignment = assignments[partition], let last = assignment.future else {
                continue
            }
            let loads = self.loads
            let others = members.keys.filter {
                $0 != assignment.owner?.member && $0 != last.member && mayAssign($0, partition)
                    && isIdle($0)
            }
            guard let next = others.min(by: { (loads[$0] ?? 0, $0) < (loads[$1] ?? 0, $1) })
            else { continue }
            members[last.member]?.slow[partition] = now + .seconds(Limits.failedSeconds)
            setSuccessor(next, at: partition)
        }
    }

    private func isLive(_ partitionLease: PartitionLease?, _ partition: Partition) -> Bool {
        partitionLease.map { state(of: $0, at: partition) == .live } ?? false
    }

    /// Whether a member has been restoring a partition for too long.
    func isStuck(_ partitionLease: PartitionLease, at partition: Partition) -> Bool {
        state(of: partitionLease, at: partition) != .live
            && now - partitionLease.since > .seconds(Limits.restoringSeconds)
    }

    /// Whether a member has all of its partitions and has caught up with them.
    private func isIdle(_ id: ID128) -> Bool {
        guard let member = members[id], member.logic.contains(logic) else { return false }
        return assignments(of: id).allSatisfy { assignment in
            let lease = member.leases[assignment.partition]
            return lease?.epoch == assignment.epoch && lease?.state == .live
        }
    }
}
