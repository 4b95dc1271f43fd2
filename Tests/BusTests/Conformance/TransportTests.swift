import Bus
import Model
import Runtime
import TestSupport
import Testing
import Wire

/// What the bus requires of a transport. Frames may be lost, so cases repeat them until one
/// arrives; none may arrive at a wrong receiver.
@Suite struct `A transport` {
    @Test(arguments: Carrier.allCases)
    func `delivers publications to subscribers of their streams only, and heads to all`(
        carrier: Carrier
    ) throws {
        let net = try Net(carrier)
        let publisher = try net.publisher()
        let one = try net.follower(of: publisher, [.input(1)])
        let many = try net.follower(of: publisher, [.input(17), .sos])
        let streams = [StreamName.input(1), .input(17), .sos, .deadlines]
        let publish = {
            for stream in streams { publisher.transport.publish(Net.frame(stream.topic, 1)) }
            publisher.transport.publish(Net.frame(Heads.topic, 1))
        }
        try net.run(publish, until: { one.frames.count >= 2 && many.frames.count >= 3 })
        #expect(Set(one.topics) == [StreamName.input(1).topic, Heads.topic])
        #expect(
            Set(many.topics) == [StreamName.input(17).topic, StreamName.sos.topic, Heads.topic])
        #expect((one.frames + many.frames).allSatisfy { $0.1.count == 9 })
        #expect((one.events + many.events).allSatisfy { Net.isPublication($0, of: 0) })
        #expect(publisher.events.isEmpty, "no publisher receives its own frames")
    }

    @Test(arguments: Carrier.allCases)
    func `respects subscriptions and their cancellation at run time, also over a new connection`(
        carrier: Carrier
    ) throws {
        let net = try Net(carrier)
        let publisher = try net.publisher()
        let follower = try net.follower(of: publisher, [.input(1)])
        let publish = {
            for stream in [StreamName.input(1), .input(2), .input(12)] {
                publisher.transport.publish(Net.frame(stream.topic, 1))
            }
            publisher.transport.publish(Net.frame(Heads.topic, 1))
        }
        follower.transport.subscribe(.input(12), of: 0)
        follower.transport.unsubscribe(.input(1), of: 0)
        for _ in 0..<2 {
            try net.run(publish, until: { follower.topics.contains(StreamName.input(12).topic) })
            try net.subscribed(publisher, [follower])
            publish()
            publisher.transport.publish(Net.frame(Heads.topic, 2))
            try net.run(until: { follower.frames.contains { $0.1.last == 2 } })
            #expect(Set(follower.topics) == [StreamName.input(12).topic, Heads.topic])
            follower.transport.reconnect(to: 0)
            follower.events = []
        }
        follower.transport.unsubscribe(.input(12), of: 0)
        follower.transport.subscribe(.input(2), of: 0)
        try net.run(publish, until: { follower.topics.contains(StreamName.input(2).topic) })
        try net.subscribed(publisher, [follower])
        publish()
        publisher.transport.publish(Net.frame(Heads.topic, 2))
        try net.run(until: { follower.frames.contains { $0.1.last == 2 } })
        #expect(Set(follower.topics) == [StreamName.input(2).topic, Heads.topic])
    }

    @Test(arguments: Carrier.allCases)
    func `keeps frames unchanged, and those of one stream in order`(carrier: Carrier) throws {
        let net = try Net(carrier)
        let publisher = try net.publisher()
        let follower = try net.follower(of: publisher, [.sos])
        try net.subscribed(publisher, [follower])
        let sizes = [9, 300, 70_000, WireLimits.frameBytesMax, 9, 5000]
        for (index, size) in sizes.enumerated() {
            publisher.transport.publish(Net.frame(StreamName.sos.topic, UInt8(index), size: size))
        }
        try net.run(until: { follower.frames.count == sizes.count })
        #expect(follower.frames.map(\.1.count) == sizes)
        #expect(follower.frames.map(\.1.last) == (0..<6).map { UInt8($0) })
    }

    @Test(arguments: Carrier.allCases)
    func `delivers a reply only to the requester`(carrier: Carrier) throws {
        let net = try Net(carrier)
        let publishers = [try net.publisher("first"), try net.publisher("second")]
        let followers = try (0..<3).map { _ in try net.follower(of: publishers, [.sos]) }
        for (number, follower) in followers.enumerated() {
            for peer in publishers.indices {
                let request = [UInt8(number), UInt8(peer)]
                try net.run(until: { follower.transport.sendRequest(request, to: peer) })
            }
        }
        try net.run(until: { publishers.allSatisfy { $0.frames.count == 3 } })
        for publisher in publishers {
            for case .requested(let route, let request) in publisher.events {
                publisher.transport.sendReply(request + [7], to: route)
            }
        }
        try net.run(until: { followers.allSatisfy { $0.frames.count == 2 } })
        for (number, follower) in followers.enumerated() {
            let replies = follower.events.sorted { Net.peer($0) < Net.peer($1) }
            let expected = (0..<2).map {
                TransportEvent.replied(peer: $0, [UInt8(number), UInt8($0), 7])
            }
            #expect(replies == expected)
        }
    }

    @Test(arguments: Carrier.allCases)
    func `reports a request that cannot be sent, and drops a reply to a closed requester`(
        carrier: Carrier
    ) throws {
        let net = try Net(carrier)
        let publisher = try net.publisher()
        let follower = try net.follower(of: publisher, [.sos])
        let other = try net.follower(of: publisher, [.sos])
        for asker in [follower, other] {
            try net.run(until: { asker.transport.sendRequest([1], to: 0) })
        }
        try net.run(until: { publisher.frames.count == 2 })
        follower.transport.close()
        for case .requested(let route, _) in publisher.events {
            publisher.transport.sendReply([2], to: route)
        }
        try net.run(until: { other.frames.count == 1 })
        publisher.transport.close()
        try net.run(until: { !other.transport.sendRequest([1], to: 0) })
        #expect(follower.transport.sendRequest([1], to: 0) == false)
    }

    @Test(arguments: Carrier.allCases)
    func `delivers proposals only to the publisher of their stream`(carrier: Carrier) throws {
        let net = try Net(carrier)
        let publishers = [try net.publisher("first"), try net.publisher("second")]
        let evaluator = try net.follower(of: publishers, [.input(3)], computes: [.events(3)])
        let onlooker = try net.follower(of: publishers, [.events(3)])
        let proposal = Net.frame(StreamName.events(3).topic, 5)
        try net.run(
            { evaluator.transport.sendProposal(proposal, to: 1) },
            until: { !publishers[1].frames.isEmpty }
        )
        #expect(publishers[1].events.allSatisfy { $0 == .proposed(proposal) })
        #expect(publishers[0].events.isEmpty && onlooker.events.isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func `receives and sends on replaced connections`(carrier: Carrier) throws {
        let net = try Net(carrier)
        let publisher = try net.publisher()
        let follower = try net.follower(of: publisher, [.sos])
        for round in 1...3 {
            try net.subscribed(publisher, [follower])
            try net.run(until: { follower.transport.sendRequest([UInt8(round)], to: 0) })
            try net.run(until: { publisher.frames.last?.1 == [UInt8(round)] })
            follower.transport.reconnect(to: 0)
        }
    }

    @Test(arguments: Carrier.allCases)
    func `finds a publisher that returned to the same endpoint`(carrier: Carrier) throws {
        let net = try Net(carrier)
        var publisher = try net.publisher()
        let follower = try net.follower(of: publisher, [.sos])
        try net.subscribed(publisher, [follower])
        publisher.transport.close()
        publisher = try net.comeBack(publisher)
        try net.subscribed(publisher, [follower])
        try net.run(until: { follower.transport.sendRequest([9], to: 0) })
        try net.run(until: { publisher.frames.count == 1 })
    }

    @Test(arguments: Carrier.allCases)
    func `does nothing after being closed`(carrier: Carrier) throws {
        let net = try Net(carrier)
        let publisher = try net.publisher()
        let follower = try net.follower(of: publisher, [.sos])
        try net.subscribed(publisher, [follower])
        publisher.transport.publish(Net.frame(StreamName.sos.topic, 1))
        follower.transport.close()
        follower.transport.close()
        #expect(follower.transport.next() == nil)
        #expect(follower.transport.sendRequest([1], to: 0) == false)
        follower.transport.sendProposal([1], to: 0)
        follower.transport.reconnect(to: 0)
        follower.transport.publish([1])
        follower.transport.sendReply([1], to: Route(bytes: [1]))
        var items: [PollItem] = []
        follower.transport.appendPollItems(to: &items)
        #expect(items.isEmpty)
        publisher.transport.publish(Net.frame(StreamName.sos.topic, 1))
        #expect(follower.transport.next() == nil)
    }
}

/// Processes that consist of their transports.
private final class Net {
    final class Party {
        let configuration: Bus.Configuration
        let transport: any BusTransport
        var events: [TransportEvent] = []

        init(_ configuration: Bus.Configuration, _ transport: any BusTransport) {
            self.configuration = configuration
            self.transport = transport
        }

        var frames: [(TransportEvent, [UInt8])] { events.map { ($0, Net.bytes($0)) } }
        var topics: [[UInt8]] { frames.map { Array($0.1.prefix(8)) } }
    }

    private let network: any CarrierNetwork
    private var parties: [Party] = []
    private let clock = SystemClock()

    init(_ carrier: Carrier) throws { network = carrier.network() }

    func publisher(_ name: String = "publisher") throws -> Party {
        var configuration = Bus.Configuration(name: name)
        configuration.served = [.init(.sos), .init(.input(3)), .init(.events(3), isDerived: true)]
        configuration.publishEndpoint = network.endpoint("\(name).publish")
        configuration.controlEndpoint = network.endpoint("\(name).control")
        configuration.derivedEndpoint = network.endpoint("\(name).computed")
        return try join(configuration)
    }

    func follower(of publisher: Party, _ streams: [StreamName]) throws -> Party {
        try follower(of: [publisher], streams)
    }

    func follower(
        of publishers: [Party], _ streams: [StreamName], computes: [StreamName] = []
    ) throws -> Party {
        var configuration = Bus.Configuration(name: "follower")
        configuration.peers = publishers.map { publisher in
            let endpoints = publisher.transport.endpoints
            return Bus.Peer(
                name: publisher.configuration.name, publishEndpoint: endpoints.publish ?? "",
                controlEndpoint: endpoints.control ?? "", streams: streams, computes: computes,
                derivedEndpoint: computes.isEmpty ? nil : endpoints.derived)
        }
        return try join(configuration)
    }

    /// Restarts a closed process at its endpoints.
    func comeBack(_ party: Party) throws -> Party {
        var configuration = party.configuration
        configuration.publishEndpoint = bound[party.configuration.name]?.publish
        configuration.controlEndpoint = bound[party.configuration.name]?.control
        configuration.derivedEndpoint = bound[party.configuration.name]?.derived
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

    /// Publishes until all followers receive a frame, then discards the frames.
    func subscribed(_ publisher: Party, _ followers: [Party]) throws {
        for follower in followers { follower.events = [] }
        try run(
            { publisher.transport.publish(Net.frame(Heads.topic, 0)) },
            until: { followers.allSatisfy { !$0.events.isEmpty } })
        // When a last frame arrives, all repeated ones have arrived.
        publisher.transport.publish(Net.frame(Heads.topic, 255))
        try run(until: { followers.allSatisfy { $0.frames.last?.1.last == 255 } })
        for follower in followers { follower.events = [] }
    }

    /// Receives frames until the condition holds, within 30 s.
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
                while let event = party.transport.next() { party.events.append(event) }
            }
        }
        Issue.record("timeout", sourceLocation: sourceLocation)
        throw CancellationError()
    }

    static func frame(_ topic: [UInt8], _ tag: UInt8, size: Int = 9) -> [UInt8] {
        topic + [UInt8](repeating: tag, count: size - 8)
    }

    static func bytes(_ event: TransportEvent) -> [UInt8] {
        switch event {
        case .published(_, let frame), .replied(_, let frame), .requested(_, let frame),
            .proposed(let frame):
            frame
        case .rejected: []
        }
    }

    static func isPublication(_ event: TransportEvent, of peer: Int) -> Bool {
        if case .published(peer, _) = event { true } else { false }
    }

    static func peer(_ event: TransportEvent) -> Int {
        switch event {
        case .published(let peer, _), .replied(let peer, _): peer
        case .requested, .proposed, .rejected: -1
        }
    }
}
