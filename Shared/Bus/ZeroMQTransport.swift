import Runtime
import Wire

/// Transport over ZeroMQ: PUB and SUB for streams, DEALER and ROUTER for requests.
///
/// Publishers bind, consumers connect. Each peer has its own sockets, so that one connection can be
/// replaced alone. With keys, the binding side is the CURVE server regardless of the direction of
/// frames.
public final class ZeroMQTransport: BusTransport {
    private enum Source {
        case publication(peer: Int)
        case replies(peer: Int)
        case requests
        case proposals
        case rejections
    }

    private struct Connection {
        var subscriber: ZeroMQSocket
        var dealer: ZeroMQSocket
        var proposals: ZeroMQSocket?
        var monitors: [SocketMonitor] = []
    }

    private let peers: [Bus.Peer]
    /// Subscribed streams per peer, besides heads.
    private var subscribed: [Set<StreamName>]
    private let security: BusSecurity?
    private var context: ZeroMQContext?
    private var curveAuthenticator: CurveAuthenticator?
    private var publisher: ZeroMQSocket?
    private var inputsPublisher: ZeroMQSocket?
    private var router: ZeroMQSocket?
    private var isRouterProtected = false
    private var proposalsReceiver: ZeroMQSocket?
    private var monitors: [SocketMonitor] = []
    private var connections: [Connection] = []
    private var sources: [Source] = [.rejections]
    private var turn = 0
    public private(set) var endpoints = BusEndpoints()

    /// Binds and connects all sockets.
    ///
    /// - Throws: ``BusError``: `address-in-use`, `bad-endpoint`, `socket`; `unprotected` for an
    ///   endpoint beyond loopback without keys; `keys-missing` for a peer without a role
    public init(_ configuration: Bus.Configuration) throws(BusError) {
        peers = configuration.peers
        subscribed = peers.map { Set($0.streams) }
        security = configuration.security
        let context = try ZeroMQContext()
        self.context = context
        if let security {
            curveAuthenticator = try CurveAuthenticator(context, security, configuration)
        }
        if let endpoint = configuration.publishEndpoint {
            (publisher, endpoints.publish) = try bound(.publish, endpoint, .publications, context)
        }
        if let endpoint = configuration.inputsEndpoint {
            (inputsPublisher, endpoints.inputs) = try bound(.publish, endpoint, .inputs, context)
        }
        if let endpoint = configuration.controlEndpoint {
            (router, endpoints.control) = try bound(.router, endpoint, .requests, context)
            isRouterProtected = security != nil
            sources.append(.requests)
        }
        if let endpoint = configuration.derivedEndpoint {
            let (receiver, bound) = try bound(.subscribe, endpoint, .proposals, context)
            for entry in configuration.served where entry.isDerived {
                receiver.subscribe(to: entry.stream.topic)
            }
            proposalsReceiver = receiver
            endpoints.derived = bound
            sources.append(.proposals)
        }
        for (index, peer) in peers.enumerated() {
            connections.append(
                try connection(to: peer, subscribing: subscribed[index], context))
            sources += [.publication(peer: index), .replies(peer: index)]
        }
    }

    private func bound(
        _ kind: ZeroMQSocket.Kind, _ endpoint: String, _ place: CurveAuthenticator.Place,
        _ context: ZeroMQContext
    ) throws(BusError) -> (ZeroMQSocket, String) {
        let socket = try ZeroMQSocket(kind, in: context)
        if kind != .publish { socket.limitFrames(to: BusLimits.boundFrameBytesMax) }
        if let security = try security(for: endpoint) { socket.serve(security.own, as: place) }
        let monitor = try SocketMonitor(socket, place: place.rawValue, isOurs: false)
        monitors.append(monitor)
        curveAuthenticator?.monitors[place] = monitor
        return (socket, try socket.bind(to: endpoint))
    }

    private func connection(
        to peer: Bus.Peer, subscribing streams: Set<StreamName>, _ context: ZeroMQContext
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
        for endpoint in peer.subscriptionEndpoints { try subscriber.connect(to: endpoint) }
        let dealer = try socket(.dealer, peer.controlEndpoint)
        try dealer.connect(to: peer.controlEndpoint)
        var proposals: ZeroMQSocket?
        if let endpoint = peer.derivedEndpoint {
            proposals = try socket(.publish, endpoint)
            try proposals?.connect(to: endpoint)
        }
        return Connection(
            subscriber: subscriber, dealer: dealer, proposals: proposals, monitors: monitors)
    }

    /// The keys for an endpoint; nil with `JAGA_CURVE=never`, which permits loopback only.
    private func security(for endpoint: String) throws(BusError) -> BusSecurity? {
        if let security { return security }
        guard !endpoint.hasPrefix("tcp://") || BusSecurity.isLocal(endpoint: endpoint) else {
            throw .unprotected(endpoint)
        }
        return nil
    }

    public func publish(_ frame: [UInt8]) {
        let stream = StreamName(topic: frame.prefix(8))
        if let stream, BusRights.isReplayedOnly(stream) { return }
        guard let inputsPublisher else {
            publisher?.send(frame)
            return
        }
        switch stream {
        case .input: inputsPublisher.send(frame)
        case .some: publisher?.send(frame)
        // Heads go to all subscribers.
        case nil:
            inputsPublisher.send(frame)
            publisher?.send(frame)
        }
    }

    public func sendRequest(_ frame: [UInt8], to peer: Int) -> Bool {
        connections.isEmpty ? false : connections[peer].dealer.send(frame)
    }

    public func sendReply(_ frame: [UInt8], to route: Route) { router?.send(route.bytes, frame) }

    public func sendProposal(_ frame: [UInt8], to peer: Int) {
        if !connections.isEmpty { connections[peer].proposals?.send(frame) }
    }

    public func subscribe(_ stream: StreamName, of peer: Int) {
        guard subscribed[peer].insert(stream).inserted, !connections.isEmpty else { return }
        connections[peer].subscriber.subscribe(to: stream.topic)
    }

    public func unsubscribe(_ stream: StreamName, of peer: Int) {
        guard subscribed[peer].remove(stream) != nil, !connections.isEmpty else { return }
        connections[peer].subscriber.unsubscribe(from: stream.topic)
    }

    public func next() -> TransportEvent? {
        for _ in sources.indices {
            turn = (turn + 1) % sources.count
            if let event = receive(from: sources[turn]) { return event }
        }
        return nil
    }

    private func receive(from source: Source) -> TransportEvent? {
        switch source {
        case .publication(let peer):
            guard let frame = connections[peer].subscriber.receive()?.frames.first else {
                return nil
            }
            return .published(peer: peer, frame)
        case .replies(let peer):
            guard let frame = connections[peer].dealer.receive()?.frames.first else { return nil }
            return .replied(peer: peer, frame)
        case .proposals:
            guard let frame = proposalsReceiver?.receive()?.frames.first else { return nil }
            return .proposed(frame)
        case .requests: return request()
        case .rejections: return rejection().map(TransportEvent.rejected)
        }
    }

    private func request() -> TransportEvent? {
        while let message = router?.receive() {
            guard message.frames.count >= 2 else { continue }
            let role = message.user.flatMap { BusRole(rawValue: $0) }
            // With keys, only authenticated senders are accepted.
            if role == nil, isRouterProtected { continue }
            return .requested(
                Route(bytes: message.frames[0], role: role, address: message.address ?? ""),
                message.frames[1])
        }
        return nil
    }

    /// Answers pending handshakes. Returns the next rejected connection.
    private func rejection() -> PeerRejection? {
        if let rejection = curveAuthenticator?.next() { return rejection }
        for monitor in monitors {
            if let rejection = monitor.next() { return rejection }
        }
        for connection in connections {
            for monitor in connection.monitors {
                if let rejection = monitor.next() { return rejection }
            }
        }
        return nil
    }

    public func reconnect(to peer: Int) {
        // If no sockets can be opened, the old connection stays and the reconnect is repeated.
        guard !connections.isEmpty, let context,
            let fresh = try? connection(to: peers[peer], subscribing: subscribed[peer], context)
        else { return }
        connections[peer] = fresh
    }

    public func close() {
        publisher = nil
        inputsPublisher = nil
        router = nil
        proposalsReceiver = nil
        monitors = []
        curveAuthenticator?.monitors = [:]
        connections = []
        sources = []
        curveAuthenticator = nil
        context = nil
    }

    public func appendPollItems(to items: inout [PollItem]) {
        for socket in [curveAuthenticator?.socket, router, proposalsReceiver].compactMap(\.self) {
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

    /// Returns 0 if received messages are queued, since poll does not report them.
    public var waitMilliseconds: Int? {
        let bound = [router, proposalsReceiver].compactMap(\.self)
        let isWaiting =
            bound.contains(where: \.hasReceived)
            || connections.contains { $0.subscriber.hasReceived || $0.dealer.hasReceived }
        return isWaiting ? 0 : nil
    }
}

extension Bus.Peer {
    /// Endpoints to subscribe to. Consumers may connect only to PUB sockets whose streams they may
    /// all read.
    fileprivate var subscriptionEndpoints: [String] {
        // Heads come with the replies to requests for them.
        if !streams.isEmpty, streams.allSatisfy(BusRights.isReplayedOnly) { return [] }
        guard let inputsEndpoint else { return [publishEndpoint] }
        let inputs = streams.filter { if case .input = $0 { true } else { false } }.count
        let readsInputs = assignsPartitions || inputs > 0
        let readsOthers = inputs < streams.count || !readsInputs
        return (readsInputs ? [inputsEndpoint] : []) + (readsOthers ? [publishEndpoint] : [])
    }
}
