import Directory
import Hashing
import Model
import Runtime
import TestSupport
import Testing
import Wire

@testable import IngestCore
@testable import IngestDaemon

@Suite struct CheckpointTests {
    private let partition = Partition.of(person(1))

    private func count(_ world: World, _ table: String) throws -> Int {
        guard case .integer(let count) = try world.database.scalar("SELECT count(*) FROM \(table)")
        else { return -1 }
        return Int(count)
    }

    @Test func `without a checkpoint everything is read from the first record`() throws {
        let world = try World()
        let (snapshot, position) = try world.snapshot(partition)
        #expect(snapshot == nil)
        #expect(position == .start(of: world.end(partition).incarnation))
        #expect(try world.service.pruneFloor(of: .input(partition)) == nil)
    }

    @Test func `a new owner gets the older checkpoint and the newer one's hash`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        var sent: [Checkpoint] = []
        for number in 1...3 as ClosedRange<UInt8> {
            try world.report()
            sent.append(world.checkpoint(of: partition, state: [number]))
            #expect(try evaluator.send(sent[Int(number) - 1]) == .stored)
            #expect(try evaluator.send(sent[Int(number) - 1]) == .stored, "sent again")
        }
        #expect(try count(world, "checkpoint") == 2)
        for _ in 0..<2 {
            let (snapshot, position) = try world.snapshot(partition)
            #expect(position == sent[1].input)
            #expect(snapshot?.state == [2])
            let hashes = sent.map(\.stateHash)
            #expect(
                snapshot?.head == .init(output: sent[1].output, logic: 1, stateHash: hashes[1]))
            #expect(snapshot?.audit == .init(input: sent[2].input, stateHash: hashes[2]))
            #expect(
                try world.service.pruneFloor(of: .input(partition)) == sent[1].input.sequence)
            try world.restart()
        }
        #expect(try evaluator.send(sent[0]) == .rejected("a newer checkpoint is stored"))
        #expect(world.service.ownership.checkpoints.rejected["older"] == 1)
    }

    @Test func `a large checkpoint arrives in pieces, in any order`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        let state = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 * 7 / 3) }
        let checkpoint = world.checkpoint(of: partition, state: state)
        let size = UInt32(WireLimits.pieceBytesMax)
        #expect(try evaluator.send(checkpoint, from: size) == .more(next: 0))
        #expect(try evaluator.send(checkpoint, from: 0) == .more(next: size))
        #expect(try evaluator.send(checkpoint, from: 0) == .more(next: size))
        #expect(try evaluator.send(checkpoint, from: 2 * size) == .more(next: size))
        #expect(try evaluator.send(checkpoint, from: size) == .more(next: 2 * size))
        #expect(try count(world, "checkpoint") == 0)
        #expect(try evaluator.send(checkpoint, from: 2 * size) == .stored)
        #expect(try world.snapshot(partition).0?.state == state)
    }

    @Test func `a checkpoint with a wrong id is rejected`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        var checkpoint = world.checkpoint(of: partition)
        let id = checkpoint.id
        checkpoint.state[1] += 1
        guard case .rejected = try evaluator.send(checkpoint, from: 0, id: id) else {
            Issue.record("a digest was not checked")
            return
        }
        #expect(try count(world, "checkpoint") == 0)
        #expect(world.service.ownership.checkpoints.rejected["digest"] == 1)
    }

    @Test func `an incomplete checkpoint is dropped after a while and by a restart`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        let state = [UInt8](repeating: 1, count: 500_000)
        let checkpoint = world.checkpoint(of: partition, state: state)
        let size = UInt32(WireLimits.pieceBytesMax)
        #expect(try evaluator.send(checkpoint, from: 0) == .more(next: size))
        try world.wait(seconds: Int(Limits.pieceSeconds) + 1)
        #expect(try evaluator.send(checkpoint, from: size) == .more(next: 0))
        #expect(try evaluator.send(checkpoint, from: 0) == .more(next: size))
        try world.restart()
        #expect(try evaluator.send(checkpoint, from: size) == .more(next: 0))
        #expect(try evaluator.send(checkpoint) == .stored)
    }

    @Test func `a turn rolled back halfway costs the sender a piece, not the checkpoint`()
        throws
    {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        let state = [UInt8](repeating: 1, count: 500_000)
        let checkpoint = world.checkpoint(of: partition, state: state)
        let size = UInt32(WireLimits.pieceBytesMax)
        try evaluator.claim(partition)
        try world.failingTurn {
            try world.service.coordinate(
                .checkpoint(evaluator.piece(of: checkpoint, from: 0)), from: evaluator.route)
        }
        #expect(evaluator.verdict == nil)
        #expect(try evaluator.send(checkpoint, from: 0) == .more(next: size))
        try world.failingTurn {
            try world.service.coordinate(
                .checkpoint(evaluator.piece(of: checkpoint, from: size)), from: evaluator.route)
        }
        #expect(evaluator.verdict == .more(next: size))
        #expect(try count(world, "checkpoint") == 0)
        #expect(try evaluator.send(checkpoint) == .stored)
        #expect(try world.snapshot(partition).0?.state == state)
    }

    @Test func `a checkpoint with a wrong state hash is rejected`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        var checkpoint = world.checkpoint(of: partition)
        checkpoint.stateHash += 1
        #expect(
            try evaluator.send(checkpoint)
                == .rejected("the state does not match its hash"))
        #expect(try count(world, "checkpoint") == 0)
        #expect(world.service.ownership.checkpoints.rejected["stateHash"] == 1)
    }

    @Test func `a checkpoint of a partition that is not assigned is rejected`() throws {
        let world = try World()
        let (owner, stranger) = (Evaluator(1, in: world), Evaluator(2, in: world))
        try owner.claim(partition)
        let checkpoint = world.checkpoint(of: partition)
        let piece = stranger.piece(of: checkpoint, from: 0)
        try stranger.say(.checkpoint(piece))
        #expect(stranger.verdict == .rejected("the partition is not assigned to the sender"))
        try world.restart()
        let answers = world.sentControls.count
        try owner.say(.checkpoint(owner.piece(of: checkpoint, from: 0)))
        #expect(world.sentControls.count == answers, "it may still say that it has the partition")
        #expect(try owner.send(checkpoint) == .stored)
    }

    @Test func `a checkpoint of another log or output is rejected`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        var checkpoint = world.checkpoint(of: partition)
        checkpoint.input.hash += 1
        #expect(
            try evaluator.send(checkpoint)
                == .rejected("the checkpoint's input record is not in this partition's log"))
        checkpoint = world.checkpoint(of: partition)
        checkpoint.input.sequence += 1
        #expect(
            try evaluator.send(checkpoint)
                == .rejected("the checkpoint's input record is not in this partition's log"))
        checkpoint = world.checkpoint(of: partition)
        checkpoint.output.sequence += 1
        #expect(
            try evaluator.send(checkpoint)
                == .rejected("the checkpoint's outputs differ from the stored events"))
        checkpoint = world.checkpoint(of: partition, logic: 2)
        #expect(
            try evaluator.send(checkpoint)
                == .rejected("another logic version is in force at this sequence"))
        #expect(try count(world, "checkpoint") == 0)
    }

    @Test func `two states at one sequence are an alarm until both are outdated`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        let one = world.checkpoint(of: partition, state: [1])
        let other = world.checkpoint(of: partition, state: [2])
        #expect(try evaluator.send(one) == .stored)
        #expect(
            try evaluator.send(other) == .rejected("another state is stored for the same sequence"))
        #expect(world.service.ownership.checkpoints.stateConflicts == 1)
        let problem = "different states at record \(one.input.sequence)"
        #expect(world.service.healthProblems.contains { $0.contains(problem) })
        #expect(try world.snapshot(partition).0?.state == [1])
        for number in 3...4 as ClosedRange<UInt8> {
            try world.report()
            #expect(world.service.healthProblems.contains { $0.contains(problem) })
            let next = world.checkpoint(of: partition, state: [number])
            #expect(try evaluator.send(next) == .stored)
        }
        #expect(!world.service.healthProblems.contains { $0.contains(problem) })
    }

    @Test func `a restored store rejects newer checkpoints`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        try world.report()
        let old = world.checkpoint(of: partition, state: [1])
        #expect(try evaluator.send(old) == .stored)
        try world.copyStore(to: "copy")
        try world.report()
        let new = world.checkpoint(of: partition, state: [2])
        #expect(try evaluator.send(new) == .stored)
        try world.putBack("copy")
        #expect(try world.snapshot(partition).1 == old.input)
        #expect(
            try evaluator.send(new)
                == .rejected("the checkpoint's input record is not in this partition's log"))
        world.now = world.now + .seconds(7)
        try world.report()
        #expect(world.end(partition).sequence == new.input.sequence)
        #expect(
            try evaluator.send(new)
                == .rejected("the checkpoint's input record is not in this partition's log"))
        let other = world.checkpoint(of: partition, state: [3])
        #expect(try evaluator.send(other) == .stored)
        #expect(try world.snapshot(partition).0?.audit?.input == other.input)
    }

    @Test func `the newest checkpoint is used alone if the older one is far behind`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        let old = world.checkpoint(of: partition)
        #expect(try evaluator.send(old) == .stored)
        try world.turn {
            for number in 0...Limits.auditRecords {
                try world.bus.append(
                    Record(
                        kind: EventKind.inputReport.rawValue, schema: 1,
                        id: ID128(high: 77, low: number), payload: []),
                    to: .input(partition))
            }
        }
        let new = world.checkpoint(of: partition)
        #expect(try evaluator.send(new) == .stored)
        let (snapshot, position) = try world.snapshot(partition)
        #expect(position == new.input && snapshot?.audit == nil)
    }
}
