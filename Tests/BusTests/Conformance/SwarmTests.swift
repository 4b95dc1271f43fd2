import Bus
import Model
import TestSupport
import Testing
import Wire

/// Small suites under random faults, repeatable by seed.
@Suite(.closingWorlds) struct `Under random faults` {
    private static let inputs = [StreamName.input(0), .input(1)]
    private static let outputs = [StreamName.events(0), .events(1)]

    @Test(arguments: 1...40)
    func `every record arrives once and in order`(seed: Int) throws {
        try swarm(.memory, seed: seed, steps: 600)
    }

    @Test(arguments: Carrier.allCases.filter(\.isRealTime), 1...2)
    func `every record arrives once and in order, in real time`(
        carrier: Carrier, seed: Int
    ) throws {
        try swarm(carrier, seed: seed, steps: 150)
    }

    private func swarm(_ carrier: Carrier, seed: Int, steps: Int) throws {
        let swarm = try Swarm(carrier, seed: UInt64(seed))
        for _ in 0..<steps { try swarm.step() }
        try swarm.heal()
        try swarm.world.run(until: { try swarm.isWhole() }, "seed \(seed)")
        #expect(swarm.nodes.flatMap(\.notices).filter(\.needsAttention).isEmpty)
    }

    private final class Swarm {
        let world: World
        let publisher: Node
        let evaluator: Node
        let consumers: [Node]
        var nodes: [Node] { [publisher, evaluator] + consumers }
        private var random: SeededGenerator
        private let lossiness: Lossiness
        private var appended = 0

        init(_ carrier: Carrier, seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            lossiness = Lossiness(seed: ~seed)
            world = try World(carrier)
            publisher = try world.writer(
                "publisher",
                [.init(.sos)] + inputs.map { .init($0) }
                    + outputs.map { .init($0, isDerived: true) })
            evaluator = try world.consumer("evaluator", of: publisher, inputs, computes: outputs)
            consumers = try ["a", "b"].map { [publisher, world] name in
                try world.consumer(name, of: publisher, [.sos] + outputs)
            }
            evaluator.isDisposable = true
            evaluator.onApply = { [unowned self] stream, _, record in
                guard case .input(let partition) = stream else { return }
                let output = Node.record(.events(partition), record.id.low, tag: "out")
                try evaluator.bus?.append(output, to: .events(partition))
            }
            for node in nodes { node.fate = { [lossiness] in lossiness.fate(of: $1) } }
        }

        private func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

        func step() throws {
            if chance(40), publisher.bus != nil {
                let streams = [StreamName.sos] + inputs
                let stream = streams[Int(random.next() % 3)]
                appended += 1
                try publisher.append(Int(random.next() % 5) + 1, to: stream, tag: "\(appended)")
            }
            for node in nodes where chance(3) {
                if node.bus == nil { try node.restart() } else { node.kill() }
            }
            for node in nodes where chance(20) { node.failsNextCommit = true }
            try world.round()
        }

        func heal() throws {
            lossiness.isOver = true
            for node in nodes where node.bus == nil { try node.restart() }
            try publisher.append(1, to: .sos)
            for stream in inputs { try publisher.append(1, to: stream) }
        }

        func isWhole() throws -> Bool {
            for (input, output) in zip(inputs, outputs) {
                guard publisher.bus?.end(of: input) == publisher.bus?.end(of: output),
                    try publisher.effects(of: output) == publisher.log(of: output)
                else { return false }
            }
            return try consumers.allSatisfy { consumer in
                try ([.sos] + outputs).allSatisfy { try consumer.hasAll(of: $0, from: publisher) }
            }
        }
    }
}
