import Model
import Wire

// Members that do not do their work. All evaluators have one key, so a member is known only by the
// id of its process, and a revoked member may come back with another id.
extension Coordinator {
    /// Distrusts a member for a while: its partitions go to others.
    ///
    /// An idle member keeps its partitions if there is no other member.
    mutating func revoke(_ id: ID128, because cause: Revocation) {
        guard members[id] != nil else { return }
        let until = now + .seconds(Limits.distrustSeconds)
        members[id]?.revoked = (cause, until)
        distrustUntil = until
        firstDistrusted = memberCount
    }

    /// Whether a member was revoked and another one can have the partition.
    func isReplaceable(_ id: ID128, at partition: Partition) -> Bool {
        members[id]?.revoked != nil
            && members.keys.contains { members[$0]?.revoked == nil && isFit($0, for: partition) }
    }

    /// Rank of distrust: 0 for a trusted member, 1 for one that joined soon after a revocation and
    /// may be the same process, 2 for a revoked one.
    func distrust(of id: ID128) -> Int {
        guard let member = members[id], member.revoked == nil else { return 2 }
        return now >= distrustUntil || member.number < firstDistrusted ? 0 : 1
    }

    /// Whether a member may get partitions of trusted members.
    func isTrusted(_ id: ID128) -> Bool { distrust(of: id) == 0 }

    mutating func newMember(_ logic: ClosedRange<UInt16>) -> Member {
        memberCount += 1
        return Member(logic: logic, seen: now, number: memberCount - 1)
    }

    /// Whether another member may join. A revoked member makes room.
    mutating func hasRoomForMember() -> Bool {
        if members.count < Limits.membersMax { return true }
        guard let revoked = members.filter({ $0.value.revoked != nil }).keys.min() else {
            return false
        }
        members[revoked] = nil
        return true
    }

    /// Whether a member is known.
    public func knows(_ id: ID128) -> Bool { members[id] != nil }
}
