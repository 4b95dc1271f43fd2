import Runtime
import Wire

/// Frames over ZeroMQ: PUB and SUB for what is published, DEALER and ROUTER for questions.
///
/// Who keeps streams binds; who follows connects, with sockets of its own for each peer, so that
/// one can be made anew without the others.
public final class ZeroMQTransport: BusTransport {
    private enum Source {
        case publication(peer: Int)
        case answers(peer: Int)
        case questions
        case offers
    }

    private struct Connection {
        var subscriber: ZeroMQSocket
        var dealer: ZeroMQSocket
        var offers: ZeroMQSocket?
    }

    private let peers: [Bus.Peer]
    /// What is heard of each peer, heads besides.
    private var subscribed: [Set<StreamName>]
    private var publisher: ZeroMQSocket?
    private var router: ZeroMQSocket?
    private var offersTaker: ZeroMQSocket?
    private var connections: [Connection] = []
    private var sources: [Source] = []
    private var turn = 0
    public private(set) var endpoints = BusEndpoints()

    /// Binds and connects.
    ///
    /// - Throws: ``BusError``: `address-in-use`, `bad-endpoint`, `socket`.
    public init(_ configuration: Bus.Configuration) throws(BusError) {
        peers = configuration.peers
        subscribed = peers.map { Set($0.streams) }
        if let wanted = configuration.publishEndpoint {
            (publisher, endpoints.publish) = try ZeroMQTransport.bound(.publish, wanted)
        }
        if let wanted = configuration.controlEndpoint {
            (router, endpoints.control) = try ZeroMQTransport.bound(.router, wanted)
            sources.append(.questions)
        }
        if let wanted = configuration.computedEndpoint {
            let (taker, endpoint) = try ZeroMQTransport.bound(.subscribe, wanted)
            for entry in configuration.served where entry.isComputed {
                taker.subscribe(to: entry.stream.topic)
            }
            offersTaker = taker
            endpoints.computed = endpoint
            sources.append(.offers)
        }
        for (index, peer) in peers.enumerated() {
            connections.append(
                try ZeroMQTransport.connection(to: peer, hearing: subscribed[index]))
            sources += [.publication(peer: index), .answers(peer: index)]
        }
    }

    private static func bound(
        _ kind: ZeroMQSocket.Kind, _ endpoint: String
    ) throws(BusError) -> (ZeroMQSocket, String) {
        let socket = try ZeroMQSocket(kind)
        return (socket, try socket.bind(to: endpoint))
    }

    private static func connection(
        to peer: Bus.Peer, hearing streams: Set<StreamName>
    ) throws(BusError) -> Connection {
        let subscriber = try ZeroMQSocket(.subscribe)
        for stream in streams { subscriber.subscribe(to: stream.topic) }
        subscriber.subscribe(to: Heads.topic)
        try subscriber.connect(to: peer.publishEndpoint)
        let dealer = try ZeroMQSocket(.dealer)
        try dealer.connect(to: peer.controlEndpoint)
        var offers: ZeroMQSocket?
        if let endpoint = peer.computedEndpoint {
            offers = try ZeroMQSocket(.publish)
            try offers?.connect(to: endpoint)
        }
        return Connection(subscriber: subscriber, dealer: dealer, offers: offers)
    }

    public func publish(_ frame: [UInt8]) { publisher?.send(frame) }

    public func ask(_ frame: [UInt8], of peer: Int) -> Bool {
        connections.isEmpty ? false : connections[peer].dealer.send(frame)
    }

    public func answer(_ frame: [UInt8], to route: Route) { router?.send(route.bytes, frame) }

    public func offer(_ frame: [UInt8], to peer: Int) {
        if !connections.isEmpty { connections[peer].offers?.send(frame) }
    }

    public func subscribe(_ stream: StreamName, of peer: Int) {
        guard subscribed[peer].insert(stream).inserted, !connections.isEmpty else { return }
        connections[peer].subscriber.subscribe(to: stream.topic)
    }

    public func unsubscribe(_ stream: StreamName, of peer: Int) {
        guard subscribed[peer].remove(stream) != nil, !connections.isEmpty else { return }
        connections[peer].subscriber.unsubscribe(from: stream.topic)
    }

    public func next() -> Arrival? {
        for _ in sources.indices {
            turn = (turn + 1) % sources.count
            if let arrival = receive(from: sources[turn]) { return arrival }
        }
        return nil
    }

    private func receive(from source: Source) -> Arrival? {
        switch source {
        case .publication(let peer):
            guard let frame = connections[peer].subscriber.receive()?.first else { return nil }
            return .published(peer: peer, frame)
        case .answers(let peer):
            guard let frame = connections[peer].dealer.receive()?.first else { return nil }
            return .answered(peer: peer, frame)
        case .offers:
            guard let frame = offersTaker?.receive()?.first else { return nil }
            return .offered(frame)
        case .questions:
            guard let frames = router?.receive(), frames.count >= 2 else { return nil }
            return .asked(Route(bytes: frames[0]), frames[1])
        }
    }

    public func reconnect(to peer: Int) {
        // Whoever cannot open sockets any more keeps the old ones and is called again.
        guard !connections.isEmpty,
            let fresh = try? ZeroMQTransport.connection(
                to: peers[peer], hearing: subscribed[peer])
        else { return }
        connections[peer] = fresh
    }

    public func close() {
        publisher = nil
        router = nil
        offersTaker = nil
        connections = []
        sources = []
    }

    public func appendPollItems(to items: inout [PollItem]) {
        for socket in [router, offersTaker].compactMap(\.self) {
            items.append(PollItem(socket: socket.pointer))
        }
        for connection in connections {
            items.append(PollItem(socket: connection.subscriber.pointer))
            items.append(PollItem(socket: connection.dealer.pointer))
        }
    }

    public var waitMilliseconds: Int? { nil }
}
