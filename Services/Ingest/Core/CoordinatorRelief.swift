import Model
import Wire

// Members that have a partition and do not come to an end with it.
extension Coordinator {
    /// What somebody could not compute, or was too slow for, may be tried again after a while.
    mutating func forgive() {
        for (id, member) in members where !(member.failed.isEmpty && member.slow.isEmpty) {
            members[id]?.failed = member.failed.filter { $0.value > now }
            members[id]?.slow = member.slow.filter { $0.value > now }
        }
        for (id, member) in members {
            if let revoked = member.revoked, revoked.until <= now { members[id]?.revoked = nil }
        }
    }

    /// Whether a partition may be given to a member that somebody else has.
    func mayTake(_ id: ID128, _ partition: Partition) -> Bool {
        isFit(id, for: partition) && members[id]?.slow[partition] == nil && isTrusted(id)
    }

    /// Gives what is read without an end to somebody who has nothing else to read: the owner keeps
    /// it until the other one is live. Where all are busy reading, one more reader helps nobody.
    mutating func relieve() {
        let stuck = partitions.filter { partition in
            guard let seat = seats[partition], let last = seat.future else { return false }
            return isStuck(last, at: partition)
                && (seat.owner == last || !isLive(seat.owner, partition))
        }
        for partition in stuck {
            guard let seat = seats[partition], let last = seat.future else { continue }
            let loads = self.loads
            let others = members.keys.filter {
                $0 != seat.owner?.member && $0 != last.member && mayTake($0, partition)
                    && isIdle($0)
            }
            guard let next = others.min(by: { (loads[$0] ?? 0, $0) < (loads[$1] ?? 0, $1) })
            else { continue }
            members[last.member]?.slow[partition] = now + .seconds(Limits.failedSeconds)
            name(next, successorAt: partition)
        }
    }

    private func isLive(_ tenure: Tenure?, _ partition: Partition) -> Bool {
        tenure.map { state(of: $0, at: partition) == .live } ?? false
    }

    /// Whether a member has been reading a partition for too long.
    func isStuck(_ tenure: Tenure, at partition: Partition) -> Bool {
        state(of: tenure, at: partition) != .live
            && now - tenure.since > .seconds(Limits.restoringSeconds)
    }

    /// Whether a member has read all that it has, and has it all.
    private func isIdle(_ id: ID128) -> Bool {
        guard let member = members[id], member.logic.contains(logic) else { return false }
        return assignments(of: id).allSatisfy { assignment in
            let holding = member.holdings[assignment.partition]
            return holding?.epoch == assignment.epoch && holding?.state == .live
        }
    }
}
