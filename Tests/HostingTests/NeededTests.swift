import Bus
import Model
import Testing
import Wire

@testable import Hosting

@Suite struct `What an emergency depends on` {
    private struct Indigestible: Error {}

    @Test func `is tried again after a restart, and its end still waits for it`() throws {
        let stage = try Stage()
        var isMended = false
        stage.script.onApply = { _, stream, position in
            if stream == .sos, position.sequence == 1, !isMended { throw Indigestible() }
        }
        try stage.takeBack(try stage.raise())
        try stage.run(for: .seconds(3))
        #expect(try stage.effects(of: .sos) == [])
        #expect(try stage.streams["poisonCount"] == 2)
        try stage.restart()
        let health = try stage.send(.get, "/healthz")
        #expect(health.text.contains("sos 1 is needed and cannot be applied"))
        try stage.run(for: .seconds(100))
        #expect(try stage.effects(of: .sos) == [])
        isMended = true
        try stage.restart()
        try stage.run(for: .seconds(5))
        #expect(try stage.effects(of: .sos) == [1, 2])
        #expect(try stage.streams["poisonCount"] == 0)
    }

    @Test(arguments: [ClockRule.countdown, .retry])
    func `is put aside by the keeper of what was decided, whose chain goes on`(
        rule: ClockRule
    ) throws {
        let stage = try Stage(Stage.ingest)
        let stream = StreamName.events(Stage.partition)
        var isMended = false
        stage.script.onApply = { _, found, position in
            if found == stream, position.sequence == 2, !isMended { throw Indigestible() }
        }
        let evaluator = try Decider(stage, of: stream, [.retry, rule, .retry])
        // Offered again and again, until they are there.
        for _ in 0..<15 {
            evaluator.offer()
            try stage.run(for: .seconds(1))
        }
        #expect(stage.host.bus.position(of: stream) == evaluator.end)
        #expect(try stage.effects(of: stream) == [1, 3])
        let entry = try #require(try stage.streams["poison"]?.array?.first)
        #expect(entry["stream"] == .string(stream.text) && entry["sequence"] == 2)
        #expect(entry["needed"] == (rule == .countdown ? true : false))
        evaluator.offer()
        try stage.run(for: .seconds(70))
        #expect(try stage.streams["poisonCount"] == 1, "an offer that is known changes nothing")
        isMended = true
        try stage.run(for: .seconds(61))
        #expect(try stage.effects(of: stream) == (rule == .countdown ? [1, 3, 2] : [1, 3]))
        #expect(stage.host.bus.position(of: stream) == evaluator.end)
    }

    /// Offers what it decided to the stage.
    private struct Decider {
        private let transport: MemoryTransport
        private let batch: Batch
        private let input: Position

        init(_ stage: Stage, of stream: StreamName, _ rules: [ClockRule]) throws {
            guard case .events(let partition) = stream,
                let begin = stage.host.bus.position(of: stream),
                let input = stage.host.bus.position(of: .input(partition))
            else { throw Indigestible() }
            let topology = stage.host.topology
            var configuration = Bus.Configuration(name: "evaluator")
            var peer = Bus.Peer(.ingest, in: topology, streams: [])
            peer.computedEndpoint = topology.peerEndpoint(.ingest, port: topology.computedPort)
            configuration.peers = [peer]
            transport = stage.network.join(configuration)
            self.input = input
            batch = Batch(
                stream: stream, after: begin, records: try rules.map { try stage.wish($0) },
                head: UInt64(rules.count), published: .zero)
        }

        var end: Position { batch.last }

        func offer() { transport.offer(Offer(batch, from: input).encoded(), to: 0) }
    }
}
