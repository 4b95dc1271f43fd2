import Runtime
import Wire

/// Carries frames between buses of one process: for simulations, and where no network is wanted.
///
/// Every frame arrives, in the order in which they were sent.
public final class MemoryNetwork {
    private var members: [MemoryTransport] = []

    public init() {}

    /// Joins a process; endpoints are names of its choice.
    public func join(_ configuration: Bus.Configuration) -> MemoryTransport {
        let member = MemoryTransport(configuration, in: self)
        members.append(member)
        return member
    }

    fileprivate func leave(_ member: MemoryTransport) { members.removeAll { $0 === member } }

    /// Gives each member what is for it. False if that is nobody.
    @discardableResult
    fileprivate func carry(_ arrival: (MemoryTransport) -> Arrival?) -> Bool {
        var isReached = false
        for member in members {
            guard let arrival = arrival(member) else { continue }
            member.arrive(arrival)
            isReached = true
        }
        return isReached
    }
}

/// A process's place in a ``MemoryNetwork``.
public final class MemoryTransport: BusTransport {
    private let configuration: Bus.Configuration
    private unowned let network: MemoryNetwork
    private var arrivals = Fifo<Arrival>()
    private var isOpen = true
    /// Topics heard of each peer.
    private var topics: [Set<[UInt8]>]

    fileprivate init(_ configuration: Bus.Configuration, in network: MemoryNetwork) {
        self.configuration = configuration
        self.network = network
        topics = configuration.peers.map { Set($0.streams.map(\.topic) + [Heads.topic]) }
    }

    public var endpoints: BusEndpoints {
        BusEndpoints(
            publish: configuration.publishEndpoint, control: configuration.controlEndpoint,
            computed: configuration.computedEndpoint)
    }

    fileprivate func arrive(_ arrival: Arrival) { arrivals.append(arrival) }

    public func publish(_ frame: [UInt8]) {
        guard isOpen else { return }
        let topic = Array(frame.prefix(8))
        network.carry { member in
            let peers = member.configuration.peers
            let index = peers.indices.first { index in
                peers[index].publishEndpoint == configuration.publishEndpoint
                    && member.topics[index].contains(topic)
            }
            return index.map { .published(peer: $0, frame) }
        }
    }

    public func ask(_ frame: [UInt8], of peer: Int) -> Bool {
        guard isOpen else { return false }
        let endpoint = configuration.peers[peer].controlEndpoint
        let way = Route(bytes: Array("\(ObjectIdentifier(self)) \(peer)".utf8))
        return network.carry { member in
            member.configuration.controlEndpoint == endpoint ? .asked(way, frame) : nil
        }
    }

    public func answer(_ frame: [UInt8], to route: Route) {
        guard isOpen else { return }
        network.carry { member in
            let peers = member.configuration.peers.indices
            let index = peers.first { peer in
                route.bytes == Array("\(ObjectIdentifier(member)) \(peer)".utf8)
            }
            return index.map { .answered(peer: $0, frame) }
        }
    }

    public func offer(_ frame: [UInt8], to peer: Int) {
        guard isOpen else { return }
        let endpoint = configuration.peers[peer].computedEndpoint
        network.carry { member in
            endpoint != nil && member.configuration.computedEndpoint == endpoint
                ? .offered(frame) : nil
        }
    }

    public func subscribe(_ stream: StreamName, of peer: Int) {
        topics[peer].insert(stream.topic)
    }

    public func unsubscribe(_ stream: StreamName, of peer: Int) {
        topics[peer].remove(stream.topic)
    }

    public func next() -> Arrival? { arrivals.popFirst() }

    /// The process is gone, with what was on its way to it.
    public func close() {
        isOpen = false
        network.leave(self)
        arrivals.removeAll()
    }

    /// There are no connections that could be broken.
    public func reconnect(to peer: Int) {}

    public func appendPollItems(to items: inout [PollItem]) {}

    public var waitMilliseconds: Int? { arrivals.isEmpty ? nil : 0 }
}
