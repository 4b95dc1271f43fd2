import Bus
import Model
import Testing
import Wire

/// What becomes of proposals that cannot be appended.
@Suite(.closingWorlds) struct `A proposal` {
    private static let input = StreamName.input(3)
    private static let output = StreamName.events(3)

    private func keeper(_ world: World) throws -> Node {
        try world.writer(
            "ingest", [.init(Self.input), .init(Self.output, isComputed: true)])
    }

    /// Says one thing about every input.
    private func evaluator(_ name: String, of keeper: Node, in world: World) throws -> Node {
        let node = try world.consumer(
            name, of: keeper, [Self.input], computes: [Self.output]
        ) { $0.acknowledges = false }
        node.onApply = { [unowned node] _, position, _ in
            try node.bus?.append(Node.record(Self.output, position.sequence), to: Self.output)
        }
        return node
    }

    @Test(arguments: Carrier.allCases)
    func `with a record that cannot be read is dropped, and its stream goes on`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        var rejected: [String] = []
        keeper.prepare = { bus in
            bus.hooks.proposalRejected = { stream, _, reason in
                rejected.append("\(stream): \(reason)")
            }
        }
        var isUnreadable = true
        keeper.onApply = { stream, position, _ in
            guard stream == Self.output, position.sequence == 5, isUnreadable else { return }
            throw ProposalRejected(reason: "a test says so")
        }
        _ = try evaluator("evaluator", of: keeper, in: world)
        try keeper.append(10, to: Self.input)
        try world.run(until: { !rejected.isEmpty })
        #expect(keeper.bus?.end(of: Self.output) == 4)
        #expect(rejected[0] == "events/3: a test says so")
        #expect(keeper.bus?.stopped.isEmpty == true)
        isUnreadable = false
        try world.run(until: { keeper.bus?.end(of: Self.output) == 10 })
        #expect(try keeper.effectCount(of: Self.output) == 10)
    }

    @Test(arguments: Carrier.allCases)
    func `that is not of the grammar is told of by its sender, and its stream goes on`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        var rejected = 0
        keeper.prepare = { bus in
            bus.hooks.proposalRejected = { stream, _, _ in
                rejected += stream == Self.output ? 1 : 0
            }
        }
        let evaluator = try evaluator("evaluator", of: keeper, in: world)
        var isFirst = true
        evaluator.fate = { way, frame in
            guard way == .offer, isFirst else { return [frame] }
            isFirst = false
            var frame = frame
            frame[frame.count - 1] ^= 1
            return [frame]
        }
        try keeper.append(10, to: Self.input)
        try world.run(until: { keeper.bus?.end(of: Self.output) == 10 })
        #expect(rejected == 1)
        #expect(keeper.bus?.counters.framesRefusedByReason[.hash] == 1)
    }

    @Test(arguments: Carrier.allCases)
    func `of somebody without the right is not appended`(carrier: Carrier) throws {
        let world = try World(carrier)
        let keeper = try keeper(world)
        var mayPropose = false
        keeper.prepare = { bus in bus.hooks.mayPropose = { _, _ in mayPropose } }
        _ = try evaluator("evaluator", of: keeper, in: world)
        try keeper.append(10, to: Self.input)
        try world.run(for: .seconds(2))
        #expect(keeper.bus?.end(of: Self.output) == 0)
        mayPropose = true
        try world.run(until: { keeper.bus?.end(of: Self.output) == 10 })
    }
}
