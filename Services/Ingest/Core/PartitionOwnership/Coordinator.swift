import Model
import Wire

/// Assigns partitions to evaluators.
///
/// Assignments are even within one, sticky, and change with as few moves as possible. During a move
/// the old owner keeps the partition until the new one is live: two owners are harmless, none is
/// not. All state is disposable: after a restart the coordinator rebuilds it from members' claims.
///
/// An epoch only tells which of two leases is newer. A member is a process of an evaluator,
/// identified by a random id.
public struct Coordinator: Sendable {
    /// An input of ``Coordinator``.
    public enum Input: Hashable, Sendable {
        /// A member reports that it is alive, the logic versions that it can run, and its leases.
        case renewed(member: ID128, logic: ClosedRange<UInt16>, leases: [Lease])
        case left(member: ID128)
        /// A member fails to do its work: its partitions go to others.
        case revoke(member: ID128, Revocation)
        /// The logs have switched to this version of the logic.
        case logic(UInt16)
        /// A new checkpoint of a partition is available: members that failed it may try again.
        case retry(Partition)
        /// Time has passed.
        case tick
    }

    /// Why a member loses its partitions.
    public enum Revocation: String, Hashable, Sendable, CaseIterable {
        /// It proposed an invalid record. It gets no partition until the distrust ends.
        case invalidProposal
        /// It evaluates nothing although records wait. It gets only partitions that no other member
        /// can own.
        case idle
    }

    /// An effect of ``Coordinator``.
    public enum Effect: Hashable, Sendable {
        /// The complete list of a member's assignments, as a response or because it changed.
        case assign(member: ID128, logic: UInt16, assignments: [Assignment])
        /// Every member can run this version, so the logs may switch to it. Emitted until
        /// ``Input/logic(_:)`` confirms it.
        case raise(logic: UInt16)
        /// A member has caught up with a partition.
        case caughtUp(Partition)
        /// A member gave up a partition that was assigned to it.
        case failed(Partition)
    }

    struct PartitionLease: Hashable {
        var member: ID128
        var epoch: UInt64
        /// When it began, or was last reported live.
        var since: Timestamp
    }

    /// The owner of a partition and its successor during a move.
    struct PartitionAssignment: Hashable {
        var owner: PartitionLease?
        /// Becomes the owner as soon as it is live.
        var successor: PartitionLease?

        /// The owner once all moves are done.
        var future: PartitionLease? { successor ?? owner }
    }

    /// Version of the logic in force in the logs.
    public private(set) var logic: UInt16
    /// Moves started since the start of the process.
    public private(set) var moves = 0
    private let partitions: [Partition]
    private(set) var members = Members()
    private(set) var assignments: [Partition: PartitionAssignment] = [:]
    private var epoch: UInt64
    /// The time of the current input.
    private var now: Timestamp
    /// The newest version that the logs may switch to.
    private let logicNewest: UInt16
    /// Until then no partition is assigned that a member may still claim.
    private let settledAt: Timestamp

    /// - Parameters:
    ///   - partitions: ascending
    ///   - isNew: there are no logs yet, so there can be no owners
    ///   - logicNewest: the newest version that the logs may switch to, whatever members can run
    ///   - now: a monotonic time. It should increase from one process to the next, as epochs begin
    ///     with it.
    public init(
        partitions: [Partition] = Partition.all, isNew: Bool, logic: UInt16,
        logicNewest: UInt16 = Limits.logicNewest, at now: Timestamp
    ) {
        self.partitions = partitions
        self.logic = logic
        self.logicNewest = logicNewest
        epoch = UInt64(clamping: now.microseconds / 1000)
        settledAt = isNew ? now : now + .seconds(Limits.settleSeconds)
        self.now = now
        for partition in partitions { assignments[partition] = PartitionAssignment() }
    }

    /// Handles one input.
    public mutating func handle(_ input: Input, at now: Timestamp, into effects: inout [Effect]) {
        discountPause(until: now)
        var answered: ID128?
        switch input {
        case .renewed(let member, let logic, let leases):
            recordRenewal(of: member, logic: logic, leases: leases, into: &effects)
            answered = member
        case .left(let member): members[member] = nil
        case .revoke(let member, let cause): members.revoke(member, because: cause, at: now)
        case .logic(let version):
            if version != logic {
                logic = version
                for member in members.all.keys { members[member]?.sent = nil }
            }
        case .retry(let partition):
            for member in members.all.keys { members[member]?.failed[partition] = nil }
        case .tick: break
        }
        members.expire(at: now)
        revoke()
        if isSettled {
            assign()
            offload()
            balance()
            raiseLogic(into: &effects)
        }
        emitAssignments(answering: answered, into: &effects)
    }

    /// Whether all members had the time to report their leases.
    public var isSettled: Bool { now >= settledAt }

    /// Limits how much of a pause of the coordinator itself counts as missed contact of members.
    private mutating func discountPause(until now: Timestamp) {
        let pause = now - self.now - .seconds(Limits.coordinatorPauseSeconds)
        self.now = now
        guard pause > .zero else { return }
        members.discount(pause)
        for partition in partitions {
            guard let assignment = assignments[partition] else { continue }
            if let owner = assignment.owner {
                assignments[partition]?.owner?.since = owner.since + pause
            }
            if let next = assignment.successor {
                assignments[partition]?.successor?.since = next.since + pause
            }
        }
    }

    // MARK: Members

    private mutating func recordRenewal(
        of id: ID128, logic: ClosedRange<UInt16>, leases: [Lease],
        into effects: inout [Effect]
    ) {
        guard var member = members.renew(id, logic: logic, at: now) else { return }
        member.logic = logic
        member.seen = now
        member.leases.removeAll(keepingCapacity: true)
        for lease in leases where lease.epoch <= Limits.epochMax {
            member.leases[lease.partition] = lease
            epoch = max(epoch, lease.epoch)
            record(lease, of: id, in: &member, into: &effects)
        }
        members[id] = member
        for lease in leases.sorted(by: { $0.partition < $1.partition })
        where lease.epoch <= Limits.epochMax && isFit(id, for: lease.partition) {
            applyClaim(lease, of: id)
        }
    }

    /// Applies what a member reports about one of its leases.
    private mutating func record(
        _ lease: Lease, of id: ID128, in member: inout Members.Member, into effects: inout [Effect]
    ) {
        let partition = lease.partition
        let given = partitionLease(of: id, at: partition)
        switch lease.state {
        case .restoring: break
        case .live:
            guard let given, given.epoch == lease.epoch else { return }
            if assignments[partition]?.owner == given {
                assignments[partition]?.owner?.since = now
            } else {
                assignments[partition]?.successor?.since = now
            }
            let was = members[id]?.leases[partition]
            if was?.state != .live || was?.epoch != lease.epoch {
                effects.append(.caughtUp(partition))
            }
        case .failed:
            // A report about an earlier lease does not concern this one.
            if let given, given.epoch != lease.epoch { return }
            if given != nil { effects.append(.failed(partition)) }
            member.failed[partition] = now + .seconds(Limits.failedSeconds)
        }
    }

    /// Whether a member owns a partition or is its successor.
    public func hasAssignment(_ id: ID128, at partition: Partition) -> Bool {
        partitionLease(of: id, at: partition) != nil
    }

    private func partitionLease(of id: ID128, at partition: Partition) -> PartitionLease? {
        guard let assignment = assignments[partition] else { return nil }
        return [assignment.owner, assignment.successor].compactMap(\.self).first { $0.member == id }
    }

    func isFit(_ id: ID128, for partition: Partition) -> Bool {
        members.isFit(id, for: partition, logic: logic)
    }

    private func mayAssign(_ id: ID128, _ partition: Partition) -> Bool {
        members.mayAssign(id, partition, logic: logic, at: now)
    }

    /// Lets a member keep a partition that it claims and no other member owns. Two members may
    /// claim one partition while the coordinator settles: then a move was in progress.
    private mutating func applyClaim(_ lease: Lease, of id: ID128) {
        guard var assignment = assignments[lease.partition] else { return }
        let claim = PartitionLease(member: id, epoch: lease.epoch, since: now)
        guard assignment.owner?.member != id, assignment.successor?.member != id else { return }
        if let owner = assignment.owner {
            guard !isSettled, assignment.successor == nil else { return }
            assignment =
                owner.epoch < claim.epoch
                ? PartitionAssignment(owner: owner, successor: claim)
                : PartitionAssignment(owner: claim, successor: owner)
        } else {
            assignment.owner = claim
        }
        assignments[lease.partition] = assignment
    }

    // MARK: Assignments

    /// Revokes the assignments of unfit or missing members, and ends moves whose successor is live.
    private mutating func revoke() {
        for partition in partitions {
            guard var assignment = assignments[partition] else { continue }
            if let owner = assignment.owner,
                !isFit(owner.member, for: partition)
                    || members.isReplaceable(owner.member, at: partition, logic: logic)
            {
                assignment.owner = nil
            }
            if let next = assignment.successor {
                if !isFit(next.member, for: partition) || members[next.member]?.revoked != nil {
                    assignment.successor = nil
                } else if assignment.owner == nil || state(of: next, at: partition) == .live {
                    assignment = PartitionAssignment(owner: next)
                }
            }
            assignments[partition] = assignment
        }
    }

    /// The state of a lease as its member reports it; nil = not reported.
    func state(of partitionLease: PartitionLease, at partition: Partition) -> Lease.State? {
        guard let lease = members[partitionLease.member]?.leases[partition],
            lease.epoch == partitionLease.epoch
        else { return nil }
        return lease.state
    }

    /// Assigns partitions without owner to the least loaded fit member, preferably one that already
    /// has their state.
    private mutating func assign() {
        var loads = self.loads
        for partition in partitions where assignments[partition]?.owner == nil {
            let fit = loads.filter { isFit($0.key, for: partition) }
            let chosen = fit.min { left, right in
                rank(left, for: partition) < rank(right, for: partition)
            }
            guard let member = chosen?.key else { continue }
            assignments[partition] = PartitionAssignment(owner: newPartitionLease(of: member))
            loads[member, default: 0] += 1
        }
    }

    private func rank(
        _ entry: (key: ID128, value: Int), for partition: Partition
    ) -> (Int, Int, Int, Int, ID128) {
        let member = members[entry.key]
        let isSlow = member?.slow[partition] != nil
        let knows = member?.leases[partition] != nil
        return (
            members.distrust(of: entry.key, at: now), isSlow ? 1 : 0, entry.value, knows ? 0 : 1,
            entry.key
        )
    }

    /// Moves partitions from the most to the least loaded members until none has two more than
    /// another. No other way needs fewer moves.
    private mutating func balance() {
        var loads = self.loads.filter { $0.value > 0 || members.distrust(of: $0.key, at: now) == 0 }
        while let (partition, from, to) = nextMove(loads) {
            guard let assignment = assignments[partition] else { continue }
            if assignment.owner?.member == to {
                assignments[partition]?.successor = nil
            } else {
                setSuccessor(to, at: partition)
            }
            loads[from, default: 0] -= 1
            loads[to, default: 0] += 1
        }
    }

    /// Number of partitions of each fit member once all moves are done.
    private var loads: [ID128: Int] {
        var loads: [ID128: Int] = [:]
        for (id, member) in members.all where member.logic.contains(logic) { loads[id] = 0 }
        for assignment in assignments.values {
            if let member = assignment.future?.member { loads[member, default: 0] += 1 }
        }
        return loads
    }

    private func nextMove(
        _ loads: [ID128: Int]
    ) -> (partition: Partition, from: ID128, to: ID128)? {
        let rising = loads.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        for from in rising.reversed() {
            for to in rising {
                guard from.value - to.value > 1 else { break }
                if let partition = cheapest(from: from.key, to: to.key) {
                    return (partition, from.key, to.key)
                }
            }
        }
        return nil
    }

    /// The partition of `from` whose move to `to` disturbs least.
    private func cheapest(from: ID128, to: ID128) -> Partition? {
        partitions.filter { assignments[$0]?.future?.member == from && mayAssign(to, $0) }
            .min { (cost($0, of: to), $0) < (cost($1, of: to), $1) }
    }

    private func cost(_ partition: Partition, of to: ID128) -> Int {
        guard let assignment = assignments[partition], let owner = assignment.owner else {
            return 0
        }
        if owner.member == to { return 0 }
        if assignment.successor != nil { return 1 }
        if members[to]?.leases[partition] != nil { return 2 }
        return state(of: owner, at: partition) == .live ? 4 : 3
    }

    /// Starts the move of a partition to a member.
    private mutating func setSuccessor(_ member: ID128, at partition: Partition) {
        let partitionLease = newPartitionLease(of: member)
        assignments[partition]?.successor = partitionLease
        moves += 1
    }

    private mutating func newPartitionLease(of member: ID128) -> PartitionLease {
        epoch += 1
        return PartitionLease(member: member, epoch: epoch, since: now)
    }

    // MARK: Members that do not catch up

    /// Starts moves of partitions that their owner does not catch up with, to members that have
    /// caught up with everything. The owner keeps the partition until the successor is live. If all
    /// members are busy, another reader helps nobody.
    private mutating func offload() {
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
            let others = members.all.keys.filter {
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
    private func isStuck(_ partitionLease: PartitionLease, at partition: Partition) -> Bool {
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

    // MARK: Lists that members get

    /// Emits the newest version that every member can switch to and that this release knows. A log
    /// with a newer version could not be read by any evaluator.
    private func raiseLogic(into effects: inout [Effect]) {
        guard let common = members.all.values.map(\.logic.upperBound).min(),
            members.all.values.allSatisfy({ $0.logic.contains(logic) })
        else { return }
        let newest = min(common, logicNewest)
        if newest > logic { effects.append(.raise(logic: newest)) }
    }

    /// Emits the assignments of members whose list changed, and of the one that asked.
    private mutating func emitAssignments(answering answered: ID128?, into effects: inout [Effect])
    {
        for id in members.all.keys.sorted() {
            let list = assignments(of: id)
            guard id == answered || members[id]?.sent != list else { continue }
            members[id]?.sent = list
            effects.append(.assign(member: id, logic: logic, assignments: list))
        }
    }

    /// The assignments of a member, ordered by partition.
    public func assignments(of member: ID128) -> [Assignment] {
        partitions.compactMap { partition in
            partitionLease(of: member, at: partition).map {
                Assignment(partition: partition, epoch: $0.epoch)
            }
        }
    }

    // MARK: Views

    /// Whether a member is known.
    public func knows(_ id: ID128) -> Bool { members[id] != nil }

    public var memberIDs: Set<ID128> { Set(members.all.keys) }

    /// Ordered by id.
    public var memberViews: [MemberView] {
        members.all.sorted { $0.key < $1.key }.map { id, member in
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
        members.all.filter { $0.value.failed[partition] != nil }.keys.sorted()
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
