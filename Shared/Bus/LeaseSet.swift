import Model
import Wire

/// Partitions assigned to this process, and their states.
///
/// The member joins, renews all leases once a second, and applies every assignment list that it
/// receives. Without a list it keeps all its leases.
struct LeaseSet {
    /// A difference between two assignment lists.
    enum Change: Hashable {
        case assigned(Partition)
        case revoked(Partition)
    }

    /// Random id, new for each process start.
    let member: ID128
    let logic: ClosedRange<UInt16>
    private var leasesByPartition: [Partition: Lease] = [:]
    /// Recent times at which local outputs of a partition differed from the published ones.
    private var differences: [Partition: [Duration]] = [:]
    /// Why partitions failed, until they are live again.
    private(set) var failures: [Partition: String] = [:]
    /// Partitions that have not caught up with their logs.
    private(set) var restoring: Set<Partition> = []
    /// Whether an assignment list was ever received.
    private(set) var hasJoined = false
    private(set) var hasLeft = false
    private var sentAt: Duration?
    /// Whether anything changed since the last renewal.
    private var hasChanges = false

    init(member: ID128, logic: ClosedRange<UInt16>) {
        self.member = member
        self.logic = logic
    }

    /// All leases, ordered by partition.
    var leases: [Lease] { leasesByPartition.values.sorted { $0.partition < $1.partition } }

    func holds(_ partition: Partition) -> Bool { leasesByPartition[partition] != nil }
    func isLive(_ partition: Partition) -> Bool { leasesByPartition[partition]?.state == .live }
    func epoch(of partition: Partition) -> UInt64 { leasesByPartition[partition]?.epoch ?? 0 }

    // MARK: Requests

    /// Returns `JOIN` or `RENEW` if one is due.
    ///
    /// - Parameter applied: the last evaluated position of a partition's log
    func request(
        _ now: Duration, applied: (Partition) -> Position = { _ in .unknown }
    ) -> Control? {
        guard !hasLeft else { return nil }
        if let sentAt {
            let pause = hasChanges ? BusLimits.renewPause : BusLimits.renewInterval
            guard now - sentAt >= pause else { return nil }
        }
        return hasJoined
            ? .renew(
                member: member, logic: logic,
                leases: leases.map { lease in
                    var lease = lease
                    lease.applied = applied(lease.partition)
                    return lease
                })
            : .join(member: member, logic: logic)
    }

    /// Records that the request was sent.
    mutating func requestSent(_ now: Duration) {
        sentAt = now
        hasChanges = false
    }

    /// Makes a request due immediately, because the connection was replaced.
    mutating func requestAgain() { sentAt = nil }

    /// Returns `LEAVE`, once; the member sends and applies nothing afterwards.
    mutating func leave() -> Control? {
        guard !hasLeft else { return nil }
        hasLeft = true
        return .leave(member: member)
    }

    // MARK: Assignments

    /// Applies a list of all assigned partitions. Returns revocations before additions.
    mutating func apply(_ assignments: [Assignment], for member: ID128) -> [Change] {
        guard member == self.member, !hasLeft else { return [] }
        hasJoined = true
        let assigned = Dictionary(
            assignments.map { ($0.partition, $0.epoch) }, uniquingKeysWith: { $1 })
        // A failed partition that is assigned again under a new epoch restarts.
        let revoked = leasesByPartition.values.filter { lease in
            guard let epoch = assigned[lease.partition] else { return true }
            return lease.state == .failed && epoch != lease.epoch
        }.map(\.partition).sorted()
        for partition in revoked {
            leasesByPartition[partition] = nil
            differences[partition] = nil
            restoring.remove(partition)
        }
        var added: [Partition] = []
        for (partition, epoch) in assigned.sorted(by: { $0.key < $1.key }) {
            if leasesByPartition[partition] == nil { added.append(partition) }
            let state = leasesByPartition[partition]?.state ?? .restoring
            leasesByPartition[partition] = Lease(partition: partition, epoch: epoch, state: state)
        }
        restoring.formUnion(added)
        if !added.isEmpty || !revoked.isEmpty { hasChanges = true }
        return revoked.map(Change.revoked) + added.map(Change.assigned)
    }

    // MARK: States

    /// Marks a partition as restoring from its checkpoint.
    mutating func markRestoring(_ partition: Partition) {
        guard set(partition, .restoring) else { return }
        restoring.insert(partition)
    }

    /// Marks a partition as live: its log is evaluated up to the end.
    mutating func markLive(_ partition: Partition) {
        guard set(partition, .live) else { return }
        restoring.remove(partition)
        failures[partition] = nil
    }

    /// Marks a partition as failed: it cannot be evaluated here.
    mutating func markFailed(_ partition: Partition, because reason: String) {
        guard set(partition, .failed) else { return }
        restoring.remove(partition)
        failures[partition] = reason
    }

    private mutating func set(_ partition: Partition, _ state: Lease.State) -> Bool {
        guard let found = leasesByPartition[partition] else { return false }
        if found.state != state { hasChanges = true }
        leasesByPartition[partition]?.state = state
        return true
    }

    /// Records that local outputs differed from the published ones. Returns whether to restore the
    /// partition and recompute: this repairs transient errors, not repeated ones.
    mutating func shouldRecompute(_ partition: Partition, now: Duration) -> Bool {
        let recent = (differences[partition] ?? []).filter {
            now - $0 < BusLimits.restartsWindow
        }
        differences[partition] = recent + [now]
        return recent.count < BusLimits.restartsMax
    }
}
