import Bus
import Model
import Testing
import Wire

@Suite(.closingWorlds) struct `A computed stream` {
    private static let input = StreamName.input(3)
    private static let output = StreamName.events(3)

    /// A log of inputs and of what is computed from them.
    private func keeper(_ world: World) throws -> Node {
        try world.writer(
            "ingest", [.init(Self.input), .init(Self.output, isComputed: true)])
    }

    /// Says two things about every input; `twist` changes what is said about one.
    private func evaluator(
        _ name: String, of keeper: Node, in world: World, twist: UInt64 = 0
    ) throws -> Node {
        let node = try world.consumer(
            name, of: keeper, [Self.input], computes: [Self.output]
        ) { $0.acknowledges = false }
        node.onApply = { [unowned node] _, position, record in
            for part in ["a", "b"] {
                let tag = position.sequence == twist ? part + "!" : part
                let number = record.id.low &+ UInt64(part.utf8.first ?? 0)
                try node.bus?.append(
                    Node.record(Self.output, number, tag: tag), to: Self.output)
            }
        }
        return node
    }

    private func isComputed(_ keeper: Node) throws -> Bool {
        keeper.bus?.end(of: Self.output) == 2 * (keeper.bus?.end(of: Self.input) ?? 0)
    }

    @Test(arguments: Carrier.allCases)
    func `is kept, applied and told by its keeper`(carrier: Carrier) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        _ = try evaluator("evaluator", of: keeper, in: world)
        let consumer = try world.consumer(of: keeper, [Self.output])
        for _ in 0..<20 {
            try keeper.append(10, to: Self.input)
            try world.round()
        }
        try world.run(until: {
            try isComputed(keeper) && consumer.hasAll(of: Self.output, from: keeper)
        })
        #expect(try keeper.effects(of: Self.output) == keeper.log(of: Self.output))
        #expect(try consumer.effectCount(of: Self.output) == 400)
    }

    @Test(arguments: Carrier.allCases)
    func `comes whole when outputs are lost on the way`(carrier: Carrier) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        let evaluator = try evaluator("evaluator", of: keeper, in: world)
        var count = 0
        evaluator.fate = { way, frame in
            guard way == .offer else { return [frame] }
            count += 1
            return count % 3 == 1 ? [] : count % 3 == 2 ? [frame, frame] : [frame]
        }
        for _ in 0..<20 {
            try keeper.append(5, to: Self.input)
            try world.round()
        }
        try world.run(until: { try isComputed(keeper) })
        #expect(keeper.notices.filter(\.isAlarm).isEmpty)
        #expect(evaluator.notices.filter(\.isAlarm).isEmpty)
    }

    /// Outputs that keep coming are no reason to wait with the one that is missing.
    @Test func `is not held up by a lost output while others keep coming`() throws {
        let world = try World(.memory)
        let keeper = try keeper(world)
        let evaluator = try evaluator("evaluator", of: keeper, in: world)
        try keeper.append(1, to: Self.input)
        try world.run(until: { try isComputed(keeper) })
        var isLost = false
        evaluator.fate = { way, frame in
            guard way == .offer, !isLost else { return [frame] }
            isLost = true
            return []
        }
        for _ in 0..<200 {
            try keeper.append(1, to: Self.input)
            try world.round()
        }
        #expect(isLost)
        #expect((keeper.bus?.end(of: Self.output) ?? 0) > 200, "after two seconds of 400 outputs")
        try world.run(until: { try isComputed(keeper) })
    }

    @Test(arguments: Carrier.allCases)
    func `goes on when it is computed anew from the beginning`(carrier: Carrier) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        let first = try evaluator("first", of: keeper, in: world)
        try keeper.append(50, to: Self.input)
        try world.run(until: { try isComputed(keeper) })
        first.kill()
        try keeper.append(50, to: Self.input)
        let second = try evaluator("second", of: keeper, in: world)
        try world.run(until: { try isComputed(keeper) })
        #expect(second.notices.filter(\.isAlarm).isEmpty)
        #expect(try keeper.effectCount(of: Self.output) == 200)
    }

    @Test(arguments: Carrier.allCases)
    func `is the same when two compute it at once`(carrier: Carrier) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        let evaluators = try ["a", "b"].map { try evaluator($0, of: keeper, in: world) }
        for _ in 0..<20 {
            try keeper.append(5, to: Self.input)
            try world.round()
        }
        try world.run(until: { try isComputed(keeper) })
        #expect(try keeper.effects(of: Self.output) == keeper.log(of: Self.output))
        #expect(Set(try keeper.log(of: Self.output)).count == 200)
        #expect((evaluators + [keeper]).allSatisfy { $0.notices.filter(\.isAlarm).isEmpty })
    }

    @Test(arguments: Carrier.allCases)
    func `refuses another output for a place that is taken, and both sides tell`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        let honest = try evaluator("honest", of: keeper, in: world)
        try keeper.append(10, to: Self.input)
        try world.run(until: { try isComputed(keeper) })
        honest.kill()
        let log = try keeper.log(of: Self.output)
        let liar = try evaluator("liar", of: keeper, in: world, twist: 4)
        try world.run(until: { liar.notices.contains { $0.isAlarm } })
        guard case .computedDiverged(Self.output, let sequence) = liar.notices.last else {
            Issue.record("a notice of another output was expected, not \(liar.notices)")
            return
        }
        #expect(sequence == 20)
        // It computes everything anew, a few times, and is no more right than before.
        try world.run(until: { liar.notices.filter(\.isAlarm).count == 4 })
        try world.run(for: .seconds(1))
        #expect(liar.notices.filter(\.isAlarm).count == 4)
        #expect(liar.bus?.troubles.count == 1)
        #expect(try keeper.log(of: Self.output) == log)
        // Restarted, and honest, it goes on.
        liar.kill()
        let again = try evaluator("again", of: keeper, in: world)
        try keeper.append(1, to: Self.input)
        try world.run(until: { try isComputed(keeper) })
        #expect(again.bus?.troubles.isEmpty == true)
    }

    @Test(arguments: Carrier.allCases)
    func `refuses the later of two different outputs`(carrier: Carrier) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        let honest = try evaluator("honest", of: keeper, in: world)
        let liar = try evaluator("liar", of: keeper, in: world, twist: 10)
        liar.fate = { way, frame in way == .offer ? [] : [frame] }
        try keeper.append(9, to: Self.input)
        // Who has not heard of the stream's life offers nothing.
        try world.run(until: {
            try isComputed(keeper) && liar.bus?.end(of: Self.output) == 18
                && liar.bus?.position(of: Self.output)?.incarnation != .zero
        })
        // Now both offer their output for the tenth input; the liar's comes too late, and it has
        // not heard of the other one.
        keeper.fate = { _, frame in frame.isHeads ? [] : [frame] }
        liar.fate = { _, frame in [frame] }
        liar.limit = 0
        // It would not offer what it knows to be taken: so it hears old heads only.
        var heads: [UInt8]?
        keeper.fate = { _, frame in
            guard frame.isHeads else { return [frame] }
            heads = heads ?? frame
            return heads.map { [$0] } ?? []
        }
        try world.run(until: { heads != nil })
        try keeper.append(1, to: Self.input)
        try world.run(until: { try isComputed(keeper) })
        honest.kill()
        liar.limit = 1000
        try world.run(until: { keeper.notices.contains { $0.isAlarm } })
        #expect(keeper.notices.last == .conflict(Self.output, sequence: 20))
        #expect(keeper.bus?.troubles == ["events/3: two different outputs 20"])
        #expect(try keeper.effectCount(of: Self.output) == 20)
    }

    @Test(arguments: Carrier.allCases)
    func `is undone with the turn at either end`(carrier: Carrier) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        let evaluator = try evaluator("evaluator", of: keeper, in: world)
        var turns = 0
        for node in [keeper, evaluator] {
            node.work = { [unowned node] _ in
                turns += 1
                node.failsNextCommit = turns % 5 == 0
            }
        }
        for _ in 0..<20 {
            try keeper.append(5, to: Self.input)
            try world.round()
        }
        try world.run(until: { try isComputed(keeper) })
        #expect(try keeper.effects(of: Self.output) == keeper.log(of: Self.output))
    }

    @Test(arguments: Carrier.allCases)
    func `is computed anew when its keeper is put back to an older copy`(carrier: Carrier) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        let evaluator = try evaluator("evaluator", of: keeper, in: world)
        var turns = 0
        evaluator.work = { [unowned evaluator] _ in
            turns += 1
            evaluator.failsNextCommit = turns % 3 != 0
        }
        try keeper.append(10, to: Self.input)
        try world.run(until: { try isComputed(keeper) })
        try keeper.copy()
        try keeper.append(10, to: Self.input)
        try world.run(until: { try isComputed(keeper) })
        try keeper.putBack()
        try keeper.append(3, to: Self.input, tag: "other")
        try world.run(until: { try keeper.bus?.end(of: Self.input) == 13 && isComputed(keeper) })
        #expect(evaluator.notices.contains { $0.isAlarm })
        #expect(evaluator.bus?.troubles.isEmpty == true)
        #expect(keeper.notices.filter(\.isAlarm).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `has no output of an input that its keeper has forgotten`(carrier: Carrier) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        let evaluator = try evaluator("evaluator", of: keeper, in: world)
        try keeper.append(10, to: Self.input)
        try world.run(until: { try isComputed(keeper) })
        try keeper.copy()
        // What follows from the eleventh waits when the keeper forgets that there was one.
        evaluator.fate = { way, frame in way == .offer ? [] : [frame] }
        try keeper.append(1, to: Self.input)
        try world.run(until: { evaluator.bus?.end(of: Self.output) == 22 })
        evaluator.fate = { [$1] }
        try keeper.putBack()
        try keeper.append(1, to: Self.input, tag: "other")
        try world.run(until: { try isComputed(keeper) })
        let expected = try keeper.log(of: Self.input).flatMap { id in
            ["a", "b"].map { part in
                let number = id.low &+ UInt64(part.utf8.first ?? 0)
                return Node.record(Self.output, number, tag: part).id
            }
        }
        #expect(try keeper.log(of: Self.output) == expected)
    }

    @Test func `is not computed further while its keeper takes nothing`() throws {
        let world = try World(.memory)
        let keeper = try keeper(world)
        let evaluator = try world.consumer(
            "evaluator", of: keeper, [Self.input], computes: [Self.output])
        evaluator.onApply = { [unowned evaluator] _, position, _ in
            let output = Node.record(Self.output, position.sequence, size: 1_000_000)
            try evaluator.bus?.append(output, to: Self.output)
        }
        evaluator.limit = 1
        evaluator.fate = { way, frame in way == .offer ? [] : [frame] }
        try keeper.append(60, to: Self.input)
        try world.run(for: .seconds(5))
        let count = try evaluator.effectCount(of: Self.input)
        #expect((2...4).contains(count), "2 MiB of outputs wait: \(count)")
        evaluator.fate = { [$1] }
        try world.run(until: { keeper.bus?.end(of: Self.output) == 60 })
    }
}
