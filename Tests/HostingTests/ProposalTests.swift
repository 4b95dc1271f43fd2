import Bus
import Model
import Testing
import Wire

@testable import Hosting

@Suite struct `An invalid proposal` {
    enum Fault: CaseIterable, Sendable {
        case unreadable, unknownKind, kindOfAnotherStream, personOfAnotherPartition

        func record(_ stage: Stage) throws -> Record {
            let person = PersonID(ID128(high: 1, low: 1))
            let id = ID128(high: 5, low: 99)
            func event(_ body: EventBody) throws -> Record {
                try EventCodec.encode(Event(id: EventID(id), time: .zero, body: body))
            }
            switch self {
            case .unreadable: return Record(kind: 41, schema: 1, id: id, payload: [1, 2, 3])
            case .unknownKind: return Record(kind: 63, schema: 9, id: id, payload: [])
            case .kindOfAnotherStream:
                return try event(
                    .sosRaised(
                        EmergencySignal(
                            id: EmergencyID(id), person: person, trigger: .panic, raised: .zero,
                            received: .zero, countdownEnds: .zero)))
            case .personOfAnotherPartition:
                let other = (2...).lazy.map { PersonID(ID128(high: 1, low: UInt64($0))) }
                    .first { Partition.of($0) != Stage.partition }
                return try event(
                    .deadlineScheduled(
                        Deadline(
                            id: DeadlineID(id), kind: .presence, person: other ?? person, due: .zero
                        )))
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `is dead-lettered, its sender may propose no more, and the stream goes on`(
        fault: Fault
    ) throws {
        let stage = try Stage(Stage.ingest)
        let stream = StreamName.events(Stage.partition)
        let (rogue, honest) = (ID128(high: 3, low: 1), ID128(high: 3, low: 2))
        let evaluator = try Proposer(stage, of: stream)
        evaluator.propose([try stage.deadlineRecord(.retry), try fault.record(stage)], by: rogue)
        try stage.run(for: .seconds(1))
        #expect(stage.script.rejected == [rogue])
        #expect(try stage.effects(of: stream) == [1])
        #expect(stage.host.bus.stopped.isEmpty)
        let entry = try #require(try stage.streams["deadLetters"]?.array?.first)
        #expect(entry["stream"] == .string(stream.text) && entry["required"] == false)
        #expect(try stage.send(.get, "/healthz").status == 503)

        evaluator.propose([try stage.deadlineRecord(.retry)], by: rogue)
        try stage.run(for: .seconds(1))
        #expect(try stage.effects(of: stream) == [1])
        evaluator.propose(
            [try stage.deadlineRecord(.retry), try stage.deadlineRecord(.retry)], by: honest)
        try stage.run(for: .seconds(1))
        #expect(try stage.effects(of: stream) == [1, 2, 3])
        #expect(try stage.send(.get, "/metrics").text.contains("jaga_proposals_rejected_total 1\n"))
    }

    @Test func `is stored only up to a limit`() throws {
        let stage = try Stage(Stage.ingest)
        let evaluator = try Proposer(stage, of: .events(Stage.partition))
        for number in 1...200 as ClosedRange<UInt64> {
            evaluator.propose(
                [Record(kind: 41, schema: 1, id: ID128(high: 6, low: number), payload: [1])],
                by: ID128(high: 3, low: number))
            try stage.round()
        }
        try stage.run(for: .seconds(1))
        #expect(stage.script.rejected.count == 200)
        #expect(try stage.streams["deadLetterCount"]?.int == HostLimits.rejectedProposalsKept)
    }

    /// Proposes records after the last one of the stage.
    private struct Proposer {
        private let stage: Stage
        private let stream: StreamName
        private let transport: MemoryTransport

        init(_ stage: Stage, of stream: StreamName) throws {
            self.stage = stage
            self.stream = stream
            let topology = stage.host.topology
            var configuration = Bus.Configuration(name: "evaluator")
            var peer = Bus.Peer(.ingest, in: topology, streams: [])
            peer.derivedEndpoint = topology.peerEndpoint(.ingest, port: topology.derivedPort)
            configuration.peers = [peer]
            transport = stage.network.join(configuration)
        }

        func propose(_ records: [Record], by member: ID128) {
            guard case .events(let partition) = stream,
                let begin = stage.host.bus.position(of: stream),
                let input = stage.host.bus.position(of: .input(partition))
            else { return }
            let batch = Batch(
                stream: stream, after: begin, records: records, head: 0, published: .zero)
            transport.sendProposal(Proposal(batch, from: input, by: member).encoded(), to: 0)
        }
    }
}
