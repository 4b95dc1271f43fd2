import Model
import Wire

/// Decides which evaluator computes which partition.
///
/// Even within one, sticky, and with as few moves as that takes. A move gives the partition to its
/// successor while the owner keeps it, and takes it from the owner once the successor is live: two
/// owners are harmless, none is not. Everything here may be lost: whoever is asked anew learns from
/// the members' claims who owns what, and leaves it so.
///
/// An epoch says which of two ownerships is the newer one, nothing more. A member is an evaluator's
/// process by the random id of its life.
public struct Coordinator: Sendable {
    /// What can happen to it.
    public enum Input: Hashable, Sendable {
        /// A member says that it is there, what logic it can run, and what it holds.
        case heard(member: ID128, logic: ClosedRange<UInt16>, holdings: [Holding])
        case left(member: ID128)
        /// A member does not do its work: its partitions go to others.
        case revoke(member: ID128, Revocation)
        /// The logs have this version of the logic now.
        case logic(UInt16)
        /// There is another checkpoint of a partition to begin with: whoever could not compute it
        /// may try again.
        case retry(Partition)
        /// Time has passed.
        case tick
    }

    /// Why a member loses its partitions.
    public enum Revocation: String, Hashable, Sendable, CaseIterable {
        /// It proposed what cannot be read. It gets nothing until the distrust ends.
        case invalidProposal
        /// It evaluates nothing although records wait. It gets only what nobody else can have.
        case idle
    }

    /// What is to be done.
    public enum Effect: Hashable, Sendable {
        /// The whole list of a member: an answer to what was heard, or because it has changed.
        case assign(member: ID128, logic: UInt16, assignments: [Assignment])
        /// Every member can run this version: the logs may go on by it. Asked for until
        /// ``Input/logic(_:)`` says so.
        case raise(logic: UInt16)
        /// A member has read all that there was of a partition.
        case lived(Partition)
        /// A member has given a partition up that it was to compute.
        case failed(Partition)
    }

    struct Member {
        var logic: ClosedRange<UInt16>
        var heard: Timestamp
        /// Members that joined before it, of this life of the coordinator.
        let number: Int
        /// Why it is not trusted, until the distrust ends.
        var revoked: (cause: Revocation, until: Timestamp)?
        /// As it last said.
        var holdings: [Partition: Holding] = [:]
        /// What it could not compute, and until when it does not get that again.
        var failed: [Partition: Timestamp] = [:]
        /// What it was too slow for, and until when it is not given that again.
        var slow: [Partition: Timestamp] = [:]
        /// What it was last told; nil for nothing yet.
        var told: [Assignment]?
    }

    struct Tenure: Hashable {
        var member: ID128
        var epoch: UInt64
        /// When it began, or was last said to be live.
        var since: Timestamp
    }

    /// Who has a partition, and who is to have it.
    struct Seat: Hashable {
        var owner: Tenure?
        /// Takes over as soon as it is live.
        var successor: Tenure?

        /// Who has it once all moves are done.
        var future: Tenure? { successor ?? owner }
    }

    /// The version of the logic by which the logs go on.
    public private(set) var logic: UInt16
    /// Moves begun, that is successors named, since the start.
    public private(set) var moves = 0
    let partitions: [Partition]
    var members: [ID128: Member] = [:]
    var seats: [Partition: Seat] = [:]
    private var epoch: UInt64
    /// Of this input.
    var now: Timestamp
    /// The logs go over to no newer version than this.
    let logicNewest: UInt16
    /// Until then members that join after the last revocation are not trusted.
    var waryUntil = Timestamp.zero
    var firstDistrusted = 0
    var memberCount = 0
    /// Until then nobody gets what another may claim.
    private let settledAt: Timestamp

    /// - Parameters:
    ///   - partitions: ascending
    ///   - isNew: there are no logs yet, so nobody can own anything
    ///   - logicNewest: the logs go over to no newer version, whatever members can run
    ///   - now: a time that never decreases and does not follow the wall clock's jumps; from one
    ///     life to the next it should rise, as epochs begin with it
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
        for partition in partitions { seats[partition] = Seat() }
    }

    /// Takes one input in.
    public mutating func handle(_ input: Input, at now: Timestamp, into effects: inout [Effect]) {
        forgivePause(until: now)
        var answered: ID128?
        switch input {
        case .heard(let member, let logic, let holdings):
            hear(member, logic: logic, holdings: holdings, into: &effects)
            answered = member
        case .left(let member): members[member] = nil
        case .revoke(let member, let cause): revoke(member, because: cause)
        case .logic(let version):
            if version != logic {
                logic = version
                for member in members.keys { members[member]?.told = nil }
            }
        case .retry(let partition):
            for member in members.keys { members[member]?.failed[partition] = nil }
        case .tick: break
        }
        members = members.filter { now - $0.value.heard <= .seconds(Limits.memberSeconds) }
        forgive()
        vacate()
        if isSettled {
            fill()
            relieve()
            balance()
            raiseLogic(into: &effects)
        }
        tell(answered, into: &effects)
    }

    /// Whether everybody had the time to say what they own.
    public var isSettled: Bool { now >= settledAt }

    /// Whoever was not listening must not take the silence for others': that time counts for no
    /// more than the longest that is usual.
    private mutating func forgivePause(until now: Timestamp) {
        let pause = now - self.now - .seconds(Limits.coordinatorPauseSeconds)
        self.now = now
        guard pause > .zero else { return }
        for member in members.keys {
            guard let heard = members[member]?.heard else { continue }
            members[member]?.heard = heard + pause
        }
        for partition in partitions {
            guard let seat = seats[partition] else { continue }
            if let owner = seat.owner { seats[partition]?.owner?.since = owner.since + pause }
            if let next = seat.successor {
                seats[partition]?.successor?.since = next.since + pause
            }
        }
    }

    // MARK: Members

    private mutating func hear(
        _ id: ID128, logic: ClosedRange<UInt16>, holdings: [Holding],
        into effects: inout [Effect]
    ) {
        guard members[id] != nil || hasRoomForMember() else { return }
        var member = members[id] ?? newMember(logic)
        member.logic = logic
        member.heard = now
        member.holdings.removeAll(keepingCapacity: true)
        for holding in holdings where holding.epoch <= Limits.epochMax {
            member.holdings[holding.partition] = holding
            epoch = max(epoch, holding.epoch)
            note(holding, of: id, in: &member, into: &effects)
        }
        members[id] = member
        for holding in holdings.sorted(by: { $0.partition < $1.partition })
        where holding.epoch <= Limits.epochMax && isFit(id, for: holding.partition) {
            adopt(holding, of: id)
        }
    }

    /// What is new about a partition that a member has.
    private mutating func note(
        _ holding: Holding, of id: ID128, in member: inout Member, into effects: inout [Effect]
    ) {
        let partition = holding.partition
        let given = tenure(of: id, at: partition)
        switch holding.state {
        case .restoring: break
        case .live:
            guard let given, given.epoch == holding.epoch else { return }
            if seats[partition]?.owner == given {
                seats[partition]?.owner?.since = now
            } else {
                seats[partition]?.successor?.since = now
            }
            let was = members[id]?.holdings[partition]
            if was?.state != .live || was?.epoch != holding.epoch {
                effects.append(.lived(partition))
            }
        case .failed:
            // What it says of an earlier tenure says nothing of this one.
            if let given, given.epoch != holding.epoch { return }
            if given != nil { effects.append(.failed(partition)) }
            member.failed[partition] = now + .seconds(Limits.failedSeconds)
        }
    }

    /// Whether a member has a partition, or is to have it.
    public func hasSeat(_ id: ID128, at partition: Partition) -> Bool {
        tenure(of: id, at: partition) != nil
    }

    func tenure(of id: ID128, at partition: Partition) -> Tenure? {
        guard let seat = seats[partition] else { return nil }
        return [seat.owner, seat.successor].compactMap(\.self).first { $0.member == id }
    }

    /// Whether a member may have a partition at all.
    func isFit(_ id: ID128, for partition: Partition) -> Bool {
        guard let member = members[id] else { return false }
        return member.logic.contains(logic) && member.failed[partition] == nil
            && member.revoked?.cause != .invalidProposal
    }

    /// Lets a member keep what it claims and nobody else has. While this begins, two may claim one
    /// partition: then a move was under way.
    private mutating func adopt(_ holding: Holding, of id: ID128) {
        guard var seat = seats[holding.partition] else { return }
        let claim = Tenure(member: id, epoch: holding.epoch, since: now)
        guard seat.owner?.member != id, seat.successor?.member != id else { return }
        if let owner = seat.owner {
            guard !isSettled, seat.successor == nil else { return }
            seat =
                owner.epoch < claim.epoch
                ? Seat(owner: owner, successor: claim) : Seat(owner: claim, successor: owner)
        } else {
            seat.owner = claim
        }
        seats[holding.partition] = seat
    }

    // MARK: Seats

    /// Takes seats from those who are gone or unfit, and ends moves whose successor is live.
    private mutating func vacate() {
        for partition in partitions {
            guard var seat = seats[partition] else { continue }
            if let owner = seat.owner,
                !isFit(owner.member, for: partition) || isReplaceable(owner.member, at: partition)
            {
                seat.owner = nil
            }
            if let next = seat.successor {
                if !isFit(next.member, for: partition) || members[next.member]?.revoked != nil {
                    seat.successor = nil
                } else if seat.owner == nil || state(of: next, at: partition) == .live {
                    seat = Seat(owner: next)
                }
            }
            seats[partition] = seat
        }
    }

    /// What a member says of a tenure; nil as long as it says nothing of it.
    func state(of tenure: Tenure, at partition: Partition) -> Holding.State? {
        guard let holding = members[tenure.member]?.holdings[partition],
            holding.epoch == tenure.epoch
        else { return nil }
        return holding.state
    }

    /// Gives what nobody has to whoever has least; among those, to one who knows it already.
    private mutating func fill() {
        var loads = self.loads
        for partition in partitions where seats[partition]?.owner == nil {
            let fit = loads.filter { isFit($0.key, for: partition) }
            let chosen = fit.min { left, right in
                rank(left, for: partition) < rank(right, for: partition)
            }
            guard let member = chosen?.key else { continue }
            seats[partition] = Seat(owner: newTenure(of: member))
            loads[member, default: 0] += 1
        }
    }

    private func rank(
        _ entry: (key: ID128, value: Int), for partition: Partition
    ) -> (Int, Int, Int, Int, ID128) {
        let member = members[entry.key]
        let isSlow = member?.slow[partition] != nil
        let knows = member?.holdings[partition] != nil
        return (distrust(of: entry.key), isSlow ? 1 : 0, entry.value, knows ? 0 : 1, entry.key)
    }

    /// Moves partitions from who has most to who has least until none has two more than another:
    /// no other way needs fewer moves.
    private mutating func balance() {
        var loads = self.loads.filter { $0.value > 0 || isTrusted($0.key) }
        while let (partition, from, to) = nextMove(loads) {
            guard let seat = seats[partition] else { continue }
            if seat.owner?.member == to {
                seats[partition]?.successor = nil
            } else {
                name(to, successorAt: partition)
            }
            loads[from, default: 0] -= 1
            loads[to, default: 0] += 1
        }
    }

    /// Partitions that each member who may have any has once all moves are done.
    var loads: [ID128: Int] {
        var loads: [ID128: Int] = [:]
        for (id, member) in members where member.logic.contains(logic) { loads[id] = 0 }
        for seat in seats.values {
            if let member = seat.future?.member { loads[member, default: 0] += 1 }
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
        partitions.filter { seats[$0]?.future?.member == from && mayTake(to, $0) }
            .min { (cost($0, of: to), $0) < (cost($1, of: to), $1) }
    }

    private func cost(_ partition: Partition, of to: ID128) -> Int {
        guard let seat = seats[partition], let owner = seat.owner else { return 0 }
        if owner.member == to { return 0 }
        if seat.successor != nil { return 1 }
        if members[to]?.holdings[partition] != nil { return 2 }
        return state(of: owner, at: partition) == .live ? 4 : 3
    }

    /// Has a partition move to a member as soon as that is live.
    mutating func name(_ member: ID128, successorAt partition: Partition) {
        let tenure = newTenure(of: member)
        seats[partition]?.successor = tenure
        moves += 1
    }

    private mutating func newTenure(of member: ID128) -> Tenure {
        epoch += 1
        return Tenure(member: member, epoch: epoch, since: now)
    }
}
