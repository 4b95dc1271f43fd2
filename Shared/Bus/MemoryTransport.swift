import Runtime
import Wire

/// Carries frames between buses of one process: for simulations, and where no network is wanted.
///
/// Frames arrive in the order in which they were sent, unless ``fate`` says otherwise.
public final class MemoryNetwork {
    /// What is about to be carried.
    public enum Kind: Sendable { case published, question, answer, offer }

    /// Whether a frame arrives; asked for each receiver.
    public var fate: (Kind, [UInt8]) -> Bool = { _, _ in true }
    private var members: [MemoryTransport] = []

    public init() {}

    /// Joins a process; endpoints are names of its choice.
    public func join(_ configuration: Bus.Configuration) -> MemoryTransport {
        let member = MemoryTransport(configuration, in: self)
        members.append(member)
        return member
    }

    fileprivate func leave(_ member: MemoryTransport) { members.removeAll { $0 === member } }

    fileprivate func carry(
        _ kind: Kind, _ frame: [UInt8], to receivers: (MemoryTransport) -> Arrival?
    ) -> Bool {
        var isReached = false
        for member in members {
            guard let arrival = receivers(member) else { continue }
            isReached = true
            if fate(kind, frame) { member.arrive(arrival) }
        }
        return isReached
    }
}

/// A process's place in a ``MemoryNetwork``.
public final class MemoryTransport: BusTransport {
    private let configuration: Bus.Configuration
    private unowned let network: MemoryNetwork
    private var arrivals = Fifo<Arrival>()

    fileprivate init(_ configuration: Bus.Configuration, in network: MemoryNetwork) {
        self.configuration = configuration
        self.network = network
    }

    public var endpoints: BusEndpoints {
        BusEndpoints(
            publish: configuration.publishEndpoint, control: configuration.controlEndpoint,
            computed: configuration.computedEndpoint)
    }

    fileprivate func arrive(_ arrival: Arrival) { arrivals.append(arrival) }

    public func publish(_ frame: [UInt8]) {
        let topic = Array(frame.prefix(8))
        _ = network.carry(.published, frame) { member in
            let peers = member.configuration.peers
            let index = peers.firstIndex { peer in
                peer.publishEndpoint == configuration.publishEndpoint
                    && (topic == Heads.topic || peer.streams.contains { $0.topic == topic })
            }
            return index.map { .published(peer: $0, frame) }
        }
    }

    public func ask(_ frame: [UInt8], of peer: Int) -> Bool {
        let endpoint = configuration.peers[peer].controlEndpoint
        let way = Route(bytes: Array("\(ObjectIdentifier(self)) \(peer)".utf8))
        return network.carry(.question, frame) { member in
            member.configuration.controlEndpoint == endpoint ? .asked(way, frame) : nil
        }
    }

    public func answer(_ frame: [UInt8], to route: Route) {
        _ = network.carry(.answer, frame) { member in
            let peers = member.configuration.peers.indices
            let index = peers.first { peer in
                route.bytes == Array("\(ObjectIdentifier(member)) \(peer)".utf8)
            }
            return index.map { .answered(peer: $0, frame) }
        }
    }

    public func offer(_ frame: [UInt8], to peer: Int) {
        let endpoint = configuration.peers[peer].computedEndpoint
        _ = network.carry(.offer, frame) { member in
            endpoint != nil && member.configuration.computedEndpoint == endpoint
                ? .offered(frame) : nil
        }
    }

    public func next() -> Arrival? { arrivals.popFirst() }

    /// The process is gone, with what was on its way to it.
    public func close() {
        network.leave(self)
        arrivals.removeAll()
    }

    /// There are no connections that could be broken.
    public func reconnect(to peer: Int) {}

    public func appendPollItems(to items: inout [PollItem]) {}

    public var waitMilliseconds: Int? { arrivals.isEmpty ? nil : 0 }
}
