import Bus
import Hashing
import Hosting
import Model
import Runtime
import Wire

/// Reads streams over the bus as the operator, without acknowledging records.
struct Listener {
    /// Called for each record.
    typealias RecordHandler = (StreamName, Position, Record) -> Void

    /// Which records to read.
    enum Scope {
        /// Stored records only.
        case stored
        /// New records; a service must answer.
        case live
        /// New records, waiting for services that are not running.
        case liveWaiting
    }

    /// Timeout of a service that keeps streams.
    private static let timeout = Duration.seconds(10)

    private let name: String
    private let bus: Bus
    private let clock = SystemClock()
    private let peers: [Bus.Peer]

    /// - Parameters:
    ///   - wants: whether to read a stream
    ///   - fromOldest: from the oldest stored record, else from now
    /// - Throws: ``BusError`` if keys are missing
    init(_ call: Call, fromOldest: Bool, wants: (StreamName) -> Bool) throws {
        let name = "jaga \(call.syntax.name)"
        self.name = name
        let settings = try call.configuration(CommonSettings.network)
        let topology = Topology(settings)
        peers = Listener.peers(topology, wants)
        var configuration = Bus.Configuration(
            name: call.syntax.name + "-" + Hex.encode(SecureRandom.bytes(4)))
        configuration.peers = peers
        configuration.start = fromOldest ? .oldest : .head
        configuration.acknowledges = false
        configuration.security = try BusSecurity.read(settings, role: .operator)
        bus = try Bus(configuration: configuration, store: MemoryBusStore(), clock: clock)
        bus.hooks.notice = { notice in
            if case .peerRejected = notice { Console.printError("\(name): \(notice)") }
        }
    }

    /// The services that keep the wanted streams.
    private static func peers(
        _ topology: Topology, _ wants: (StreamName) -> Bool
    ) -> [Bus.Peer] {
        ServiceName.keepers.compactMap { service in
            let wanted = service.served.filter(wants)
            return wanted.isEmpty ? nil : Bus.Peer(service, in: topology, streams: wanted)
        }
    }

    /// Receives records until `isOver` returns true or the scope is exhausted.
    ///
    /// - Parameter members: kept up to date meanwhile
    /// - Throws: ``CommandError`` if no service answers within 3 s, unless the scope waits, or if
    ///   stored records do not arrive for 10 s
    func receive(
        until isOver: () -> Bool, _ scope: Scope, updating members: Members? = nil,
        handle: RecordHandler
    ) throws {
        var watch = PeerWatch(began: clock.monotonic)
        var lastReceived = clock.monotonic
        while !isOver(), !(scope == .stored && bus.isCaughtUp) {
            Loop.wait(on: [bus, members?.bus].compactMap(\.self), atMost: 250)
            try members?.step()
            try bus.receive { stream, position, record in
                lastReceived = clock.monotonic
                handle(stream, position, record)
            }
            bus.committed()
            try bus.tick()
            let now = clock.monotonic
            let sentences = watch.step(peers, silent: bus.disconnectedPeers, now: now)
            if scope != .liveWaiting, watch.noPeerAnswered { throw NoAnswer.error(of: peers) }
            for sentence in sentences { Console.printError("\(name): \(sentence)") }
            if scope == .stored, now - lastReceived > Listener.timeout {
                let problem = bus.healthProblems.first ?? "not all streams are received"
                throw CommandError(problem, hint: NoAnswer.hint)
            }
        }
        bus.close()
    }
}
