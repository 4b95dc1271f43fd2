import Bus
import Model
import Testing
import Wire

@Suite(.closingWorlds) struct `A derived stream` {
    private static let input = StreamName.input(3)
    private static let output = StreamName.events(3)

    /// A publisher of inputs and of the stream derived from them.
    private func publisher(_ world: World) throws -> Node {
        try world.writer(
            "ingest", [.init(Self.input), .init(Self.output, isDerived: true)])
    }

    /// Derives two records from every input; `twist` changes them for one input.
    private func evaluator(
        _ name: String, of publisher: Node, in world: World, twist: UInt64 = 0
    ) throws -> Node {
        let node = try world.consumer(
            name, of: publisher, [Self.input], computes: [Self.output]
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

    private func isDerived(_ publisher: Node) throws -> Bool {
        publisher.bus?.end(of: Self.output) == 2 * (publisher.bus?.end(of: Self.input) ?? 0)
    }

    @Test(arguments: Carrier.allCases)
    func `is stored, applied and published by its publisher`(carrier: Carrier) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        _ = try evaluator("evaluator", of: publisher, in: world)
        let consumer = try world.consumer(of: publisher, [Self.output])
        for _ in 0..<20 {
            try publisher.append(10, to: Self.input)
            try world.round()
        }
        try world.run(until: {
            try isDerived(publisher) && consumer.hasAll(of: Self.output, from: publisher)
        })
        #expect(try publisher.effects(of: Self.output) == publisher.log(of: Self.output))
        #expect(try consumer.effectCount(of: Self.output) == 400)
    }

    @Test(arguments: Carrier.allCases)
    func `arrives whole when proposals are lost`(carrier: Carrier) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        let evaluator = try evaluator("evaluator", of: publisher, in: world)
        var count = 0
        evaluator.fate = { kind, frame in
            guard kind == .proposal else { return [frame] }
            count += 1
            return count % 3 == 1 ? [] : count % 3 == 2 ? [frame, frame] : [frame]
        }
        for _ in 0..<20 {
            try publisher.append(5, to: Self.input)
            try world.round()
        }
        try world.run(until: { try isDerived(publisher) })
        #expect(publisher.notices.filter(\.needsAttention).isEmpty)
        #expect(evaluator.notices.filter(\.needsAttention).isEmpty)
    }

    /// New proposals must not delay the repetition of a lost one.
    @Test func `is not delayed by a lost proposal while others keep arriving`() throws {
        let world = try World(.memory)
        let publisher = try publisher(world)
        let evaluator = try evaluator("evaluator", of: publisher, in: world)
        try publisher.append(1, to: Self.input)
        try world.run(until: { try isDerived(publisher) })
        var isLost = false
        evaluator.fate = { kind, frame in
            guard kind == .proposal, !isLost else { return [frame] }
            isLost = true
            return []
        }
        for _ in 0..<200 {
            try publisher.append(1, to: Self.input)
            try world.round()
        }
        #expect(isLost)
        #expect(
            (publisher.bus?.end(of: Self.output) ?? 0) > 200, "after two seconds of 400 records")
        try world.run(until: { try isDerived(publisher) })
    }

    @Test(arguments: Carrier.allCases)
    func `continues when it is derived again from the start`(carrier: Carrier) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        let first = try evaluator("first", of: publisher, in: world)
        try publisher.append(50, to: Self.input)
        try world.run(until: { try isDerived(publisher) })
        first.kill()
        try publisher.append(50, to: Self.input)
        let second = try evaluator("second", of: publisher, in: world)
        try world.run(until: { try isDerived(publisher) })
        #expect(second.notices.filter(\.needsAttention).isEmpty)
        #expect(try publisher.effectCount(of: Self.output) == 200)
    }

    @Test(arguments: Carrier.allCases)
    func `is the same when two members derive it`(carrier: Carrier) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        let evaluators = try ["a", "b"].map { try evaluator($0, of: publisher, in: world) }
        for _ in 0..<20 {
            try publisher.append(5, to: Self.input)
            try world.round()
        }
        try world.run(until: { try isDerived(publisher) })
        #expect(try publisher.effects(of: Self.output) == publisher.log(of: Self.output))
        #expect(Set(try publisher.log(of: Self.output)).count == 200)
        #expect(
            (evaluators + [publisher]).allSatisfy { $0.notices.filter(\.needsAttention).isEmpty })
    }

    @Test(arguments: Carrier.allCases)
    func `rejects a different record at a used sequence, and both sides report it`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        let honest = try evaluator("honest", of: publisher, in: world)
        try publisher.append(10, to: Self.input)
        try world.run(until: { try isDerived(publisher) })
        honest.kill()
        let log = try publisher.log(of: Self.output)
        let liar = try evaluator("liar", of: publisher, in: world, twist: 4)
        try world.run(until: { liar.notices.contains { $0.needsAttention } })
        guard case .derivedDiverged(Self.output, let sequence) = liar.notices.last else {
            Issue.record("a notice of a difference was expected, not \(liar.notices)")
            return
        }
        #expect(sequence == 20)
        // It derives everything again a few times, with the same wrong result.
        try world.run(until: { liar.notices.filter(\.needsAttention).count == 4 })
        try world.run(for: .seconds(1))
        #expect(liar.notices.filter(\.needsAttention).count == 4)
        #expect(liar.bus?.healthProblems.count == 1)
        #expect(try publisher.log(of: Self.output) == log)
        // Restarted without the fault, it continues.
        liar.kill()
        let again = try evaluator("again", of: publisher, in: world)
        try publisher.append(1, to: Self.input)
        try world.run(until: { try isDerived(publisher) })
        #expect(again.bus?.healthProblems.isEmpty == true)
    }

    @Test(arguments: Carrier.allCases)
    func `rejects the later of two different proposals`(carrier: Carrier) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        let honest = try evaluator("honest", of: publisher, in: world)
        let liar = try evaluator("liar", of: publisher, in: world, twist: 10)
        liar.fate = { kind, frame in kind == .proposal ? [] : [frame] }
        try publisher.append(9, to: Self.input)
        // A member without the stream's head proposes nothing.
        try world.run(until: {
            try isDerived(publisher) && liar.bus?.end(of: Self.output) == 18
                && liar.bus?.position(of: Self.output)?.incarnation != .zero
        })
        // Both propose a record for the tenth input; the liar's arrives later, and it does not know
        // the other one.
        publisher.fate = { _, frame in frame.isHeads ? [] : [frame] }
        liar.fate = { _, frame in [frame] }
        liar.limit = 0
        // It would not propose a sequence that it knows to be used: so it receives only old heads.
        var heads: [UInt8]?
        publisher.fate = { _, frame in
            guard frame.isHeads else { return [frame] }
            heads = heads ?? frame
            return heads.map { [$0] } ?? []
        }
        try world.run(until: { heads != nil })
        try publisher.append(1, to: Self.input)
        try world.run(until: { try isDerived(publisher) })
        honest.kill()
        liar.limit = 1000
        try world.run(until: { publisher.notices.contains { $0.needsAttention } })
        #expect(publisher.notices.last == .conflict(Self.output, sequence: 20))
        #expect(publisher.bus?.healthProblems == ["events/3 20: different proposals"])
        #expect(try publisher.effectCount(of: Self.output) == 20)
    }

    @Test(arguments: Carrier.allCases)
    func `is rolled back with the turn on either side`(carrier: Carrier) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        let evaluator = try evaluator("evaluator", of: publisher, in: world)
        var turns = 0
        for node in [publisher, evaluator] {
            node.work = { [unowned node] _ in
                turns += 1
                node.failsNextCommit = turns % 5 == 0
            }
        }
        for _ in 0..<20 {
            try publisher.append(5, to: Self.input)
            try world.round()
        }
        try world.run(until: { try isDerived(publisher) })
        #expect(try publisher.effects(of: Self.output) == publisher.log(of: Self.output))
    }

    @Test(arguments: Carrier.allCases)
    func `is derived again when its publisher is restored from a backup`(carrier: Carrier) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        let evaluator = try evaluator("evaluator", of: publisher, in: world)
        var turns = 0
        evaluator.work = { [unowned evaluator] _ in
            turns += 1
            evaluator.failsNextCommit = turns % 3 != 0
        }
        try publisher.append(10, to: Self.input)
        try world.run(until: { try isDerived(publisher) })
        try publisher.copy()
        try publisher.append(10, to: Self.input)
        try world.run(until: { try isDerived(publisher) })
        try publisher.restoreCopy()
        try publisher.append(3, to: Self.input, tag: "other")
        try world.run(until: {
            try publisher.bus?.end(of: Self.input) == 13 && isDerived(publisher)
        })
        #expect(evaluator.notices.contains { $0.needsAttention })
        #expect(evaluator.bus?.healthProblems.isEmpty == true)
        #expect(publisher.notices.filter(\.needsAttention).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `has no record of an input that its publisher lost`(carrier: Carrier) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        let evaluator = try evaluator("evaluator", of: publisher, in: world)
        try publisher.append(10, to: Self.input)
        try world.run(until: { try isDerived(publisher) })
        try publisher.copy()
        // Records derived from the eleventh input wait when the publisher loses that input.
        evaluator.fate = { kind, frame in kind == .proposal ? [] : [frame] }
        try publisher.append(1, to: Self.input)
        try world.run(until: { evaluator.bus?.end(of: Self.output) == 22 })
        evaluator.fate = { [$1] }
        try publisher.restoreCopy()
        try publisher.append(1, to: Self.input, tag: "other")
        try world.run(until: { try isDerived(publisher) })
        let expected = try publisher.log(of: Self.input).flatMap { id in
            ["a", "b"].map { part in
                let number = id.low &+ UInt64(part.utf8.first ?? 0)
                return Node.record(Self.output, number, tag: part).id
            }
        }
        #expect(try publisher.log(of: Self.output) == expected)
    }

    @Test func `is not derived further while its publisher accepts nothing`() throws {
        let world = try World(.memory)
        let publisher = try publisher(world)
        let evaluator = try world.consumer(
            "evaluator", of: publisher, [Self.input], computes: [Self.output])
        evaluator.onApply = { [unowned evaluator] _, position, _ in
            let output = Node.record(Self.output, position.sequence, size: 1_000_000)
            try evaluator.bus?.append(output, to: Self.output)
        }
        evaluator.limit = 1
        evaluator.fate = { kind, frame in kind == .proposal ? [] : [frame] }
        try publisher.append(60, to: Self.input)
        try world.run(for: .seconds(5))
        let count = try evaluator.effectCount(of: Self.input)
        #expect((2...4).contains(count), "2 MiB of records wait: \(count)")
        evaluator.fate = { [$1] }
        try world.run(until: { publisher.bus?.end(of: Self.output) == 60 })
    }
}
