import Bus
import Model
import Testing
import Wire

/// The bus repairs whatever a transport does to frames.
@Suite(.closingWorlds) struct `A faulty transport` {
    @Test(arguments: Carrier.allCases)
    func `is repaired if it loses, duplicates and reorders frames`(carrier: Carrier) throws {
        let world = try World(carrier)
        let streams = [StreamName.sos, .input(1), .input(2), .deliveries]
        let writer = try world.writer("writer", streams.map { Bus.Served($0) })
        let consumer = try world.consumer(of: writer, streams)
        let lossiness = Lossiness(seed: 11)
        for node in [writer, consumer] { node.fate = { lossiness.fate(of: $1) } }
        var sequences: [StreamName: UInt64] = [:]
        var isInOrder = true
        consumer.onApply = { stream, position, _ in
            isInOrder = isInOrder && position.sequence == sequences[stream, default: 0] + 1
            sequences[stream] = position.sequence
        }
        for _ in 0..<60 {
            for stream in streams { try writer.append(2, to: stream) }
            try world.round()
        }
        lossiness.isOver = true
        try world.run(until: {
            try streams.allSatisfy { try consumer.hasAll(of: $0, from: writer) }
        })
        #expect(isInOrder, "each sequence once, in order")
        #expect((consumer.bus?.counters.replaysRequested ?? 0) > 0)
        #expect((writer.notices + consumer.notices).filter(\.needsAttention).isEmpty)
    }

    /// Publishes more batches than all queues hold to a suspended consumer, until the connection
    /// times out behind the full queue.
    @Test(arguments: Carrier.allCases)
    func `is repaired if its queues overflow`(carrier: Carrier) throws {
        let world = try World(carrier)
        let streams = Partition.all.map(StreamName.input)
        let writer = try world.writer("writer", streams.map { Bus.Served($0) })
        try writer.database.run("PRAGMA synchronous = OFF")
        let consumer = try world.consumer(of: writer, streams)
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        var batches = 0
        writer.fate = { kind, frame in
            guard kind == .publication, frame.isBatch else { return [frame] }
            batches += 1
            // A consumer without a limit of its own gets that of the others.
            return carrier.isRealTime || batches <= 10_000 ? [frame] : []
        }
        for _ in 0..<500 {
            writer.work = { bus in
                for stream in streams {
                    let number = bus.end(of: stream) + 1
                    try bus.append(Node.record(stream, number, size: 700), to: stream)
                }
            }
            try writer.turn()
        }
        writer.work = { _ in }
        #expect(batches == 32_000)
        world.pass(.seconds(3))
        // Nothing is sent meanwhile on the new connection.
        for _ in 0..<40 { try consumer.turn() }
        try world.run(until: {
            try streams.allSatisfy { try consumer.hasAll(of: $0, from: writer) }
        })
        #expect((consumer.bus?.counters.replaysRequested ?? 0) > 0, "nothing overflowed")
    }

    @Test(arguments: Carrier.allCases)
    func `continues at the cursor when a peer moves to other endpoints`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try writer.append(20, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        writer.kill()
        writer.configuration.publishEndpoint = world.endpoint("elsewhere.publish")
        writer.configuration.controlEndpoint = world.endpoint("elsewhere.control")
        try writer.restart()
        try writer.append(20, to: .sos)
        #expect(
            writer.configuration.publishEndpoint
                != consumer.configuration.peers[0].publishEndpoint)
        consumer.configuration.peers[0].publishEndpoint =
            writer.configuration.publishEndpoint ?? ""
        consumer.configuration.peers[0].controlEndpoint =
            writer.configuration.controlEndpoint ?? ""
        try consumer.restart()
        var first: UInt64?
        consumer.onApply = { _, position, _ in first = first ?? position.sequence }
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(first == 21)
        #expect(consumer.notices.filter(\.needsAttention).isEmpty)
    }

    /// A slow consumer never receives more than it requested.
    @Test(arguments: Carrier.allCases)
    func `never holds more than one piece of a snapshot or replay`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let writer = try world.writer(
            "writer", [.init(.directory, isSnapshotable: true), .init(.sos)])
        let state = (0..<60).map { Node.record(.directory, UInt64($0), size: 50_000) }
        writer.snapshot = { _ in state }
        try writer.append(20, to: .directory)
        try writer.append(60, to: .sos, size: 50_000)
        writer.work = { bus in
            if bus.heads[0].base.sequence == 0 { try bus.prune(.directory, through: 20) }
        }
        try world.run(for: .milliseconds(30))
        var requested = 0
        var replied = 0
        var sizes: [Int] = []
        let consumer = try world.consumer(of: writer, [.directory, .sos])
        consumer.fate = { kind, frame in
            if kind == .request, isDemand(frame) { requested += 1 }
            return [frame]
        }
        writer.fate = { kind, frame in
            if kind == .reply, frame.isBatch || isPiece(frame) {
                replied += 1
                sizes.append(frame.count)
            }
            return [frame]
        }
        try world.run(until: {
            try consumer.effectCount(of: .directory) == 60
                && consumer.hasAll(of: .sos, from: writer)
        })
        #expect(replied <= requested && replied > 20)
        #expect(sizes.allSatisfy { $0 <= WireLimits.batchBytesMax + 100 })
    }

    /// Whether a frame requests records: REPLAY or SNAP.
    private func isDemand(_ frame: [UInt8]) -> Bool {
        switch try? Frame(frame) {
        case .control(.replay), .control(.snapshotRequest): true
        default: false
        }
    }

    private func isPiece(_ frame: [UInt8]) -> Bool {
        if case .control(.chunk) = try? Frame(frame) { true } else { false }
    }
}
