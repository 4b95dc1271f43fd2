import Bus
import Hashing
import Model
import Wire

@testable import IngestDaemon

/// An evaluator as ingest sees it: what it says over its route.
struct Evaluator {
    let member: ID128
    let world: World
    var logic: ClosedRange<UInt16> = 1...1
    /// It says that it is live, and evaluates nothing.
    var isIdle = false

    init(_ number: UInt64, in world: World) {
        member = ID128(high: 9, low: number)
        self.world = world
    }

    var route: Route { Route(bytes: Array("route \(member.low)".utf8)) }

    func say(_ control: Control) throws {
        try world.turn { try world.service.coordinate(control, from: route) }
    }

    func join() throws { try say(.join(member: member, logic: logic)) }

    /// Everything that it was last given is live.
    func renew() throws {
        try say(
            .renew(
                member: member, logic: logic,
                leases: assignments.map {
                    Lease(
                        partition: $0.partition, epoch: $0.epoch, state: .live,
                        applied: isIdle ? .unknown : world.end($0.partition))
                }))
    }

    /// Its assignments by the last control.
    var assignments: [Assignment] {
        for (control, route) in world.sentControls.reversed() where route == self.route {
            if case .assign(member, _, let assignments) = control { return assignments }
        }
        return []
    }

    /// The last answer to a piece of a checkpoint.
    var verdict: CheckpointVerdict? {
        for (control, route) in world.sentControls.reversed() where route == self.route {
            if case .checkpointReply(let answer) = control { return answer.verdict }
        }
        return nil
    }

    /// Says that a partition is its own, unless that is known.
    func claim(_ partition: Partition) throws {
        guard !world.service.ownership.coordinator.hasAssignment(member, at: partition) else {
            return
        }
        let lease = Lease(partition: partition, epoch: 1, state: .live)
        try say(.renew(member: member, logic: logic, leases: [lease]))
    }

    /// Sends a piece, and receives the replies.
    func send(
        _ checkpoint: Checkpoint, from offset: UInt32, id: ID128? = nil
    ) throws -> CheckpointVerdict? {
        try claim(checkpoint.partition)
        try say(.checkpoint(piece(of: checkpoint, from: offset, id: id)))
        return verdict
    }

    func piece(
        of checkpoint: Checkpoint, from offset: UInt32, id: ID128? = nil
    ) -> CheckpointPiece {
        checkpoint.piece(id: id ?? checkpoint.id, from: offset, by: member, epoch: 1)
    }

    /// Sends all of it.
    func send(_ checkpoint: Checkpoint) throws -> CheckpointVerdict? {
        var verdict = try send(checkpoint, from: 0)
        while case .more(let next) = verdict { verdict = try send(checkpoint, from: next) }
        return verdict
    }
}

extension World {
    /// Where the log of a partition ends.
    func end(_ partition: Partition) -> Position { bus.position(of: .input(partition)) ?? .unknown }

    /// A checkpoint of everything that there is in a partition.
    func checkpoint(
        of partition: Partition, state: [UInt8] = [1, 2, 3], logic: UInt16 = 1
    ) -> Checkpoint {
        Checkpoint(
            partition: partition, input: end(partition),
            output: bus.position(of: .events(partition)) ?? .unknown, logic: logic,
            stateHash: Hash.state(state), state: state)
    }

    /// A report enters the log of somebody's partition.
    func report(from number: UInt64 = 1) throws {
        now = now + .seconds(30)
        try send(
            .post, "/v1/reports", #"{"lat":3.1,"lon":101.7,"time":"\#(now)"}"#,
            token: "phone-\(number)")
    }

    /// Time passes, with a turn four times a second; then everybody says that they are there.
    func wait(seconds: Int, with evaluators: [Evaluator] = []) throws {
        for _ in 0..<seconds {
            for _ in 0..<4 {
                now = now + .milliseconds(250)
                try turn {}
            }
            for evaluator in evaluators { try evaluator.renew() }
        }
    }

    /// What a new owner would be given.
    func snapshot(_ partition: Partition) throws -> (PartitionSnapshot?, Position?) {
        let found = try service.snapshotRecords(of: .input(partition))
        return (try PartitionSnapshot(records: found.records), found.position)
    }
}
