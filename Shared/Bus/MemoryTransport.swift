import Collections
import Runtime
import Wire

/// Connects buses within one process, for simulations.
///
/// Delivers every frame, in the order in which frames were sent.
public final class MemoryNetwork {
    private var members: [MemoryTransport] = []

    public init() {}

    /// Adds a process; endpoints are arbitrary names.
    public func join(_ configuration: Bus.Configuration) -> MemoryTransport {
        let member = MemoryTransport(configuration, in: self)
        members.append(member)
        return member
    }

    fileprivate func leave(_ member: MemoryTransport) { members.removeAll { $0 === member } }

    /// Delivers to each member what `arrival` returns for it. Returns false if no member received
    /// anything.
    @discardableResult
    fileprivate func deliver(_ event: (MemoryTransport) -> TransportEvent?) -> Bool {
        var isDelivered = false
        for member in members {
            guard let event = event(member) else { continue }
            member.receive(event)
            isDelivered = true
        }
        return isDelivered
    }
}

/// Transport of one process in a ``MemoryNetwork``.
public final class MemoryTransport: BusTransport {
    private let configuration: Bus.Configuration
    private unowned let network: MemoryNetwork
    private var events = Fifo<TransportEvent>()
    private var isOpen = true
    /// Subscribed topics per peer.
    private var topics: [Set<[UInt8]>]

    fileprivate init(_ configuration: Bus.Configuration, in network: MemoryNetwork) {
        self.configuration = configuration
        self.network = network
        topics = configuration.peers.map { Set($0.streams.map(\.topic) + [Heads.topic]) }
    }

    public var endpoints: BusEndpoints {
        BusEndpoints(
            publish: configuration.publishEndpoint, control: configuration.controlEndpoint,
            derived: configuration.derivedEndpoint)
    }

    fileprivate func receive(_ event: TransportEvent) { events.append(event) }

    public func publish(_ frame: [UInt8]) {
        guard isOpen else { return }
        let topic = Array(frame.prefix(8))
        network.deliver { member in
            let peers = member.configuration.peers
            let index = peers.indices.first { index in
                peers[index].publishEndpoint == configuration.publishEndpoint
                    && member.topics[index].contains(topic)
            }
            return index.map { .published(peer: $0, frame) }
        }
    }

    public func sendRequest(_ frame: [UInt8], to peer: Int) -> Bool {
        guard isOpen else { return false }
        let endpoint = configuration.peers[peer].controlEndpoint
        let route = Route(bytes: Array("\(ObjectIdentifier(self)) \(peer)".utf8))
        return network.deliver { member in
            member.configuration.controlEndpoint == endpoint ? .requested(route, frame) : nil
        }
    }

    public func sendReply(_ frame: [UInt8], to route: Route) {
        guard isOpen else { return }
        network.deliver { member in
            let peers = member.configuration.peers.indices
            let index = peers.first { peer in
                route.bytes == Array("\(ObjectIdentifier(member)) \(peer)".utf8)
            }
            return index.map { .replied(peer: $0, frame) }
        }
    }

    public func sendProposal(_ frame: [UInt8], to peer: Int) {
        guard isOpen else { return }
        let endpoint = configuration.peers[peer].derivedEndpoint
        network.deliver { member in
            endpoint != nil && member.configuration.derivedEndpoint == endpoint
                ? .proposed(frame) : nil
        }
    }

    public func subscribe(_ stream: StreamName, of peer: Int) {
        topics[peer].insert(stream.topic)
    }

    public func unsubscribe(_ stream: StreamName, of peer: Int) {
        topics[peer].remove(stream.topic)
    }

    public func next() -> TransportEvent? { events.popFirst() }

    /// Leaves the network and discards received frames.
    public func close() {
        isOpen = false
        network.leave(self)
        events.removeAll()
    }

    /// Does nothing: there are no connections.
    public func reconnect(to peer: Int) {}

    public func appendPollItems(to items: inout [PollItem]) {}

    public var waitMilliseconds: Int? { events.isEmpty ? nil : 0 }
}
