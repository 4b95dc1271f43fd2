import Runtime
import Wire

/// Frames over ZeroMQ: PUB and SUB for what is published, DEALER and ROUTER for questions.
///
/// Who keeps streams binds; who follows connects, with sockets of its own for each peer, so that
/// one can be made anew without the others. With keys, who binds is the server of CURVE, whatever
/// the direction of the frames.
public final class ZeroMQTransport: BusTransport {
    private enum Source {
        case publication(peer: Int)
        case answers(peer: Int)
        case questions
        case offers
        case doors
    }

    private struct Connection {
        var subscriber: ZeroMQSocket
        var dealer: ZeroMQSocket
        var offers: ZeroMQSocket?
        var monitors: [SocketMonitor] = []
    }

    private let peers: [Bus.Peer]
    /// What is heard of each peer, heads besides.
    private var subscribed: [Set<StreamName>]
    private let security: BusSecurity?
    private var context: ZeroMQContext?
    private var doorkeeper: Doorkeeper?
    private var publisher: ZeroMQSocket?
    private var inputsPublisher: ZeroMQSocket?
    private var router: ZeroMQSocket?
    private var isRouterProtected = false
    private var offersTaker: ZeroMQSocket?
    private var monitors: [SocketMonitor] = []
    private var connections: [Connection] = []
    private var sources: [Source] = [.doors]
    private var turn = 0
    public private(set) var endpoints = BusEndpoints()

    /// Binds and connects.
    ///
    /// - Throws: ``BusError``: `address-in-use`, `bad-endpoint`, `socket`; `unprotected` for an
    ///   endpoint beyond loopback without keys; `keys-missing` for a peer that is no role.
    public init(_ configuration: Bus.Configuration) throws(BusError) {
        peers = configuration.peers
        subscribed = peers.map { Set($0.streams) }
        security = configuration.security
        let context = try ZeroMQContext()
        self.context = context
        if let security { doorkeeper = try Doorkeeper(context, security, configuration) }
        if let wanted = configuration.publishEndpoint {
            (publisher, endpoints.publish) = try bound(.publish, wanted, .publications, context)
        }
        if let wanted = configuration.inputsEndpoint {
            (inputsPublisher, endpoints.inputs) = try bound(.publish, wanted, .inputs, context)
        }
        if let wanted = configuration.controlEndpoint {
            (router, endpoints.control) = try bound(.router, wanted, .questions, context)
            isRouterProtected = security != nil
            sources.append(.questions)
        }
        if let wanted = configuration.computedEndpoint {
            let (taker, endpoint) = try bound(.subscribe, wanted, .outputs, context)
            for entry in configuration.served where entry.isComputed {
                taker.subscribe(to: entry.stream.topic)
            }
            offersTaker = taker
            endpoints.computed = endpoint
            sources.append(.offers)
        }
        for (index, peer) in peers.enumerated() {
            connections.append(
                try connection(to: peer, hearing: subscribed[index], context))
            sources += [.publication(peer: index), .answers(peer: index)]
        }
    }

    private func bound(
        _ kind: ZeroMQSocket.Kind, _ endpoint: String, _ place: Doorkeeper.Place,
        _ context: ZeroMQContext
    ) throws(BusError) -> (ZeroMQSocket, String) {
        let socket = try ZeroMQSocket(kind, in: context)
        if let security = try security(for: endpoint) { socket.serve(security.own, as: place) }
        monitors.append(try SocketMonitor(socket, place: place.rawValue, isOurs: false))
        return (socket, try socket.bind(to: endpoint))
    }

    private func connection(
        to peer: Bus.Peer, hearing streams: Set<StreamName>, _ context: ZeroMQContext
    ) throws(BusError) -> Connection {
        var monitors: [SocketMonitor] = []
        func socket(
            _ kind: ZeroMQSocket.Kind, _ endpoint: String
        ) throws(BusError) -> ZeroMQSocket {
            let socket = try ZeroMQSocket(kind, in: context)
            if let security = try security(for: endpoint) {
                socket.use(security.own, towards: try security.publicKey(of: peer.name))
            }
            monitors.append(try SocketMonitor(socket, place: peer.name, isOurs: true))
            return socket
        }
        let subscriber = try socket(.subscribe, peer.publishEndpoint)
        for stream in streams { subscriber.subscribe(to: stream.topic) }
        subscriber.subscribe(to: Heads.topic)
        for endpoint in peer.heardAt { try subscriber.connect(to: endpoint) }
        let dealer = try socket(.dealer, peer.controlEndpoint)
        try dealer.connect(to: peer.controlEndpoint)
        var offers: ZeroMQSocket?
        if let endpoint = peer.computedEndpoint {
            offers = try socket(.publish, endpoint)
            try offers?.connect(to: endpoint)
        }
        return Connection(
            subscriber: subscriber, dealer: dealer, offers: offers, monitors: monitors)
    }

    /// The keys for an endpoint; nil with `JAGA_CURVE=never`, which is for this machine alone.
    private func security(for endpoint: String) throws(BusError) -> BusSecurity? {
        if let security { return security }
        guard !endpoint.hasPrefix("tcp://") || BusSecurity.isLocal(endpoint: endpoint) else {
            throw .unprotected(endpoint)
        }
        return nil
    }

    public func publish(_ frame: [UInt8]) {
        guard let inputsPublisher else {
            publisher?.send(frame)
            return
        }
        switch StreamName(topic: frame.prefix(8)) {
        case .input: inputsPublisher.send(frame)
        case .some: publisher?.send(frame)
        // Heads are for everybody.
        case nil:
            inputsPublisher.send(frame)
            publisher?.send(frame)
        }
    }

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
            guard let frame = connections[peer].subscriber.receive()?.frames.first else {
                return nil
            }
            return .published(peer: peer, frame)
        case .answers(let peer):
            guard let frame = connections[peer].dealer.receive()?.frames.first else { return nil }
            return .answered(peer: peer, frame)
        case .offers:
            guard let frame = offersTaker?.receive()?.frames.first else { return nil }
            return .offered(frame)
        case .questions: return question()
        case .doors: return refusal().map(Arrival.refused)
        }
    }

    private func question() -> Arrival? {
        while let message = router?.receive() {
            guard message.frames.count >= 2 else { continue }
            let role = message.user.flatMap { BusRole(rawValue: $0) }
            // With keys, nobody is heard whom the doorkeeper has not named.
            if role == nil, isRouterProtected { continue }
            return .asked(
                Route(bytes: message.frames[0], role: role, address: message.address ?? ""),
                message.frames[1])
        }
        return nil
    }

    /// Has the doorkeeper answer, and hears whether anything came to nothing.
    private func refusal() -> PeerRefusal? {
        if let refusal = doorkeeper?.next() { return refusal }
        for monitor in monitors {
            if let refusal = monitor.next() { return refusal }
        }
        for connection in connections {
            for monitor in connection.monitors {
                if let refusal = monitor.next() { return refusal }
            }
        }
        return nil
    }

    public func reconnect(to peer: Int) {
        // Whoever cannot open sockets any more keeps the old ones and is called again.
        guard !connections.isEmpty, let context,
            let fresh = try? connection(to: peers[peer], hearing: subscribed[peer], context)
        else { return }
        connections[peer] = fresh
    }

    public func close() {
        publisher = nil
        inputsPublisher = nil
        router = nil
        offersTaker = nil
        monitors = []
        connections = []
        sources = []
        doorkeeper = nil
        context = nil
    }

    public func appendPollItems(to items: inout [PollItem]) {
        for socket in [doorkeeper?.socket, router, offersTaker].compactMap(\.self) {
            items.append(PollItem(socket: socket.pointer))
        }
        for connection in connections {
            items.append(PollItem(socket: connection.subscriber.pointer))
            items.append(PollItem(socket: connection.dealer.pointer))
        }
        for monitor in monitors + connections.flatMap(\.monitors) {
            items.append(PollItem(socket: monitor.socket.pointer))
        }
    }

    /// What was received already wakes nobody.
    public var waitMilliseconds: Int? {
        let bound = [router, offersTaker].compactMap(\.self)
        let isWaiting =
            bound.contains(where: \.hasReceived)
            || connections.contains { $0.subscriber.hasReceived || $0.dealer.hasReceived }
        return isWaiting ? 0 : nil
    }
}

extension Bus.Peer {
    /// Where what is followed of it is published. Whoever follows `in/p` alone may not even connect
    /// to the PUB for the rest, and the others not to that for `in/p`.
    fileprivate var heardAt: [String] {
        guard let inputsEndpoint else { return [publishEndpoint] }
        let inputs = streams.filter { if case .input = $0 { true } else { false } }.count
        let hearsInputs = isShared || inputs > 0
        let hearsRest = inputs < streams.count || !hearsInputs
        return (hearsInputs ? [inputsEndpoint] : []) + (hearsRest ? [publishEndpoint] : [])
    }
}
