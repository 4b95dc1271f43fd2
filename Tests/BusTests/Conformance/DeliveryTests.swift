import Bus
import Model
import Testing
import Wire

@Suite(.closingWorlds) struct `A followed stream` {
    @Test(arguments: Carrier.allCases)
    func `reaches a late subscriber whole`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos), .init(.input(7))])
        try writer.append(3000, to: .sos)
        try writer.append(40, to: .input(7), size: 100_000)
        let consumer = try world.consumer(of: writer, [.sos, .input(7)])
        try world.run(until: {
            try consumer.hasAll(of: .sos, from: writer)
                && consumer.hasAll(of: .input(7), from: writer)
        })
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        #expect(consumer.bus?.lags.map(\.records) == [0, 0])
    }

    @Test(arguments: Carrier.allCases)
    func `is published live, in order, to every consumer`(carrier: Carrier) throws {
        let world = try World(carrier)
        let streams = Partition.all.map(StreamName.input)
        let writer = try world.writer("writer", streams.map { Bus.Served($0) })
        let consumers = try ["a", "b"].map { try world.consumer($0, of: writer, streams) }
        try world.run(until: { consumers.allSatisfy { $0.bus?.isCaughtUp == true } })
        for _ in 0..<10 {
            for stream in streams { try writer.append(3, to: stream) }
            try world.round()
        }
        try world.run(until: {
            try consumers.allSatisfy { consumer in
                try streams.allSatisfy { try consumer.hasAll(of: $0, from: writer) }
            }
        })
        #expect(consumers.allSatisfy { $0.notices == [.connected(peer: "writer")] })
    }

    @Test(arguments: Carrier.allCases, [0.0, 0.3])
    func `is repaired when publications are lost`(carrier: Carrier, share: Double) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos), .init(.deadlines)])
        let consumer = try world.consumer(of: writer, [.sos, .deadlines])
        var count = 0
        writer.fate = { kind, frame in
            guard kind == .publication, frame.isBatch else { return [frame] }
            count += 1
            return Double(count % 10) < share * 10 ? [frame] : []
        }
        for _ in 0..<40 {
            try writer.append(5, to: .sos)
            try writer.append(1, to: .deadlines)
            try world.round()
        }
        try world.run(until: {
            try consumer.hasAll(of: .sos, from: writer)
                && consumer.hasAll(of: .deadlines, from: writer)
        })
        #expect((consumer.bus?.counters.replaysRequested ?? 0) > 0)
    }

    @Test(arguments: Carrier.allCases)
    func `continues after the cursor when its consumer returns`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try writer.append(100, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        consumer.kill()
        try writer.append(100, to: .sos)
        try world.run(for: .milliseconds(50))
        try consumer.restart()
        var first: UInt64?
        consumer.onApply = { _, position, _ in first = first ?? position.sequence }
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(first == 101)
    }

    @Test(arguments: Carrier.allCases)
    func `continues when its publisher returns, including unpublished records`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try writer.append(10, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        // Committed, and killed before publishing.
        writer.fate = { kind, frame in kind == .publication ? [] : [frame] }
        try writer.append(5, to: .sos)
        writer.fate = { [$1] }
        try writer.restart()
        try writer.append(10, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(try consumer.effectCount(of: .sos) == 25)
        #expect(consumer.notices.filter(\.needsAttention).isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `rejects frames changed in transit, and arrives whole`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        writer.fate = { kind, frame in
            guard kind == .publication, frame.isBatch else { return [frame] }
            var changed = frame
            changed[changed.count - 1] ^= 1
            return [changed]
        }
        // A consumer that caught up by requests may not receive publications yet.
        for _ in 0..<50 where consumer.bus?.counters.framesRejected == 0 {
            try writer.append(10, to: .sos)
            try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        }
        let rejections = consumer.notices.filter { notice in
            if case .rejected(from: "writer", let error, count: 1) = notice {
                error.code == .hash
            } else {
                false
            }
        }
        #expect(rejections.count == 1)
        #expect(consumer.bus?.counters.framesRejected == 1)
    }

    @Test(arguments: Carrier.allCases)
    func `reconnects when its publisher was away for long`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try writer.append(1, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        writer.kill()
        try world.run(until: { consumer.notices.contains(.disconnected(peer: "writer")) })
        #expect(consumer.bus?.isCaughtUp == false)
        if !carrier.isRealTime {
            try world.run(for: .seconds(9))
            #expect(consumer.bus?.healthProblems == ["no contact with writer"])
        }
        try writer.restart()
        try writer.append(1, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(consumer.bus?.healthProblems.isEmpty == true)
        #expect(consumer.notices.filter { $0 == .disconnected(peer: "writer") }.count == 1)
        #expect(consumer.notices.last == .connected(peer: "writer"))
    }

    /// One consumer lacks 40 streams and requests all of them at once, the other one stream.
    @Test func `is replayed to all consumers in turn, however much one of them lacks`() throws {
        let world = try World(.memory)
        let many = Partition.all.prefix(40).map(StreamName.input)
        let writer = try world.writer("writer", (many + [.sos]).map { Bus.Served($0) })
        for stream in many { try writer.append(5, to: stream, size: 100_000) }
        try writer.append(20, to: .sos, size: 100_000)
        var replies: [StreamName] = []
        writer.fate = { kind, frame in
            if kind == .reply, case .batch(let batch)? = try? Frame(frame) {
                replies.append(batch.stream)
            }
            return [frame]
        }
        let greedy = try world.consumer("greedy", of: writer, many)
        try world.run(until: { replies.count >= 8 })
        let modest = try world.consumer("modest", of: writer, [.sos])
        try world.run(until: {
            try modest.hasAll(of: .sos, from: writer)
                && many.allSatisfy { try greedy.hasAll(of: $0, from: writer) }
        })
        let places = replies.indices.filter { replies[$0] == .sos }
        #expect(places.count >= 10)
        let between = zip(places, places.dropFirst()).map { $1 - $0 - 1 }
        // About a megabyte is replayed per turn; 40 requests wait.
        #expect(between.allSatisfy { $0 <= 15 }, "\(between)")
        #expect(replies.count - (places.last ?? 0) > 20, "the other one is served, too, and later")
    }
}
