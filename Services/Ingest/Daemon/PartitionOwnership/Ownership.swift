import Bus
import Hashing
import Hosting
import IngestCore
import Model
import Runtime
import Store
import Wire

/// Manages owners and checkpoints of partitions: passes requests of evaluators to the
/// ``Coordinator`` and stores their checkpoints.
///
/// Members are not stored: they report again each second.
final class Ownership {
    let host: any IngestHost
    let checkpoints: CheckpointIntake
    private(set) var coordinator: Coordinator
    private let logicNewest: UInt16
    private(set) var revocations: [Coordinator.Revocation: Int] = [:]
    /// Ownership requests beyond the limits since the start.
    private(set) var requestsDropped = 0
    /// Partitions with records that no checkpoint includes.
    private(set) var waiting = WaitingPartitions()
    private var routes: [ID128: Route] = [:]
    private var intake = OwnershipIntake()
    /// How far owners have evaluated their partitions.
    var progress = EvaluationProgress()
    /// Revoked members and the reason, until the distrust ends.
    private(set) var revoked: [ID128: RevokedMember] = [:]
    private var ticked = Timestamp.zero

    init(host: any IngestHost, database: Database, logicNewest: UInt16) {
        self.host = host
        self.logicNewest = logicNewest
        checkpoints = CheckpointIntake(host: host, database: database)
        coordinator = Coordinator(
            isNew: true, logic: Limits.logicVersion, logicNewest: logicNewest, at: host.now)
    }

    /// Starts without owners; members claim their partitions.
    func start(_ core: Core) {
        coordinator = Coordinator(
            isNew: core.sequencer.isEmpty, logic: core.sequencer.logic, logicNewest: logicNewest,
            at: host.now)
    }

    // MARK: Members

    /// Handles a message of a member.
    ///
    /// - Returns: the version of the logic that all logs must switch to; nil = unchanged
    func receive(_ question: Control, from route: Route) throws -> UInt16? {
        guard
            let replaced = intake.admit(
                question, from: route, at: host.now, isKnown: coordinator.knows)
        else {
            requestsDropped += 1
            return nil
        }
        if let member = replaced.member { _ = try handle(.left(member: member)) }
        switch question {
        case .join(let member, let logic):
            routes[member] = route
            return try handle(.renewed(member: member, logic: logic, leases: []))
        case .renew(let member, let logic, let leases):
            routes[member] = route
            try recordProgress(of: member, leases)
            return try handle(.renewed(member: member, logic: logic, leases: leases))
        case .leave(let member): return try handle(.left(member: member))
        case .checkpoint(let piece):
            guard let verdict = try checkpoints.receive(piece, coordinator) else { return nil }
            let answer = CheckpointReply(
                partition: piece.partition, id: piece.id, verdict: verdict)
            host.reply(with: .checkpointReply(answer), to: route)
            return nil
        default: return nil
        }
    }

    /// Passes time to the coordinator, a few times per second.
    ///
    /// - Returns: as ``receive(_:from:)``
    func tick() throws -> UInt16? {
        guard host.now - ticked >= .milliseconds(Ownership.tickMilliseconds) else { return nil }
        ticked = host.now
        checkpoints.tick()
        let raised = try handle(.tick)
        try updateWaiting()
        try revokeIdle()
        return raised
    }

    private static let tickMilliseconds: Int64 = 200

    /// Passes the logic version in force to the coordinator, also after a rollback.
    func logicIs(_ version: UInt16) throws {
        guard version != coordinator.logic else { return }
        _ = try handle(.logic(version))
    }

    private func handle(_ input: Coordinator.Input) throws -> UInt16? {
        let before = coordinator.memberIDs
        var effects: [Coordinator.Effect] = []
        coordinator.handle(input, at: host.now, into: &effects)
        var raised: UInt16?
        for effect in effects {
            switch effect {
            case .assign(let member, let logic, let assignments):
                guard let route = routes[member] else { continue }
                host.reply(
                    with: .assign(member: member, logic: logic, assignments: assignments), to: route
                )
            case .raise(let version): raised = version
            case .caughtUp(let partition): try checkpoints.recordCaughtUp(partition)
            case .failed(let partition):
                if try checkpoints.recordFailure(of: partition) {
                    _ = try handle(.retry(partition))
                }
            }
        }
        logMemberChanges(since: before)
        return raised
    }

    private func logMemberChanges(since before: Set<ID128>) {
        let members = coordinator.memberIDs
        guard members != before else { return }
        for member in members.subtracting(before).sorted() {
            host.log.info("evaluator joined", ["member": member.text])
        }
        for member in before.subtracting(members).sorted() {
            routes[member] = nil
            host.log.info("evaluator left", ["member": member.text])
        }
    }

    // MARK: Progress

    /// Updates which partitions have records that no checkpoint includes.
    private func updateWaiting() throws {
        waiting.update(
            newest: try checkpoints.table.newest(), unowned: Set(coordinator.unowned),
            head: { host.position(of: .input($0))?.sequence ?? 0 }, at: host.now)
    }

    /// Records the progress of a member's leases if their positions are in the log.
    private func recordProgress(of member: ID128, _ leases: [Lease]) throws {
        for lease in leases where coordinator.owns(member, lease.partition) {
            let stream = StreamName.input(lease.partition)
            guard lease.applied.sequence > progress.entries[lease.partition]?.sequence ?? 0,
                try host.isOnChain(lease.applied, of: stream)
            else { continue }
            progress.record(
                lease.applied.sequence, in: lease.partition, by: member, at: host.now)
        }
    }

    /// Revokes owners that evaluate nothing.
    private func revokeIdle() throws {
        revoked = revoked.filter {
            host.now - $0.value.at < .seconds(Limits.distrustSeconds)
        }
        let live = coordinator.assignmentViews.filter { $0.state == .live }
        progress.step(
            owners: Dictionary(
                live.compactMap { assignment in assignment.owner.map { (assignment.partition, $0) }
                },
                uniquingKeysWith: { $1 }),
            head: { host.position(of: .input($0))?.sequence ?? 0 }, at: host.now)
        let idle = progress.idle(for: Limits.idleRevokedSeconds, at: host.now)
        var members: [ID128: [Partition]] = [:]
        for assignment in live where idle.contains(assignment.partition) {
            if let owner = assignment.owner {
                members[owner, default: []].append(assignment.partition)
            }
        }
        for (member, partitions) in members.sorted(by: { $0.key < $1.key }) {
            for partition in partitions { progress.forget(partition) }
            try revoke(
                member, .idle, "evaluated nothing of \(partitions.listed)")
        }
    }

    /// Whether a member may propose outputs of a partition: it is its owner or successor. While the
    /// coordinator settles, every member may.
    func mayPropose(_ stream: StreamName, by member: ID128) -> Bool {
        guard case .events(let partition) = stream else { return false }
        return coordinator.hasAssignment(member, at: partition)
            || !coordinator.isSettled && revoked[member] == nil
    }

    /// Revokes a member that proposed an invalid record.
    func proposalRejected(
        _ stream: StreamName, by member: ID128, because reason: String
    ) throws {
        try revoke(member, .invalidProposal, "proposed an invalid record of \(stream): \(reason)")
    }

    private func revoke(
        _ member: ID128, _ cause: Coordinator.Revocation, _ reason: String
    ) throws {
        guard coordinator.knows(member) else { return }
        revocations[cause, default: 0] += 1
        if revoked[member]?.cause != cause {
            host.log.error(
                "evaluator revoked",
                [
                    "member": member.text, "cause": cause.rawValue, "reason": reason,
                    "hint": "Look at its log. If it is not yours, create a new key: "
                        + "'jaga keys init --role evaluator --force'.",
                ])
        }
        revoked[member] = RevokedMember(cause: cause, reason: reason, at: host.now)
        _ = try handle(.revoke(member: member, cause))
    }
}

/// A revoked member as shown to the operator.
struct RevokedMember: Hashable {
    var cause: Coordinator.Revocation
    var reason: String
    var at: Timestamp
}
