import Bus
import Model
import Runtime
import Testing
import Wire

/// Frames that no program of this version sends.
@Suite(.closingWorlds) struct `Bad frames` {
    /// A fault of a frame, and the reason for its rejection.
    enum Fault: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case empty, noise, cut, prolonged, otherVersion, wrongHash, unknownStream, unknownVerb
        case unknownType, tooLong

        var testDescription: String { rawValue }

        var reason: WireError.Code {
            switch self {
            case .empty, .noise, .cut, .prolonged: .truncated
            case .otherVersion: .version
            case .wrongHash: .hash
            case .unknownStream, .unknownVerb, .unknownType: .unknown
            case .tooLong: .oversized
            }
        }

        /// A faulty frame with the topic of a valid one, so that subscribers receive it.
        func frame(from good: [UInt8]) -> [UInt8] {
            var frame = good
            switch self {
            case .empty: return []
            case .noise: return Array(good.prefix(8)) + [1]
            case .cut: return Array(good.dropLast())
            case .prolonged: return good + [0]
            case .otherVersion: frame[8] = 99
            case .wrongHash: frame[good.count - 1] ^= 1
            case .unknownStream: frame.replaceSubrange(0..<8, with: Array("nobody-|".utf8))
            case .unknownVerb:
                frame = Control.headsRequest.encoded()
                frame[10] = 250
            case .unknownType: frame[9] = 77
            case .tooLong: return good + [UInt8](repeating: 0, count: 3 << 19)
            }
            return frame
        }
    }

    private static func batch(_ stream: StreamName) -> [UInt8] { plain(stream).encoded() }

    private static func proposal(_ stream: StreamName) -> [UInt8] {
        Proposal(plain(stream), from: .unknown).encoded()
    }

    private static func plain(_ stream: StreamName) -> Batch {
        Batch(
            stream: stream, after: .start(of: ID128(high: 1, low: 1)),
            records: [Node.record(stream, 1)], head: 1, published: .zero)
    }

    private static func rejections(_ node: Node) -> [(from: String, code: WireError.Code)] {
        node.notices.compactMap { notice in
            if case .rejected(let name, let error, count: 1) = notice {
                (name, error.code)
            } else {
                nil
            }
        }
    }

    /// Checks that records still arrive over the connection that delivered the faulty frames.
    private static func expectWhole(
        _ world: World, _ writer: Node, _ consumer: Node, _ stream: StreamName
    ) throws {
        try writer.append(5, to: stream)
        try world.run(until: { try consumer.hasAll(of: stream, from: writer) })
        #expect(consumer.bus?.counters.reconnects == 0)
    }

    @Test(arguments: Fault.allCases)
    func `published are counted, reported once and dropped; the connection stays`(
        fault: Fault
    ) throws {
        // Subscribers receive neither an empty frame nor one with an unknown topic.
        if fault == .empty || fault == .unknownStream || fault == .unknownVerb { return }
        let world = try World(.zeroMQ)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        // Frames published before the subscription is effective are lost.
        try world.run(until: {
            writer.faults?.publish(fault.frame(from: Self.batch(.sos)))
            return (consumer.bus?.counters.framesRejected ?? 0) >= 3
        })
        let count = consumer.bus?.counters.framesRejected ?? 0
        #expect(consumer.bus?.counters.framesRejectedByReason == [fault.reason: count])
        #expect(Self.rejections(consumer).map(\.from) == ["writer"])
        #expect(Self.rejections(consumer).map(\.code) == [fault.reason])
        let metrics = Metrics()
        consumer.bus?.writeMetrics(metrics)
        let sample =
            "jaga_bus_frames_rejected_total{reason=\"\(fault.reason.rawValue)\"} \(count)\n"
        #expect(metrics.render().contains(sample))
        try Self.expectWhole(world, writer, consumer, .sos)
    }

    @Test(arguments: Fault.allCases)
    func `in requests are counted, reported once and not answered; the connection stays`(
        fault: Fault
    ) throws {
        let world = try World(.zeroMQ)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        let good = fault == .wrongHash ? Self.batch(.sos) : Control.headsRequest.encoded()
        for _ in 0..<3 { _ = consumer.faults?.sendRequest(fault.frame(from: good), to: 0) }
        try world.run(until: { writer.bus?.counters.framesRejected == 3 })
        #expect(writer.bus?.counters.framesRejectedByReason == [fault.reason: 3])
        #expect(Self.rejections(writer).map(\.from) == ["a consumer"])
        try Self.expectWhole(world, writer, consumer, .sos)
    }

    @Test(arguments: Fault.allCases)
    func `proposed are counted, reported once and not appended`(fault: Fault) throws {
        if fault == .empty || fault == .unknownStream || fault == .unknownVerb { return }
        let world = try World(.zeroMQ)
        let publisher = try world.writer("publisher", [.init(.events(3), isDerived: true)])
        let evaluator = try world.consumer(
            "evaluator", of: publisher, [], computes: [.events(3)])
        // Frames proposed before the subscription is effective are lost.
        try world.run(until: {
            evaluator.faults?.sendProposal(fault.frame(from: Self.proposal(.events(3))), to: 0)
            return (publisher.bus?.counters.framesRejected ?? 0) >= 3
        })
        #expect(publisher.bus?.counters.framesRejectedByReason.keys.map(\.self) == [fault.reason])
        #expect(Self.rejections(publisher).map(\.from) == ["an evaluator"])
        #expect(publisher.bus?.end(of: .events(3)) == 0)
    }

    @Test(arguments: Carrier.allCases)
    func `about streams of other publishers are rejected requests`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        let entry = Control.Entry(.deadlines, .unknown)
        for request in [
            Control.hello(consumer: "consumer", entries: [entry]),
            .replay(consumer: "consumer", from: entry, bytesMax: 100),
            .acknowledge(consumer: "consumer", entries: [entry]),
            .snapshotRequest(consumer: "consumer", stream: .deadlines, snapshot: .zero, first: 0),
        ] {
            _ = consumer.faults?.sendRequest(request.encoded(), to: 0)
        }
        try world.run(until: { writer.bus?.counters.framesRejected == 4 })
        #expect(writer.bus?.counters.framesRejectedByReason == [.unknown: 4])
        try Self.expectWhole(world, writer, consumer, .sos)
    }

    @Test func `in a flood are logged once a minute, with their number`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        let bad = Fault.cut.frame(from: Self.batch(.sos))
        let start = world.now.monotonic
        while world.now.monotonic - start < .seconds(150) {
            writer.faults?.publish(bad)
            try world.round()
        }
        let counts = consumer.notices.compactMap { notice -> Int? in
            if case .rejected(from: "writer", _, let count) = notice { count } else { nil }
        }
        #expect(counts.count == 3)
        #expect(counts.first == 1)
        #expect(counts.dropFirst().allSatisfy { (5990...6010).contains($0) }, "\(counts)")
        #expect(consumer.bus?.counters.framesRejected == 15_000)
    }
}
