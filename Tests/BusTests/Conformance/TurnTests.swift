import Bus
import Model
import Store
import Testing
import Wire

@Suite(.closingWorlds) struct `A turn` {
    @Test(arguments: Carrier.allCases)
    func `that is rolled back applies nothing, and everything is applied again`(carrier: Carrier)
        throws
    {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos), .init(.deadlines)])
        let consumer = try world.consumer(of: writer, [.sos, .deadlines])
        var failures = 0
        consumer.onApply = { _, position, _ in
            if position.sequence == 50, failures < 3 {
                failures += 1
                throw CancellationError()
            }
        }
        try writer.append(100, to: .sos)
        try writer.append(100, to: .deadlines)
        try world.run(until: {
            try consumer.hasAll(of: .sos, from: writer)
                && consumer.hasAll(of: .deadlines, from: writer)
        })
        #expect(failures == 3)
    }

    @Test(arguments: Carrier.allCases)
    func `whose commit fails publishes nothing and reuses the sequences`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try writer.append(3, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        var appended = 0
        writer.work = { bus in
            guard appended == 0 else { return }
            appended += 1
            try bus.append(Node.record(.sos, 4, tag: "undone"), to: .sos)
        }
        writer.failsNextCommit = true
        try world.run(for: .milliseconds(300))
        #expect(appended == 1)
        #expect(writer.bus?.end(of: .sos) == 3)
        #expect(try consumer.effectCount(of: .sos) == 3)
        try writer.append(2, to: .sos, tag: "done")
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(try consumer.effectCount(of: .sos) == 5)
    }

    @Test(arguments: Carrier.allCases)
    func `replies to a member only after its commit`(carrier: Carrier) throws {
        let world = try World(carrier)
        let coordinator = try Coordinator(world)
        var replies = 0
        coordinator.node.fate = { kind, frame in
            if kind == .reply, frame.verb == Verb.assign { replies += 1 }
            return [frame]
        }
        var turns = 0
        coordinator.node.work = { [unowned coordinator] _ in
            // The first three turns with a request are rolled back.
            guard coordinator.requestCount > turns, turns < 3 else { return }
            turns = coordinator.requestCount
            coordinator.node.failsNextCommit = true
        }
        let member = try Member(world, "member", of: coordinator)
        try world.run(until: { turns == 3 })
        #expect(replies == 0)
        #expect(member.bus?.isCaughtUp == false)
        try world.run(until: { member.bus?.isCaughtUp == true })
        #expect(replies > 0)
    }

    @Test func `knows what is on a chain, including this turn`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [.init(.sos), .init(.deadlines)])
        try writer.append(5, to: .sos)
        let bus = try #require(writer.bus)
        let third = try writer.position(3, of: .sos)
        #expect(try bus.isOnChain(third, of: .sos))
        #expect(try bus.isOnChain(.start(of: third.incarnation), of: .sos))
        var other = third
        other.hash ^= 1
        #expect(try !bus.isOnChain(other, of: .sos))
        #expect(try !bus.isOnChain(third, of: .deadlines))
        #expect(try !bus.isOnChain(third, of: .deliveries))
        #expect(try !bus.isOnChain(.start(of: .zero), of: .sos))
        writer.work = { bus in
            guard bus.end(of: .sos) == 5 else { return }
            let sixth = try bus.append(Node.record(.sos, 6), to: .sos)
            #expect(try bus.isOnChain(sixth, of: .sos))
            var beyond = sixth
            beyond.sequence += 1
            #expect(try !bus.isOnChain(beyond, of: .sos))
            try bus.prune(.sos, through: 4)
        }
        try world.round()
        #expect(try !bus.isOnChain(third, of: .sos), "pruned records are unknown")
        #expect(try bus.isOnChain(bus.heads[0].base, of: .sos))
    }

    @Test(arguments: Carrier.allCases)
    func `stops a stream that cannot be read, and no other`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos), .init(.deadlines)])
        let consumer = try world.consumer(of: writer, [.sos, .deadlines])
        consumer.onApply = { stream, position, _ in
            if stream == .deadlines, position.sequence == 6 { throw StreamStop(reason: "newer") }
        }
        try writer.append(10, to: .deadlines)
        try writer.append(10, to: .sos)
        try world.run(until: {
            try consumer.hasAll(of: .sos, from: writer)
                && consumer.notices.contains(.stopped(.deadlines, reason: "newer"))
        })
        try writer.append(10, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(try consumer.effectCount(of: .deadlines) == 5)
        #expect(consumer.bus?.healthProblems == ["deadlines is stopped: newer"])
        #expect(consumer.bus?.isCaughtUp == false)
        // A program that can read it continues at the same record.
        consumer.onApply = { _, _, _ in }
        try consumer.restart()
        try world.run(until: { try consumer.hasAll(of: .deadlines, from: writer) })
    }

    @Test(arguments: Carrier.allCases)
    func `applies a limited number of records, some of each stream`(carrier: Carrier) throws {
        let world = try World(carrier)
        let streams = (0..<4).map { StreamName.input($0) }
        let writer = try world.writer("writer", streams.map { Bus.Served($0) })
        for stream in streams { try writer.append(1000, to: stream) }
        let consumer = try world.consumer(of: writer, streams)
        consumer.limit = 300
        var most = 0
        var inTurn = 0
        var reached: Set<StreamName> = []
        consumer.onApply = { stream, _, _ in
            inTurn += 1
            reached.insert(stream)
        }
        consumer.work = { _ in
            most = max(most, inTurn)
            inTurn = 0
        }
        try world.run(until: { reached.count == 4 })
        let counts = try streams.map { try consumer.effectCount(of: $0) }
        #expect(counts.allSatisfy { $0 < 1000 }, "all started before one was finished: \(counts)")
        try world.run(until: {
            try streams.allSatisfy { try consumer.hasAll(of: $0, from: writer) }
        })
        #expect(most == 300)
    }

    @Test(arguments: Carrier.allCases)
    func `applies emergencies before all waiting records`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.input(1)), .init(.sos)])
        let consumer = try world.consumer(of: writer, [.input(1), .sos])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        try writer.append(2000, to: .input(1))
        consumer.limit = 10
        try world.run(until: { try consumer.effectCount(of: .input(1)) > 0 })
        try writer.append(1, to: .sos)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(try consumer.effectCount(of: .input(1)) < 1000)
        consumer.limit = 1000
        try world.run(until: { try consumer.hasAll(of: .input(1), from: writer) })
    }

    @Test(arguments: Carrier.allCases)
    func `rejects records that are too long or of streams not served`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        let bus = try #require(writer.bus)
        let long = Node.record(.sos, 1, size: WireLimits.recordBytesMax)
        let tooLong = #expect(throws: BusError.self) { try bus.append(long, to: .sos) }
        #expect(tooLong?.code == "oversized")
        let other = #expect(throws: BusError.self) {
            try bus.append(Node.record(.deadlines, 1), to: .deadlines)
        }
        #expect(other?.code == "not-ours")
    }

    @Test func `with records of all sizes is published in batches that fit`() throws {
        let world = try World(.memory)
        let writer = try world.writer("writer", [.init(.sos)])
        let consumer = try world.consumer(of: writer, [.sos])
        try world.run(until: { consumer.bus?.isCaughtUp == true })
        var sizes: [Int] = []
        writer.fate = { kind, frame in
            if kind == .publication, frame.isBatch { sizes.append(frame.count) }
            return [frame]
        }
        try writer.append(3, to: .sos, size: WireLimits.recordBytesMax - 24)
        try writer.append(20, to: .sos, size: 50_000)
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect(sizes.count == 3 + 4)
        #expect(sizes.allSatisfy { $0 <= WireLimits.frameBytesMax })
        #expect(sizes.dropFirst(3).allSatisfy { $0 <= WireLimits.batchBytesMax + 100 })
    }

    @Test func `cannot start at an address in use`() throws {
        let world = try World(.zeroMQ)
        let writer = try world.writer("writer", [.init(.sos)])
        var configuration = Bus.Configuration(name: "second")
        configuration.publishEndpoint = writer.configuration.publishEndpoint
        let error = #expect(throws: BusError.self) { try ZeroMQTransport(configuration) }
        #expect(error?.code == "address-in-use")
        #expect(error?.operation == "bind \(writer.configuration.publishEndpoint ?? "")")
        configuration.publishEndpoint = "carrier pigeon"
        let other = #expect(throws: BusError.self) { try ZeroMQTransport(configuration) }
        #expect(other?.code == "bad-endpoint")
    }
}
