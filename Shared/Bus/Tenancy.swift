import Model
import Wire

/// The partitions that this process was given by the keeper of the logs, and what it says of them.
///
/// It joins, says every second what it has, and takes whatever list comes back. A keeper that says
/// nothing takes nothing away.
struct Tenancy {
    /// What a new list changes.
    enum Change: Hashable {
        case gained(Partition)
        case lost(Partition)
    }

    /// Of this process's life.
    let member: ID128
    let logic: ClosedRange<UInt16>
    private var held: [Partition: Holding] = [:]
    /// When a partition was found to be computed differently from what is kept, lately.
    private var differences: [Partition: [Duration]] = [:]
    /// Why partitions were given up, until they are live again.
    private(set) var failures: [Partition: String] = [:]
    /// Those whose log is not caught up with.
    private(set) var restoring: Set<Partition> = []
    /// Whether a list ever came.
    private(set) var hasJoined = false
    private(set) var hasLeft = false
    private var saidAt: Duration?
    /// Something has changed since.
    private var hasNews = false

    init(member: ID128, logic: ClosedRange<UInt16>) {
        self.member = member
        self.logic = logic
    }

    /// By partition.
    var holdings: [Holding] { held.values.sorted { $0.partition < $1.partition } }

    func holds(_ partition: Partition) -> Bool { held[partition] != nil }
    func isLive(_ partition: Partition) -> Bool { held[partition]?.state == .live }
    func epoch(of partition: Partition) -> UInt64 { held[partition]?.epoch ?? 0 }

    // MARK: What is said

    /// `JOIN` or `RENEW`, when it is time for one.
    ///
    /// - Parameter applied: how far the log of a partition is evaluated
    func question(
        _ now: Duration, applied: (Partition) -> Position = { _ in .unknown }
    ) -> Control? {
        guard !hasLeft else { return nil }
        if let saidAt {
            let pause = hasNews ? BusLimits.renewPause : BusLimits.renewInterval
            guard now - saidAt >= pause else { return nil }
        }
        return hasJoined
            ? .renew(
                member: member, logic: logic,
                holdings: holdings.map { holding in
                    var holding = holding
                    holding.applied = applied(holding.partition)
                    return holding
                })
            : .join(member: member, logic: logic)
    }

    /// The question is on its way.
    mutating func said(_ now: Duration) {
        saidAt = now
        hasNews = false
    }

    /// The way to the keeper is another one now, by which it has not heard of this process.
    mutating func sayAgain() { saidAt = nil }

    /// `LEAVE`, once; from then on nothing is said or taken.
    mutating func leave() -> Control? {
        guard !hasLeft else { return nil }
        hasLeft = true
        return .leave(member: member)
    }

    // MARK: What is heard

    /// Takes a list: all that this process shall have. What is lost comes first.
    mutating func take(_ assignments: [Assignment], for member: ID128) -> [Change] {
        guard member == self.member, !hasLeft else { return [] }
        hasJoined = true
        let wanted = Dictionary(
            assignments.map { ($0.partition, $0.epoch) }, uniquingKeysWith: { $1 })
        // What was given up and comes once more is to be begun once more.
        let lost = held.values.filter { holding in
            guard let epoch = wanted[holding.partition] else { return true }
            return holding.state == .failed && epoch != holding.epoch
        }.map(\.partition).sorted()
        for partition in lost {
            held[partition] = nil
            differences[partition] = nil
            restoring.remove(partition)
        }
        var gained: [Partition] = []
        for (partition, epoch) in wanted.sorted(by: { $0.key < $1.key }) {
            if held[partition] == nil { gained.append(partition) }
            let state = held[partition]?.state ?? .restoring
            held[partition] = Holding(partition: partition, epoch: epoch, state: state)
        }
        restoring.formUnion(gained)
        if !gained.isEmpty || !lost.isEmpty { hasNews = true }
        return lost.map(Change.lost) + gained.map(Change.gained)
    }

    // MARK: What becomes of them

    /// The partition is read from its checkpoint again.
    mutating func restores(_ partition: Partition) {
        guard set(partition, .restoring) else { return }
        restoring.insert(partition)
    }

    /// Everything that there was is evaluated.
    mutating func isCaughtUp(_ partition: Partition) {
        guard set(partition, .live) else { return }
        restoring.remove(partition)
        failures[partition] = nil
    }

    /// The partition cannot be evaluated here.
    mutating func fails(_ partition: Partition, because reason: String) {
        guard set(partition, .failed) else { return }
        restoring.remove(partition)
        failures[partition] = reason
    }

    private mutating func set(_ partition: Partition, _ state: Holding.State) -> Bool {
        guard let found = held[partition] else { return false }
        if found.state != state { hasNews = true }
        held[partition]?.state = state
        return true
    }

    /// Something else was computed than is kept. Whether it is worth reading the checkpoint and
    /// computing anew: that mends what went wrong once, and not what goes wrong again and again.
    mutating func mayComputeAnew(_ partition: Partition, now: Duration) -> Bool {
        let recent = (differences[partition] ?? []).filter {
            now - $0 < BusLimits.restartsWindow
        }
        differences[partition] = recent + [now]
        return recent.count < BusLimits.restartsMax
    }
}
