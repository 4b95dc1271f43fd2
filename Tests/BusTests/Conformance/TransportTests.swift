import Bus
import Model
import Runtime
import TestSupport
import Testing
import Wire

/// What the bus relies on in whatever carries its frames. Frames may be lost, so that cases send
/// again until one arrives; none may arrive where it does not belong.
@Suite struct `A transport` {
    @Test(arguments: Carrier.allCases)
    func `brings publications to who subscribed, of its streams alone, and heads to all`(
        carrier: Carrier
    ) throws {
        let net = try Net(carrier)
        let keeper = try net.keeper()
        let one = try net.follower(of: keeper, [.input(1)])
        let many = try net.follower(of: keeper, [.input(17), .sos])
        let streams = [StreamName.input(1), .input(17), .sos, .fired]
        let publish = {
            for stream in streams { keeper.transport.publish(Net.frame(stream.topic, 1)) }
            keeper.transport.publish(Net.frame(Heads.topic, 1))
        }
        try net.run(publish, until: { one.frames.count >= 2 && many.frames.count >= 3 })
        #expect(Set(one.topics) == [StreamName.input(1).topic, Heads.topic])
        #expect(
            Set(many.topics) == [StreamName.input(17).topic, StreamName.sos.topic, Heads.topic])
        #expect((one.frames + many.frames).allSatisfy { $0.1.count == 9 })
        #expect((one.arrivals + many.arrivals).allSatisfy { Net.isPublication($0, of: 0) })
        #expect(keeper.arrivals.isEmpty, "nobody hears itself")
    }

    @Test(arguments: Carrier.allCases)
    func `brings what is subscribed while it runs, and no longer, also over a new connection`(
        carrier: Carrier
    ) throws {
        let net = try Net(carrier)
        let keeper = try net.keeper()
        let follower = try net.follower(of: keeper, [.input(1)])
        let publish = {
            for stream in [StreamName.input(1), .input(2), .input(12)] {
                keeper.transport.publish(Net.frame(stream.topic, 1))
            }
            keeper.transport.publish(Net.frame(Heads.topic, 1))
        }
        follower.transport.subscribe(.input(12), of: 0)
        follower.transport.unsubscribe(.input(1), of: 0)
        for _ in 0..<2 {
            try net.run(publish, until: { follower.topics.contains(StreamName.input(12).topic) })
            try net.subscribed(keeper, [follower])
            publish()
            keeper.transport.publish(Net.frame(Heads.topic, 2))
            try net.run(until: { follower.frames.contains { $0.1.last == 2 } })
            #expect(Set(follower.topics) == [StreamName.input(12).topic, Heads.topic])
            follower.transport.reconnect(to: 0)
            follower.arrivals = []
        }
        follower.transport.unsubscribe(.input(12), of: 0)
        follower.transport.subscribe(.input(2), of: 0)
        try net.run(publish, until: { follower.topics.contains(StreamName.input(2).topic) })
        try net.subscribed(keeper, [follower])
        publish()
        keeper.transport.publish(Net.frame(Heads.topic, 2))
        try net.run(until: { follower.frames.contains { $0.1.last == 2 } })
        #expect(Set(follower.topics) == [StreamName.input(2).topic, Heads.topic])
    }

    @Test(arguments: Carrier.allCases)
    func `keeps frames as they are and of one stream in order`(carrier: Carrier) throws {
        let net = try Net(carrier)
        let keeper = try net.keeper()
        let follower = try net.follower(of: keeper, [.sos])
        try net.subscribed(keeper, [follower])
        let sizes = [9, 300, 70_000, WireLimits.frameBytesMax, 9, 5000]
        for (index, size) in sizes.enumerated() {
            keeper.transport.publish(Net.frame(StreamName.sos.topic, UInt8(index), size: size))
        }
        try net.run(until: { follower.frames.count == sizes.count })
        #expect(follower.frames.map(\.1.count) == sizes)
        #expect(follower.frames.map(\.1.last) == (0..<6).map { UInt8($0) })
    }

    @Test(arguments: Carrier.allCases)
    func `brings an answer to who asked, and to nobody else`(carrier: Carrier) throws {
        let net = try Net(carrier)
        let keepers = [try net.keeper("first"), try net.keeper("second")]
        let followers = try (0..<3).map { _ in try net.follower(of: keepers, [.sos]) }
        for (number, follower) in followers.enumerated() {
            for peer in keepers.indices {
                let question = [UInt8(number), UInt8(peer)]
                try net.run(until: { follower.transport.ask(question, of: peer) })
            }
        }
        try net.run(until: { keepers.allSatisfy { $0.frames.count == 3 } })
        for keeper in keepers {
            for case .asked(let route, let question) in keeper.arrivals {
                keeper.transport.answer(question + [7], to: route)
            }
        }
        try net.run(until: { followers.allSatisfy { $0.frames.count == 2 } })
        for (number, follower) in followers.enumerated() {
            let answers = follower.arrivals.sorted { Net.peer($0) < Net.peer($1) }
            let expected = (0..<2).map {
                Arrival.answered(peer: $0, [UInt8(number), UInt8($0), 7])
            }
            #expect(answers == expected)
        }
    }

    @Test(arguments: Carrier.allCases)
    func `says when a question can go nowhere, and drops an answer to who is gone`(
        carrier: Carrier
    ) throws {
        let net = try Net(carrier)
        let keeper = try net.keeper()
        let follower = try net.follower(of: keeper, [.sos])
        let other = try net.follower(of: keeper, [.sos])
        for asker in [follower, other] {
            try net.run(until: { asker.transport.ask([1], of: 0) })
        }
        try net.run(until: { keeper.frames.count == 2 })
        follower.transport.close()
        for case .asked(let route, _) in keeper.arrivals { keeper.transport.answer([2], to: route) }
        try net.run(until: { other.frames.count == 1 })
        keeper.transport.close()
        try net.run(until: { !other.transport.ask([1], of: 0) })
        #expect(follower.transport.ask([1], of: 0) == false)
    }

    @Test(arguments: Carrier.allCases)
    func `brings what was computed to the keeper of the stream alone`(carrier: Carrier) throws {
        let net = try Net(carrier)
        let keepers = [try net.keeper("first"), try net.keeper("second")]
        let evaluator = try net.follower(of: keepers, [.input(3)], computes: [.events(3)])
        let onlooker = try net.follower(of: keepers, [.events(3)])
        let offer = Net.frame(StreamName.events(3).topic, 5)
        try net.run(
            { evaluator.transport.offer(offer, to: 1) }, until: { !keepers[1].frames.isEmpty })
        #expect(keepers[1].arrivals.allSatisfy { $0 == .offered(offer) })
        #expect(keepers[0].arrivals.isEmpty && onlooker.arrivals.isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `hears and asks again on connections made anew`(carrier: Carrier) throws {
        let net = try Net(carrier)
        let keeper = try net.keeper()
        let follower = try net.follower(of: keeper, [.sos])
        for round in 1...3 {
            try net.subscribed(keeper, [follower])
            try net.run(until: { follower.transport.ask([UInt8(round)], of: 0) })
            try net.run(until: { keeper.frames.last?.1 == [UInt8(round)] })
            follower.transport.reconnect(to: 0)
        }
    }

    @Test(arguments: Carrier.allCases)
    func `finds a keeper that came back to the same place`(carrier: Carrier) throws {
        let net = try Net(carrier)
        var keeper = try net.keeper()
        let follower = try net.follower(of: keeper, [.sos])
        try net.subscribed(keeper, [follower])
        keeper.transport.close()
        keeper = try net.comeBack(keeper)
        try net.subscribed(keeper, [follower])
        try net.run(until: { follower.transport.ask([9], of: 0) })
        try net.run(until: { keeper.frames.count == 1 })
    }

    @Test(arguments: Carrier.allCases)
    func `carries nothing any more once it is closed, and takes it calmly`(carrier: Carrier) throws
    {
        let net = try Net(carrier)
        let keeper = try net.keeper()
        let follower = try net.follower(of: keeper, [.sos])
        try net.subscribed(keeper, [follower])
        keeper.transport.publish(Net.frame(StreamName.sos.topic, 1))
        follower.transport.close()
        follower.transport.close()
        #expect(follower.transport.next() == nil)
        #expect(follower.transport.ask([1], of: 0) == false)
        follower.transport.offer([1], to: 0)
        follower.transport.reconnect(to: 0)
        follower.transport.publish([1])
        follower.transport.answer([1], to: Route(bytes: [1]))
        var items: [PollItem] = []
        follower.transport.appendPollItems(to: &items)
        #expect(items.isEmpty)
        keeper.transport.publish(Net.frame(StreamName.sos.topic, 1))
        #expect(follower.transport.next() == nil)
    }
}

/// Processes that are nothing but their transports.
private final class Net {
    final class Party {
        let configuration: Bus.Configuration
        let transport: any BusTransport
        var arrivals: [Arrival] = []

        init(_ configuration: Bus.Configuration, _ transport: any BusTransport) {
            self.configuration = configuration
            self.transport = transport
        }

        var frames: [(Arrival, [UInt8])] { arrivals.map { ($0, Net.bytes($0)) } }
        var topics: [[UInt8]] { frames.map { Array($0.1.prefix(8)) } }
    }

    private let network: any CarrierNetwork
    private var parties: [Party] = []
    private let clock = SystemClock()

    init(_ carrier: Carrier) throws { network = carrier.network() }

    func keeper(_ name: String = "keeper") throws -> Party {
        var configuration = Bus.Configuration(name: name)
        configuration.served = [.init(.sos), .init(.input(3)), .init(.events(3), isComputed: true)]
        configuration.publishEndpoint = network.endpoint("\(name).publish")
        configuration.controlEndpoint = network.endpoint("\(name).control")
        configuration.computedEndpoint = network.endpoint("\(name).computed")
        return try join(configuration)
    }

    func follower(of keeper: Party, _ streams: [StreamName]) throws -> Party {
        try follower(of: [keeper], streams)
    }

    func follower(
        of keepers: [Party], _ streams: [StreamName], computes: [StreamName] = []
    ) throws -> Party {
        var configuration = Bus.Configuration(name: "follower")
        configuration.peers = keepers.map { keeper in
            let endpoints = keeper.transport.endpoints
            return Bus.Peer(
                name: keeper.configuration.name, publishEndpoint: endpoints.publish ?? "",
                controlEndpoint: endpoints.control ?? "", streams: streams, computes: computes,
                computedEndpoint: computes.isEmpty ? nil : endpoints.computed)
        }
        return try join(configuration)
    }

    /// A process that was closed, on the addresses that it had.
    func comeBack(_ party: Party) throws -> Party {
        var configuration = party.configuration
        configuration.publishEndpoint = bound[party.configuration.name]?.publish
        configuration.controlEndpoint = bound[party.configuration.name]?.control
        configuration.computedEndpoint = bound[party.configuration.name]?.computed
        var found: Party?
        try run(until: {
            do {
                found = try join(configuration)
            } catch let error as BusError where error.code == "address-in-use" {
                return false
            }
            return true
        })
        return try #require(found)
    }

    private var bound: [String: BusEndpoints] = [:]

    private func join(_ configuration: Bus.Configuration) throws -> Party {
        let party = Party(configuration, try network.join(configuration))
        bound[configuration.name] = party.transport.endpoints
        parties.append(party)
        return party
    }

    /// Publishes until all hear it, then lets them forget it.
    func subscribed(_ keeper: Party, _ followers: [Party]) throws {
        for follower in followers { follower.arrivals = [] }
        try run(
            { keeper.transport.publish(Net.frame(Heads.topic, 0)) },
            until: { followers.allSatisfy { !$0.arrivals.isEmpty } })
        // Whatever was sent again is through when a last one is.
        keeper.transport.publish(Net.frame(Heads.topic, 255))
        try run(until: { followers.allSatisfy { $0.frames.last?.1.last == 255 } })
        for follower in followers { follower.arrivals = [] }
    }

    /// Takes what comes until the condition holds, within 30 s.
    func run(
        _ work: () -> Void = {}, until condition: () throws -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let deadline = clock.monotonic + .seconds(30)
        while clock.monotonic < deadline {
            if try condition() { return }
            work()
            Loop.wait(on: parties.map(\.transport), atMost: 10)
            for party in parties {
                while let arrival = party.transport.next() { party.arrivals.append(arrival) }
            }
        }
        Issue.record("it comes to pass", sourceLocation: sourceLocation)
        throw CancellationError()
    }

    static func frame(_ topic: [UInt8], _ tag: UInt8, size: Int = 9) -> [UInt8] {
        topic + [UInt8](repeating: tag, count: size - 8)
    }

    static func bytes(_ arrival: Arrival) -> [UInt8] {
        switch arrival {
        case .published(_, let frame), .answered(_, let frame), .asked(_, let frame),
            .offered(let frame):
            frame
        case .refused: []
        }
    }

    static func isPublication(_ arrival: Arrival, of peer: Int) -> Bool {
        if case .published(peer, _) = arrival { true } else { false }
    }

    static func peer(_ arrival: Arrival) -> Int {
        switch arrival {
        case .published(let peer, _), .answered(let peer, _): peer
        case .asked, .offered, .refused: -1
        }
    }
}
