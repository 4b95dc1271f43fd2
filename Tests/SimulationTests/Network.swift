import Bus
import Collections
import Model
import Runtime
import Wire

/// The network between processes: may lose, repeat, delay and reorder every frame, and be cut.
final class Network {
    struct Link: Hashable {
        let from: String
        let to: String
    }

    private struct Flight {
        let arrival: TransportEvent
        let receiver: SimulatedTransport
        /// The receiver's connection number for this peer; nil for frames without one.
        let connection: UInt64?
    }

    private unowned let world: World
    private var chance: SeededRandom
    private var ends: [SimulatedTransport] = []
    private var flights = DeadlineQueue<Flight>()
    private var cuts: [Link: Int64] = [:]
    private var lastDue: [Link: Int64] = [:]
    private(set) var framesCarried = 0
    private(set) var framesHarmed = 0

    init(_ world: World, _ chance: SeededRandom) {
        self.world = world
        self.chance = chance
    }

    /// When the next frame arrives.
    var next: Int64? { flights.nextDue.map { $0.microseconds / 1000 } }
    var now: Int64 { world.now }

    func join(_ end: SimulatedTransport) { ends.append(end) }
    func leave(_ end: SimulatedTransport) { ends.removeAll { $0 === end } }

    /// Nothing passes in this direction until then.
    func cut(_ link: Link, until time: Int64) { cuts[link] = max(cuts[link] ?? 0, time) }
    func heal() { cuts.removeAll() }

    // MARK: Sending

    func publish(_ frame: [UInt8], from sender: SimulatedTransport) {
        let topic = frame.topicNumber
        for end in ends {
            guard let peer = end.peer(publishingAt: sender.endpoints.publish, topic),
                end.isConnected(to: peer, since: sender.opened)
            else { continue }
            carry(
                .published(peer: peer, frame), frame, from: sender, to: end,
                over: end.connections[peer])
        }
    }

    /// False if the receiver does not run.
    func deliverRequest(_ frame: [UInt8], from sender: SimulatedTransport, peer: Int) -> Bool {
        let endpoint = sender.configuration.peers[peer].controlEndpoint
        guard let end = ends.first(where: { $0.endpoints.control == endpoint }),
            sender.isConnected(to: peer, since: end.opened)
        else { return false }
        let route = Route(bytes: sender.routeBytes(peer))
        carry(.requested(route, frame), frame, from: sender, to: end, over: nil)
        return true
    }

    func deliverReply(_ frame: [UInt8], from sender: SimulatedTransport, to route: Route) {
        for end in ends {
            guard let peer = end.peer(of: route) else { continue }
            carry(
                .replied(peer: peer, frame), frame, from: sender, to: end,
                over: end.connections[peer])
        }
    }

    func deliverProposal(_ frame: [UInt8], from sender: SimulatedTransport, peer: Int) {
        guard let endpoint = sender.configuration.peers[peer].derivedEndpoint,
            let end = ends.first(where: { $0.endpoints.derived == endpoint }),
            sender.isConnected(to: peer, since: end.opened)
        else { return }
        carry(.proposed(frame), frame, from: sender, to: end, over: nil)
    }

    private func carry(
        _ arrival: TransportEvent, _ frame: [UInt8], from sender: SimulatedTransport,
        to receiver: SimulatedTransport, over connection: UInt64?
    ) {
        let link = Link(from: sender.name, to: receiver.name)
        framesCarried += 1
        world.trace.record(UInt64(frame.count) << 20 | UInt64(frame.last ?? 0))
        if let end = cuts[link], now < end {
            framesHarmed += 1
            return world.trace.append("    \(link.from) > \(link.to): lost in the cut")
        }
        let faults = world.isQuiet ? Faults() : world.faults
        var copies = 1
        if chance.happens(faults.dropped) { copies = 0 }
        if chance.happens(faults.repeated) { copies += 1 }
        if copies != 1 { framesHarmed += 1 }
        world.trace.append("    \(link.from) > \(link.to): \(arrival.words) ×\(copies)")
        for _ in 0..<copies {
            var due = now + 1 + Int64(chance.below(3))
            if chance.happens(faults.delayed) { due += Int64(chance.in(20...3000)) }
            if chance.happens(faults.reordered) {
                due += Int64(chance.below(50))
            } else {
                due = max(due, lastDue[link] ?? 0)
                lastDue[link] = due
            }
            flights.insert(
                Flight(arrival: arrival, receiver: receiver, connection: connection),
                due: Timestamp(milliseconds: due))
        }
    }

    // MARK: Delivery

    /// Delivers all frames that are due.
    func deliver() {
        while let flight = flights.pop(due: Timestamp(milliseconds: now)) {
            flight.receiver.arrive(flight.arrival, over: flight.connection)
        }
    }
}

/// The network interface of one process.
final class SimulatedTransport: BusTransport {
    let name: String
    let configuration: Bus.Configuration
    /// When its ports opened.
    let opened: Int64
    /// Incremented by each new connection.
    private(set) var connections: [UInt64]
    private let instance: UInt64
    private let network: Network
    private let gate: OutputGate
    /// State per peer.
    private var topics: [Set<UInt64>]
    private var connected: [Int64]
    private var arrivals: [TransportEvent] = []
    private var first = 0
    private var isOpen = true
    /// Called when something was received.
    var wake: () -> Void = {}

    /// Time until a connection is established.
    private static let connecting: Int64 = 40
    /// Frames that wait for a process; further ones are lost, as at the high-water mark.
    private static let arrivalsMax = 10_000

    init(
        _ name: String, _ configuration: Bus.Configuration, in network: Network, instance: UInt64,
        gate: OutputGate
    ) {
        self.name = name
        self.configuration = configuration
        self.network = network
        self.instance = instance
        self.gate = gate
        opened = network.now
        topics = configuration.peers.map { peer in
            Set(peer.streams.map { $0.topic.topicNumber } + [Heads.topic.topicNumber])
        }
        connected = configuration.peers.map { _ in network.now }
        connections = configuration.peers.map { _ in 0 }
        network.join(self)
    }

    var endpoints: BusEndpoints {
        BusEndpoints(
            publish: configuration.publishEndpoint, control: configuration.controlEndpoint,
            derived: configuration.derivedEndpoint)
    }

    // MARK: Queries of the network

    /// The peer that publishes the topic there, if the process subscribes to it.
    func peer(publishingAt endpoint: String?, _ topic: UInt64) -> Int? {
        configuration.peers.indices.first {
            configuration.peers[$0].publishEndpoint == endpoint && topics[$0].contains(topic)
        }
    }

    func isConnected(to peer: Int, since opened: Int64) -> Bool {
        isOpen && network.now >= max(connected[peer], opened) + SimulatedTransport.connecting
    }

    func routeBytes(_ peer: Int) -> [UInt8] {
        Array("\(instance) \(peer) \(connections[peer])".utf8)
    }

    func peer(of route: Route) -> Int? {
        configuration.peers.indices.first { routeBytes($0) == route.bytes }
    }

    func arrive(_ arrival: TransportEvent, over connection: UInt64?) {
        guard isOpen, arrivals.count - first < SimulatedTransport.arrivalsMax else { return }
        switch arrival {
        case .published(let peer, _), .replied(let peer, _):
            if let connection, connections[peer] != connection { return }
        case .requested, .proposed, .rejected: break
        }
        arrivals.append(arrival)
        wake()
    }

    // MARK: BusTransport

    func publish(_ frame: [UInt8]) {
        if gate.admitsNext() { network.publish(frame, from: self) }
    }

    func sendRequest(_ frame: [UInt8], to peer: Int) -> Bool {
        gate.admitsNext() && network.deliverRequest(frame, from: self, peer: peer)
    }

    func sendReply(_ frame: [UInt8], to route: Route) {
        if gate.admitsNext() { network.deliverReply(frame, from: self, to: route) }
    }

    func sendProposal(_ frame: [UInt8], to peer: Int) {
        if gate.admitsNext() { network.deliverProposal(frame, from: self, peer: peer) }
    }

    func subscribe(_ stream: StreamName, of peer: Int) {
        topics[peer].insert(stream.topic.topicNumber)
    }

    func unsubscribe(_ stream: StreamName, of peer: Int) {
        topics[peer].remove(stream.topic.topicNumber)
    }

    func next() -> TransportEvent? {
        guard first < arrivals.count else { return nil }
        first += 1
        let arrival = arrivals[first - 1]
        if first == arrivals.count {
            arrivals.removeAll(keepingCapacity: true)
            first = 0
        }
        return arrival
    }

    /// Frames in flight on the old connection are lost.
    func reconnect(to peer: Int) {
        connections[peer] += 1
        connected[peer] = network.now
        arrivals = arrivals[first...].filter { arrival in
            switch arrival {
            case .published(peer, _), .replied(peer, _): false
            default: true
            }
        }
        first = 0
    }

    func close() {
        isOpen = false
        network.leave(self)
        arrivals = []
        first = 0
    }

    func appendPollItems(to items: inout [PollItem]) {}
    var waitMilliseconds: Int? { first < arrivals.count ? 0 : nil }
}

/// Limits how much a process may still send: a process that is about to die stops halfway.
final class OutputGate {
    /// How many more items may leave.
    var left = Int.max

    /// Whether one more item may leave.
    func admitsNext() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}

extension [UInt8] {
    /// The first eight bytes as a number.
    var topicNumber: UInt64 { prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

extension TransportEvent {
    /// Its kind, for the trace.
    fileprivate var words: String {
        switch self {
        case .published(_, let frame): "published \(TransportEvent.words(frame))"
        case .replied(_, let frame): "answered \(TransportEvent.words(frame))"
        case .requested(_, let frame): "requested \(TransportEvent.words(frame))"
        case .proposed(let frame): "proposed \(TransportEvent.words(frame))"
        case .rejected(let rejection): "rejected \(rejection)"
        }
    }

    private static func words(_ bytes: [UInt8]) -> String {
        guard let frame = try? Frame(bytes) else { return "\(bytes.count) bytes of nonsense" }
        switch frame {
        case .batch(let batch):
            let first = batch.previous.sequence + 1
            return "\(batch.stream) \(first)…\(batch.last.sequence)"
        case .proposal(let proposal):
            return
                "\(proposal.batch.stream) to \(proposal.batch.last.sequence)"
                + " of \(proposal.input.sequence)"
        case .heads: return "heads"
        case .control(.hello(_, let entries)):
            return "hello \(entries.prefix(3).map { "\($0.stream)" })…"
        case .control(.states(let states)):
            let shown = states.filter { $0.verdict != .ok }
            return "states, \(shown.map { "\($0.extent.stream) \($0.verdict)" })"
        case .control(.replay(_, let entry, _)):
            return "replay \(entry.stream) after \(entry.position.sequence)"
        case .control(.acknowledge(_, let entries)):
            let shown = entries.prefix(4).map { "\($0.stream) \($0.position.sequence)" }
            return "acknowledge \(shown)"
        case .control(.assign(_, _, let assignments)):
            return "assign \(assignments.map { "\($0.partition)" }.joined(separator: " "))"
        case .control(.renew(_, _, let leases)):
            let words = leases.map { "\($0.partition)\($0.state == .live ? "" : "?")" }
            return "renew \(words.joined(separator: " "))"
        case .control(.snapshotRequest(_, let stream, _, let row)): return "snap \(stream) \(row)"
        case .control(.end(let end)): return "end of \(end.stream) \(end.position.sequence)"
        case .control(let control): return "\(control)".prefix(80).description
        }
    }
}
