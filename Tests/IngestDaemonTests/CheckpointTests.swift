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

    @Test func `a new owner gets the older of two, and the newer to compare with`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        var sent: [Checkpoint] = []
        for number in 1...3 as ClosedRange<UInt8> {
            try world.report()
            sent.append(world.checkpoint(of: partition, state: [number]))
            #expect(try evaluator.send(sent[Int(number) - 1]) == .kept)
            #expect(try evaluator.send(sent[Int(number) - 1]) == .kept, "sent again")
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
        #expect(try evaluator.send(sent[0]) == .refused("a newer one is kept"))
        #expect(world.service.ownership.counts.checkpointsRefused["older"] == 1)
    }

    @Test func `a large one comes in pieces, in whatever order, and is whole or nothing`() throws {
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
        #expect(try evaluator.send(checkpoint, from: 2 * size) == .kept)
        #expect(try world.snapshot(partition).0?.state == state)
    }

    @Test func `one whose bytes do not give its digest is refused`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        var checkpoint = world.checkpoint(of: partition)
        let id = checkpoint.id
        checkpoint.state[1] += 1
        guard case .refused = try evaluator.send(checkpoint, from: 0, id: id) else {
            Issue.record("a digest was not checked")
            return
        }
        #expect(try count(world, "checkpoint") == 0)
        #expect(world.service.ownership.counts.checkpointsRefused["digest"] == 1)
    }

    @Test func `half a checkpoint is forgotten after a while, and by a restart`() throws {
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
        #expect(try evaluator.send(checkpoint) == .kept)
    }

    @Test func `a turn taken back in the middle costs the sender a piece, not the checkpoint`()
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
        #expect(try evaluator.send(checkpoint) == .kept)
        #expect(try world.snapshot(partition).0?.state == state)
    }

    @Test func `one whose bytes do not give the hash of its state is refused`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        var checkpoint = world.checkpoint(of: partition)
        checkpoint.stateHash += 1
        #expect(
            try evaluator.send(checkpoint)
                == .refused("its state does not give the hash that it names"))
        #expect(try count(world, "checkpoint") == 0)
        #expect(world.service.ownership.counts.checkpointsRefused["stateHash"] == 1)
    }

    @Test func `one of somebody who neither has the partition nor will is refused`() throws {
        let world = try World()
        let (owner, stranger) = (Evaluator(1, in: world), Evaluator(2, in: world))
        try owner.claim(partition)
        let checkpoint = world.checkpoint(of: partition)
        let piece = stranger.piece(of: checkpoint, from: 0)
        try stranger.say(.checkpoint(piece))
        #expect(stranger.verdict == .refused("the partition is not its sender's"))
        try world.restart()
        let answers = world.told.count
        try owner.say(.checkpoint(owner.piece(of: checkpoint, from: 0)))
        #expect(world.told.count == answers, "it may still say that it has the partition")
        #expect(try owner.send(checkpoint) == .kept)
    }

    @Test func `one of another log or other outputs is refused`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        var checkpoint = world.checkpoint(of: partition)
        checkpoint.input.hash += 1
        #expect(
            try evaluator.send(checkpoint) == .refused("its place is not in this partition's log"))
        checkpoint = world.checkpoint(of: partition)
        checkpoint.input.sequence += 1
        #expect(
            try evaluator.send(checkpoint) == .refused("its place is not in this partition's log"))
        checkpoint = world.checkpoint(of: partition)
        checkpoint.output.sequence += 1
        #expect(
            try evaluator.send(checkpoint) == .refused("its outputs are not those that are kept"))
        checkpoint = world.checkpoint(of: partition, logic: 2)
        #expect(
            try evaluator.send(checkpoint)
                == .refused("another version of the logic is in force there"))
        #expect(try count(world, "checkpoint") == 0)
    }

    @Test func `two states at one place are an alarm until both kept ones are newer`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        let one = world.checkpoint(of: partition, state: [1])
        let other = world.checkpoint(of: partition, state: [2])
        #expect(try evaluator.send(one) == .kept)
        #expect(
            try evaluator.send(other) == .refused("another state is known for the same place"))
        #expect(world.service.ownership.counts.stateConflicts == 1)
        let trouble = "different states at record \(one.input.sequence)"
        #expect(world.service.troubles.contains { $0.contains(trouble) })
        #expect(try world.snapshot(partition).0?.state == [1])
        for number in 3...4 as ClosedRange<UInt8> {
            try world.report()
            #expect(world.service.troubles.contains { $0.contains(trouble) })
            let next = world.checkpoint(of: partition, state: [number])
            #expect(try evaluator.send(next) == .kept)
        }
        #expect(!world.service.troubles.contains { $0.contains(trouble) })
    }

    @Test func `an older copy of the store has its own checkpoints and refuses newer ones`() throws
    {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        try world.report()
        let old = world.checkpoint(of: partition, state: [1])
        #expect(try evaluator.send(old) == .kept)
        try world.copyStore(to: "copy")
        try world.report()
        let new = world.checkpoint(of: partition, state: [2])
        #expect(try evaluator.send(new) == .kept)
        try world.putBack("copy")
        #expect(try world.snapshot(partition).1 == old.input)
        #expect(try evaluator.send(new) == .refused("its place is not in this partition's log"))
        world.now = world.now + .seconds(7)
        try world.report()
        #expect(world.end(partition).sequence == new.input.sequence)
        #expect(try evaluator.send(new) == .refused("its place is not in this partition's log"))
        let other = world.checkpoint(of: partition, state: [3])
        #expect(try evaluator.send(other) == .kept)
        #expect(try world.snapshot(partition).0?.audit?.input == other.input)
    }

    @Test func `after a long way the newest is given out alone`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        let old = world.checkpoint(of: partition)
        #expect(try evaluator.send(old) == .kept)
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
        #expect(try evaluator.send(new) == .kept)
        let (snapshot, position) = try world.snapshot(partition)
        #expect(position == new.input && snapshot?.audit == nil)
    }
}
