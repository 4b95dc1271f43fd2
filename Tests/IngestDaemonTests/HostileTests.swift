import Hashing
import Model
import TestSupport
import Testing
import Wire

@testable import IngestCore
@testable import IngestDaemon

/// Members that say anything at all.
@Suite struct HostileTests {
    private let partition = Partition.of(person(1))

    @Test func `a checkpoint of an impossible sequence is rejected`() throws {
        let world = try World()
        let evaluator = Evaluator(1, in: world)
        for sequence in [.max, 1 << 63, 1 << 48, UInt64(Int64.max)] {
            var checkpoint = world.checkpoint(of: partition)
            checkpoint.input.sequence = sequence
            #expect(
                try evaluator.send(checkpoint)
                    == .rejected("the checkpoint's input record is not in this partition's log"))
            checkpoint = world.checkpoint(of: partition)
            checkpoint.output.sequence = sequence
            #expect(
                try evaluator.send(checkpoint)
                    == .rejected("the checkpoint's outputs differ from the stored events"))
        }
    }

    @Test func `a claim with an unassigned epoch has no effect`() throws {
        let world = try World()
        let (liar, honest) = (Evaluator(1, in: world), Evaluator(2, in: world))
        for epoch in [.max, Limits.epochMax + 1, Limits.epochMax] {
            let lease = Lease(partition: partition, epoch: epoch, state: .live)
            try liar.say(.renew(member: liar.member, logic: 1...1, leases: [lease]))
            try honest.join()
            #expect(honest.assignments.count == 32)
            try honest.say(.leave(member: honest.member))
            try liar.say(.leave(member: liar.member))
        }
    }

    /// Nothing that a frame can say ends the process, takes more than its share, or keeps an honest
    /// member from its own.
    @Test(arguments: 1...8)
    func `never disturbs others`(seed: UInt64) throws {
        let world = try World()
        var random = SeededGenerator(seed: seed)
        let honest = Evaluator(1, in: world)
        try honest.join()
        for _ in 0..<300 {
            let liar = Evaluator(UInt64.random(in: 2...9, using: &random), in: world)
            try liar.say(control(of: liar, in: world, &random))
            try honest.renew()
            if random.next().isMultiple(of: 4) {
                world.now = world.now + .milliseconds(Int64.random(in: 1...2500, using: &random))
                try world.turn {}
            }
        }
        try world.wait(seconds: 8, with: [honest])
        #expect(honest.assignments.count == 64)
        #expect(honest.assignments.allSatisfy { $0.epoch <= Limits.epochMax + 1 << 32 })
        try world.report()
        #expect(try honest.send(world.checkpoint(of: partition)) == .stored)
    }

    private func control(
        of liar: Evaluator, in world: World, _ random: inout SeededGenerator
    ) -> Control {
        switch random.next() % 8 {
        case 0: return .join(member: liar.member, logic: 1...number(&random))
        case 1: return .leave(member: liar.member)
        case 2...4:
            let leases = (0..<random.next() % 70).map { _ in
                Lease(
                    partition: pick(Partition.all, &random), epoch: number(&random),
                    state: pick([.restoring, .live, .failed], &random))
            }
            let highest: UInt16 = number(&random)
            let logic = pick([1...1, 1...highest, 7...7], &random)
            return .renew(member: liar.member, logic: logic, leases: leases)
        default: return .checkpoint(piece(of: liar, in: world, &random))
        }
    }

    private func piece(
        of liar: Evaluator, in world: World, _ random: inout SeededGenerator
    ) -> CheckpointPiece {
        var checkpoint = world.checkpoint(of: pick(World.partitions, &random))
        let bytes = [UInt8](repeating: 1, count: Int(random.next() % 3000))
        switch random.next() % 6 {
        case 0: checkpoint.input.sequence = number(&random)
        case 1: checkpoint.output.sequence = number(&random)
        case 2: checkpoint.logic = number(&random)
        case 3: checkpoint.state = bytes
        case 4: checkpoint.input.hash = number(&random)
        default: checkpoint.stateHash = number(&random)
        }
        var piece = checkpoint.piece(
            id: checkpoint.id, from: 0, by: liar.member, epoch: number(&random))
        if random.next().isMultiple(of: 3) { piece.size = number(&random) }
        if random.next().isMultiple(of: 3) { piece.offset = number(&random) }
        return piece
    }

    /// The ends of a range are what goes wrong.
    private func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ random: inout SeededGenerator
    ) -> Number {
        let half = Number.max / 2
        let ends: [Number] = [.max, .max - 1, half + 1, half, 1, 2, 100]
        let any = Number(truncatingIfNeeded: random.next())
        return max(1, random.next().isMultiple(of: 4) ? any : pick(ends, &random))
    }

    private func pick<Element>(_ list: [Element], _ random: inout SeededGenerator) -> Element {
        list[Int(random.next() % UInt64(list.count))]
    }
}
