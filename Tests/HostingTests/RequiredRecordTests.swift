import Bus
import Model
import Testing
import Wire

@testable import Hosting

@Suite struct `A record that an emergency depends on` {
    private struct InvalidRecord: Error {}

    @Test func `is retried after a restart, and the emergency's end still waits for it`() throws {
        let stage = try Stage()
        var isFixed = false
        stage.script.onApply = { _, stream, position in
            if stream == .sos, position.sequence == 1, !isFixed { throw InvalidRecord() }
        }
        try stage.cancel(try stage.raise())
        try stage.run(for: .seconds(3))
        #expect(try stage.effects(of: .sos) == [])
        #expect(try stage.streams["deadLetterCount"] == 2)
        try stage.restart()
        let health = try stage.send(.get, "/healthz")
        #expect(health.text.contains("required record sos 1 cannot be applied"))
        try stage.run(for: .seconds(100))
        #expect(try stage.effects(of: .sos) == [])
        isFixed = true
        try stage.restart()
        try stage.run(for: .seconds(5))
        #expect(try stage.effects(of: .sos) == [1, 2])
        #expect(try stage.streams["deadLetterCount"] == 0)
    }

    @Test(arguments: [DeadlineKind.countdown, .retry])
    func `is dead-lettered by the service that keeps a derived stream, and the stream goes on`(
        rule: DeadlineKind
    ) throws {
        let stage = try Stage(Stage.ingest)
        let stream = StreamName.events(Stage.partition)
        var isFixed = false
        stage.script.onApply = { _, found, position in
            if found == stream, position.sequence == 2, !isFixed { throw InvalidRecord() }
        }
        let evaluator = try Proposer(stage, of: stream, [.retry, rule, .retry])
        // Proposed repeatedly, until they are committed.
        for _ in 0..<15 {
            evaluator.propose()
            try stage.run(for: .seconds(1))
        }
        #expect(stage.host.bus.position(of: stream) == evaluator.end)
        #expect(try stage.effects(of: stream) == [1, 3])
        let entry = try #require(try stage.streams["deadLetters"]?.array?.first)
        #expect(entry["stream"] == .string(stream.text) && entry["sequence"] == 2)
        #expect(entry["required"] == (rule == .countdown ? true : false))
        evaluator.propose()
        try stage.run(for: .seconds(70))
        #expect(try stage.streams["deadLetterCount"] == 1, "a known proposal changes nothing")
        isFixed = true
        try stage.run(for: .seconds(61))
        #expect(try stage.effects(of: stream) == (rule == .countdown ? [1, 3, 2] : [1, 3]))
        #expect(stage.host.bus.position(of: stream) == evaluator.end)
    }

    /// Proposes records to the stage.
    private struct Proposer {
        private let transport: MemoryTransport
        private let batch: Batch
        private let input: Position

        init(_ stage: Stage, of stream: StreamName, _ rules: [DeadlineKind]) throws {
            guard case .events(let partition) = stream,
                let begin = stage.host.bus.position(of: stream),
                let input = stage.host.bus.position(of: .input(partition))
            else { throw InvalidRecord() }
            let topology = stage.host.topology
            var configuration = Bus.Configuration(name: "evaluator")
            var peer = Bus.Peer(.ingest, in: topology, streams: [])
            peer.derivedEndpoint = topology.peerEndpoint(.ingest, port: topology.derivedPort)
            configuration.peers = [peer]
            transport = stage.network.join(configuration)
            self.input = input
            batch = Batch(
                stream: stream, after: begin,
                records: try rules.map { try stage.deadlineRecord($0) },
                head: UInt64(rules.count), published: .zero)
        }

        var end: Position { batch.last }

        func propose() { transport.sendProposal(Proposal(batch, from: input).encoded(), to: 0) }
    }
}
