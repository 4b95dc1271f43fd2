import Bus
import Hashing
import Model
import Testing
import Wire

@testable import IngestCore
@testable import IngestDaemon

/// Evaluators and ingest over buses of one process: what each says is what the other reads.
@Suite struct TakeOverTests {
    private let partition = Partition.of(person(1))

    /// Turns of everybody until something is so; false if it is not within a minute of the world.
    private func run(
        _ world: World, _ evaluators: [BusEvaluator], until isDone: () throws -> Bool
    ) throws -> Bool {
        for _ in 0..<1200 {
            world.now = world.now + .milliseconds(50)
            try world.busTurn()
            for evaluator in evaluators { try evaluator.turn() }
            if try isDone() { return true }
        }
        return false
    }

    private func owners(_ world: World) -> Int {
        World.partitions.count { world.service.ownership.coordinator.assignments[$0]?.owner != nil }
    }

    /// How many decisions are in the partition's log.
    private func decisions(_ world: World) -> UInt64 {
        world.bus.position(of: .events(partition))?.sequence ?? 0
    }

    @Test func `a first evaluator reads everything, and its checkpoint is stored`() throws {
        let world = try World()
        let evaluator = try BusEvaluator(in: world)
        for _ in 0..<5 { try world.report() }
        #expect(try run(world, [evaluator]) { evaluator.bus.isSettled(partition) })
        #expect(evaluator.states[partition] == 5)
        #expect(decisions(world) == 5)
        #expect(evaluator.checkpoint(partition))
        #expect(try run(world, [evaluator]) { !evaluator.verdicts.isEmpty })
        #expect(evaluator.verdicts == [.stored])
        #expect(try world.snapshot(partition).0?.state == BusEvaluator.bytes(of: 5))
    }

    @Test func `a successor starts at the checkpoint and decides nothing twice`() throws {
        let world = try World()
        let first = try BusEvaluator(in: world)
        for round in 1...2 as ClosedRange<UInt64> {
            try world.report()
            #expect(try run(world, [first]) { first.bus.isSettled(partition) })
            #expect(first.checkpoint(partition))
            #expect(try run(world, [first]) { first.verdicts.count == round })
        }
        try world.report()
        #expect(try run(world, [first]) { decisions(world) == 3 })
        first.close()
        let floor = try world.service.pruneFloor(of: .input(partition)) ?? 0
        #expect(floor > 0)
        try world.turn { try world.bus.prune(.input(partition), through: floor) }
        let second = try BusEvaluator(in: world)
        #expect(try run(world, [second]) { second.bus.isSettled(partition) })
        #expect(second.begun[partition]?.state == BusEvaluator.bytes(of: 1))
        #expect(
            second.begun[partition]?.audit?.stateHash
                == Hash.state(BusEvaluator.bytes(of: 2)))
        #expect(second.states[partition] == 3)
        #expect(decisions(world) == 3)
        try world.report()
        #expect(try run(world, [second]) { decisions(world) == 4 })
        #expect(
            try run(world, [second]) {
                world.service.ownership.coordinator.memberIDs == [second.bus.member]
            })
    }

    @Test func `a second evaluator gets its share without a gap`() throws {
        let world = try World()
        let first = try BusEvaluator(in: world)
        try world.report()
        #expect(try run(world, [first]) { World.partitions.allSatisfy(first.isLive) })
        let second = try BusEvaluator(in: world)
        var least = World.partitions.count
        let isShared = try run(world, [first, second]) {
            least = min(least, owners(world))
            return World.partitions.allSatisfy { first.isLive(at: $0) != second.isLive(at: $0) }
                && first.bus.leases.count < 64
        }
        #expect(isShared)
        #expect(least == World.partitions.count)
        try world.report()
        #expect(try run(world, [first, second]) { decisions(world) == 2 })
    }

    @Test func `evaluators continue while ingest restarts`() throws {
        let world = try World()
        let evaluators = [try BusEvaluator(in: world), try BusEvaluator(in: world)]
        try world.report()
        let isShared = {
            let held = evaluators.reduce(0) { $0 + $1.bus.leases.count }
            return held == 64
                && World.partitions.allSatisfy { partition in
                    evaluators.count { $0.isLive(at: partition) } == 1
                }
        }
        #expect(try run(world, evaluators, until: isShared))
        let held = evaluators.map { Set($0.bus.leases.map(\.partition)) }
        let applied = evaluators.map(\.applied)
        try world.restart()
        var turns = 0
        #expect(
            try run(world, evaluators) {
                turns += 1
                return turns > 200
            })
        #expect(evaluators.map(\.applied) == applied, "nothing was read again")
        #expect(evaluators.map { Set($0.bus.leases.map(\.partition)) } == held)
        try world.report()
        #expect(try run(world, evaluators) { decisions(world) == 2 })
    }

    /// The first decision of a wrong one is there before any right one: a reader that begins before
    /// it gives up, and one that begins after it does not.
    @Test func `the newer checkpoint is used if the older one cannot be replayed`() throws {
        let world = try World()
        let bad = try BusEvaluator(in: world)
        try world.report()
        #expect(try run(world, [bad]) { bad.bus.isSettled(partition) })
        #expect(bad.checkpoint(partition))
        #expect(try run(world, [bad]) { bad.verdicts.count == 1 })
        bad.isWrong = true
        try world.report()
        #expect(try run(world, [bad]) { bad.bus.isSettled(partition) })
        bad.isWrong = false
        #expect(bad.checkpoint(partition))
        #expect(try run(world, [bad]) { bad.verdicts == [.stored, .stored] })
        bad.close()
        let good = try BusEvaluator(in: world)
        #expect(try run(world, [good]) { good.bus.isSettled(partition) })
        #expect(good.begun[partition]?.state == BusEvaluator.bytes(of: 3))
        #expect(good.begun[partition]?.audit == nil)
        try world.report()
        #expect(try run(world, [good]) { decisions(world) == 3 })
        let kept = try world.service.ownership.checkpoints.table.of(partition).map(\.row.isProven)
        #expect(kept == [false, true])
    }

    @Test func `an evaluator that computes differently is rejected and replaced`() throws {
        let world = try World()
        let good = try BusEvaluator(in: world)
        for _ in 0..<3 { try world.report() }
        #expect(try run(world, [good]) { decisions(world) == 3 })
        good.close()
        let bad = try BusEvaluator(in: world)
        bad.isWrong = true
        #expect(
            try run(world, [bad]) {
                let coordinator = world.service.ownership.coordinator
                return coordinator.memberIDs == [bad.bus.member]
                    && coordinator.unowned.contains(partition)
            })
        #expect(decisions(world) == 3)
        let another = try BusEvaluator(in: world)
        #expect(try run(world, [bad, another]) { another.bus.isSettled(partition) })
        try world.report()
        #expect(try run(world, [bad, another]) { decisions(world) == 4 })
    }
}
