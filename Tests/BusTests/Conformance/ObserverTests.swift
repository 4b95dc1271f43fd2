import Bus
import Model
import Runtime
import Store
import Testing
import Wire

@Suite(.closingWorlds) struct `The reported state of streams` {
    @Test(arguments: Carrier.allCases)
    func `is what each consumer has acknowledged, also after a restart`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos), .init(.deadlines)])
        let consumer = try world.consumer("notifier", of: writer, [.sos, .deadlines])
        try writer.append(30, to: .sos)
        try world.run(until: { writer.bus?.acknowledged(.sos, by: "notifier") == 30 })
        #expect(writer.bus?.acknowledged(.deadlines, by: "notifier") == 0)
        #expect(writer.bus?.acknowledged(.sos, by: "nobody") == 0)
        let metrics = Metrics()
        writer.bus?.writeMetrics(metrics)
        consumer.bus?.writeMetrics(metrics)
        let page = metrics.render()
        #expect(page.contains("jaga_bus_head_records{stream=\"sos\"} 30\n"))
        #expect(page.contains("jaga_bus_lag_records{stream=\"sos\"} 0\n"))
        #expect(
            page.contains(
                "jaga_bus_consumer_lag_records{consumer=\"notifier\",stream=\"sos\"} 0\n"))
        #expect(page.contains("jaga_bus_records_applied_total 30\n"))
        try world.run(until: {
            try writer.database.scalar(
                "SELECT sequence FROM consumer WHERE consumer = 'notifier' AND stream = 'sos'")
                == .integer(30)
        })
        consumer.kill()
        try writer.restart()
        #expect(writer.bus?.acknowledged(.sos, by: "notifier") == 30)
        #expect(writer.bus?.heads.map(\.head.sequence) == [30, 0])
    }

    @Test(arguments: Carrier.allCases)
    func `is only what is published from now on, for an observer from the head`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        try writer.append(100, to: .sos)
        let tail = try world.consumer("tail", of: writer, [.sos]) {
            $0.start = .head
            $0.acknowledges = false
        }
        try world.run(until: { tail.bus?.isCaughtUp == true })
        #expect(try tail.effectCount(of: .sos) == 0)
        let news = try writer.append(5, to: .sos)
        try world.run(until: { try tail.effectCount(of: .sos) == 5 })
        #expect(try tail.effects(of: .sos) == news.map(\.id))
        try world.run(for: .milliseconds(1500))
        #expect(writer.bus?.acknowledgements.isEmpty == true)
    }

    @Test(arguments: Carrier.allCases)
    func `is everything that still exists, for an observer from the oldest record`(
        carrier: Carrier
    ) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.directory, isSnapshotable: true)])
        try writer.append(10, to: .directory)
        writer.work = { bus in
            if bus.heads[0].base.sequence == 0 { try bus.prune(.directory, through: 4) }
        }
        try world.run(for: .milliseconds(30))
        let tail = try world.consumer("tail", of: writer, [.directory]) { $0.start = .oldest }
        try world.run(until: { try tail.effectCount(of: .directory) == 6 })
        #expect(try tail.effects(of: .directory) == writer.log(of: .directory))
    }

    @Test(arguments: Carrier.allCases)
    func `needs no disk`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos), .init(.deadlines)])
        try writer.append(10, to: .sos)
        var configuration = Bus.Configuration(name: "tail")
        configuration.acknowledges = false
        configuration.peers = [
            Bus.Peer(
                name: "writer", publishEndpoint: writer.configuration.publishEndpoint ?? "",
                controlEndpoint: writer.configuration.controlEndpoint ?? "",
                streams: [.sos, .deadlines])
        ]
        let tail = try Bus(
            configuration: configuration, store: MemoryBusStore(),
            transport: try world.transport(configuration), newID: world.newID,
            clock: { world.now })
        var seen: [UInt64] = []
        try world.run(until: {
            try tail.receive { _, position, _ in seen.append(position.sequence) }
            tail.committed()
            try tail.tick()
            return seen.count == 10 && tail.isCaughtUp
        })
        #expect(seen == Array(1...10))
        #expect(tail.lags.map(\.head) == [10, 0])
        #expect(tail.lags.map(\.peer) == ["writer", "writer"])
    }

    @Test(arguments: Carrier.allCases)
    func `is not disturbed by invalid requests`(carrier: Carrier) throws {
        let world = try World(carrier)
        let writer = try world.writer("writer", [.init(.sos)])
        try writer.append(10, to: .sos)
        let consumer = try world.consumer(of: writer, [.sos])
        consumer.fate = { kind, frame in
            guard kind == .request else { return [frame] }
            return [[], [1, 2, 3], Control.states([]).encoded(), Array(frame.dropLast()), frame]
        }
        try world.run(until: { try consumer.hasAll(of: .sos, from: writer) })
        #expect((writer.bus?.counters.framesRejected ?? 0) >= 4)
    }
}
