import Bus
import Model
import Testing
import Wire

/// What the rules above a transport make of it, whatever it does to frames.
@Suite(.closingWorlds) struct `What a transport does to frames` {
    @Test(arguments: Carrier.allCases)
    func `is repaired where it loses, doubles and mixes up everything`(carrier: Carrier) throws {
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
        #expect(isInOrder, "each sequence once, in its order")
        #expect((consumer.bus?.counters.replaysAsked ?? 0) > 0)
        #expect((writer.notices + consumer.notices).filter(\.isAlarm).isEmpty)
    }

    /// More batches than any queue on the way takes, to somebody who does not listen meanwhile, and
    /// for so long that the connection is given up behind the full queue.
    @Test(arguments: Carrier.allCases)
    func `is repaired where its queues overflow`(carrier: Carrier) throws {
        let world = try World(carrier)
        let streams = Partition.all.map(StreamName.input)
        let writer = try world.writer("writer", streams.map { Bus.Served($0) })
        try writer.database.run("PRAGMA synchronous = OFF")
        let consumer = try world.consumer(of: writer, streams)
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        var batches = 0
        writer.fate = { way, frame in
            guard way == .publication, frame.isBatch else { return [frame] }
            batches += 1
            // Whoever has no limit of its own is given that of the others.
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
        // Nothing is said meanwhile on the connection that is made instead.
        for _ in 0..<40 { try consumer.turn() }
        try world.run(until: {
            try streams.allSatisfy { try consumer.hasAll(of: $0, from: writer) }
        })
        #expect((consumer.bus?.counters.replaysAsked ?? 0) > 0, "nothing overflowed")
    }

    @Test(arguments: Carrier.allCases)
    func `goes on at the cursor when a peer is found elsewhere`(carrier: Carrier) throws {
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
        #expect(consumer.notices.filter(\.isAlarm).isEmpty)
    }

    /// A reader that takes its time is never sent more than it asked for.
    @Test(arguments: Carrier.allCases)
    func `never holds more than one piece of a snapshot, or of what is missing`(
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
        var asked = 0
        var answered = 0
        var sizes: [Int] = []
        let consumer = try world.consumer(of: writer, [.directory, .sos])
        consumer.fate = { way, frame in
            if way == .question, isDemand(frame) { asked += 1 }
            return [frame]
        }
        writer.fate = { way, frame in
            if way == .answer, frame.isBatch || isPiece(frame) {
                answered += 1
                sizes.append(frame.count)
            }
            return [frame]
        }
        try world.run(until: {
            try consumer.effectCount(of: .directory) == 60
                && consumer.hasAll(of: .sos, from: writer)
        })
        #expect(answered <= asked && answered > 20)
        #expect(sizes.allSatisfy { $0 <= WireLimits.batchBytesMax + 100 })
    }

    /// Whether a frame asks for records: REPLAY or SNAP.
    private func isDemand(_ frame: [UInt8]) -> Bool {
        switch try? Frame(frame) {
        case .control(.replay), .control(.snapshotWanted): true
        default: false
        }
    }

    private func isPiece(_ frame: [UInt8]) -> Bool {
        if case .control(.chunk) = try? Frame(frame) { true } else { false }
    }
}
