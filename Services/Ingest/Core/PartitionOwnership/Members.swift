import Model
import Wire

/// Evaluators that have joined, and how far each is trusted.
///
/// All evaluators have one key, so a member is known only by the id of its process, and a revoked
/// member may come back with another id.
struct Members: Sendable {
    private(set) var all: [ID128: Member] = [:]
    /// Members that have joined since the coordinator started.
    private var joined = 0
    /// Until then members that join after the last revocation are distrusted.
    private var distrustUntil = Timestamp.zero
    private var firstDistrusted = 0

    struct Member: Sendable {
        var logic: ClosedRange<UInt16>
        var seen: Timestamp
        /// Number of members that joined before it since the coordinator started.
        let number: Int
        /// Why it is distrusted, and until when.
        var revoked: (cause: Coordinator.Revocation, until: Timestamp)?
        /// As last reported.
        var leases: [Partition: Lease] = [:]
        /// Partitions that it could not compute, and until when it does not get them again.
        var failed: [Partition: Timestamp] = [:]
        /// Partitions that it was too slow for, and until when it does not get them again.
        var slow: [Partition: Timestamp] = [:]
        /// The last assignments sent to it; nil = none yet.
        var sent: [Assignment]?
    }

    subscript(id: ID128) -> Member? {
        get { all[id] }
        set { all[id] = newValue }
        _modify { yield &all[id] }
    }

    /// Whether a member may have a partition at all.
    func isFit(_ id: ID128, for partition: Partition, logic: UInt16) -> Bool {
        guard let member = all[id] else { return false }
        return member.logic.contains(logic) && member.failed[partition] == nil
            && member.revoked?.cause != .invalidProposal
    }

    // MARK: Joining and leaving

    /// The member with this id, which joins if there is room; nil = there is none. A revoked member
    /// makes room.
    mutating func renew(_ id: ID128, logic: ClosedRange<UInt16>, at now: Timestamp) -> Member? {
        if let known = all[id] { return known }
        if all.count >= Limits.membersMax {
            guard let revoked = all.filter({ $0.value.revoked != nil }).keys.min() else {
                return nil
            }
            all[revoked] = nil
        }
        joined += 1
        return Member(logic: logic, seen: now, number: joined - 1)
    }

    /// Drops members without contact, and ends penalties whose time has passed.
    mutating func expire(at now: Timestamp) {
        all = all.filter { now - $0.value.seen <= .seconds(Limits.memberSeconds) }
        for (id, member) in all where !(member.failed.isEmpty && member.slow.isEmpty) {
            all[id]?.failed = member.failed.filter { $0.value > now }
            all[id]?.slow = member.slow.filter { $0.value > now }
        }
        for (id, member) in all {
            if let revoked = member.revoked, revoked.until <= now { all[id]?.revoked = nil }
        }
    }

    /// A pause of the coordinator itself does not count as missed contact.
    mutating func discount(_ pause: Duration) {
        for (id, member) in all { all[id]?.seen = member.seen + pause }
    }

    // MARK: Trust

    /// Distrusts a member for a while: its partitions go to others.
    ///
    /// An idle member keeps its partitions if there is no other member.
    mutating func revoke(_ id: ID128, because cause: Coordinator.Revocation, at now: Timestamp) {
        guard all[id] != nil else { return }
        let until = now + .seconds(Limits.distrustSeconds)
        all[id]?.revoked = (cause, until)
        distrustUntil = until
        firstDistrusted = joined
    }

    /// Whether a member was revoked and another one can have the partition.
    func isReplaceable(_ id: ID128, at partition: Partition, logic: UInt16) -> Bool {
        all[id]?.revoked != nil
            && all.keys.contains {
                all[$0]?.revoked == nil && isFit($0, for: partition, logic: logic)
            }
    }

    /// Rank of distrust: 0 for a trusted member, 1 for one that joined soon after a revocation and
    /// may be the same process, 2 for a revoked one.
    func distrust(of id: ID128, at now: Timestamp) -> Int {
        guard let member = all[id], member.revoked == nil else { return 2 }
        return now >= distrustUntil || member.number < firstDistrusted ? 0 : 1
    }

    /// Whether a partition of another member may be assigned to this one.
    func mayAssign(_ id: ID128, _ partition: Partition, logic: UInt16, at now: Timestamp) -> Bool {
        isFit(id, for: partition, logic: logic) && all[id]?.slow[partition] == nil
            && distrust(of: id, at: now) == 0
    }
}
