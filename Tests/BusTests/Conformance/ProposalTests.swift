import Bus
import Model
import Testing
import Wire

/// Proposals that cannot be appended.
@Suite(.closingWorlds) struct `A proposal` {
    private static let input = StreamName.input(3)
    private static let output = StreamName.events(3)

    private func publisher(_ world: World) throws -> Node {
        try world.writer(
            "ingest", [.init(Self.input), .init(Self.output, isDerived: true)])
    }

    /// Derives one record from every input.
    private func evaluator(_ name: String, of publisher: Node, in world: World) throws -> Node {
        let node = try world.consumer(
            name, of: publisher, [Self.input], computes: [Self.output]
        ) { $0.acknowledges = false }
        node.onApply = { [unowned node] _, position, _ in
            try node.bus?.append(Node.record(Self.output, position.sequence), to: Self.output)
        }
        return node
    }

    @Test(arguments: Carrier.allCases)
    func `with an unreadable record is dropped, and its stream continues`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        var rejected: [String] = []
        publisher.prepare = { bus in
            bus.hooks.proposalRejected = { stream, _, reason in
                rejected.append("\(stream): \(reason)")
            }
        }
        var isUnreadable = true
        publisher.onApply = { stream, position, _ in
            guard stream == Self.output, position.sequence == 5, isUnreadable else { return }
            throw ProposalRejected(reason: "unreadable in this test")
        }
        _ = try evaluator("evaluator", of: publisher, in: world)
        try publisher.append(10, to: Self.input)
        try world.run(until: { !rejected.isEmpty })
        #expect(publisher.bus?.end(of: Self.output) == 4)
        #expect(rejected[0] == "events/3: unreadable in this test")
        #expect(publisher.bus?.stopped.isEmpty == true)
        isUnreadable = false
        try world.run(until: { publisher.bus?.end(of: Self.output) == 10 })
        #expect(try publisher.effectCount(of: Self.output) == 10)
    }

    @Test(arguments: Carrier.allCases)
    func `that is malformed is reported with its member, and its stream continues`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        var rejected = 0
        publisher.prepare = { bus in
            bus.hooks.proposalRejected = { stream, _, _ in
                rejected += stream == Self.output ? 1 : 0
            }
        }
        let evaluator = try evaluator("evaluator", of: publisher, in: world)
        var isFirst = true
        evaluator.fate = { kind, frame in
            guard kind == .proposal, isFirst else { return [frame] }
            isFirst = false
            var frame = frame
            frame[frame.count - 1] ^= 1
            return [frame]
        }
        try publisher.append(10, to: Self.input)
        try world.run(until: { publisher.bus?.end(of: Self.output) == 10 })
        #expect(rejected == 1)
        #expect(publisher.bus?.counters.framesRejectedByReason[.hash] == 1)
    }

    @Test(arguments: Carrier.allCases)
    func `of a member without the right is not appended`(carrier: Carrier) throws {
        let world = try World(carrier)
        let publisher = try publisher(world)
        var mayPropose = false
        publisher.prepare = { bus in bus.hooks.mayPropose = { _, _ in mayPropose } }
        _ = try evaluator("evaluator", of: publisher, in: world)
        try publisher.append(10, to: Self.input)
        try world.run(for: .seconds(2))
        #expect(publisher.bus?.end(of: Self.output) == 0)
        mayPropose = true
        try world.run(until: { publisher.bus?.end(of: Self.output) == 10 })
    }
}
