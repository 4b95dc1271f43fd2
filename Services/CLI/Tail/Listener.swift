import Bus
import Hashing
import Hosting
import Model
import Runtime
import Wire

/// Streams of a suite, heard as the operator, who acknowledges nothing and holds nothing back.
struct Listener {
    /// What is heard of a stream.
    typealias Take = (StreamName, Position, Record) -> Void

    /// What there is to hear, and when that is enough.
    enum Course {
        /// What is kept until now.
        case past
        /// What comes, if there is anybody.
        case present
        /// What comes, also of a suite that does not run yet.
        case future
    }

    /// A keeper may be silent for so long before it is taken for gone.
    private static let patience = Duration.seconds(10)

    private let name: String
    private let bus: Bus
    private let clock = SystemClock()
    private let peers: [Bus.Peer]

    /// - Parameters:
    ///   - wants: which streams
    ///   - fromOldest: from the oldest record that is kept, else from now on
    /// - Throws: ``BusError`` where keys are missing
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
            if case .peerRefused = notice { Console.complain("\(name): \(notice)") }
        }
    }

    /// Who keeps the streams that are wanted.
    private static func peers(
        _ topology: Topology, _ wants: (StreamName) -> Bool
    ) -> [Bus.Peer] {
        ServiceName.keepers.compactMap { service in
            let wanted = service.served.filter(wants)
            return wanted.isEmpty ? nil : Bus.Peer(service, in: topology, streams: wanted)
        }
    }

    /// Hears what comes until the closure says that it is enough, or the course is at its end.
    ///
    /// - Parameter members: kept up to date beside
    /// - Throws: ``CommandError`` when that cannot be: nobody answers within 3 s, unless whoever
    ///   comes is waited for, or something of the past is not heard of for 10 s
    func hear(
        until isOver: () -> Bool, _ course: Course, beside members: Members? = nil, take: Take
    ) throws {
        var watch = SilenceWatch(began: clock.monotonic)
        var heard = clock.monotonic
        while !isOver(), !(course == .past && bus.isCaughtUp) {
            Loop.wait(on: [bus, members?.bus].compactMap(\.self), atMost: 250)
            try members?.step()
            try bus.receive { stream, position, record in
                heard = clock.monotonic
                take(stream, position, record)
            }
            bus.committed()
            try bus.tick()
            let now = clock.monotonic
            let sentences = watch.step(peers, silent: bus.silentPeers, now: now)
            if course != .future, watch.heardNobody { throw Silence.error(of: peers) }
            for sentence in sentences { Console.complain("\(name): \(sentence)") }
            if course == .past, now - heard > Listener.patience {
                let trouble = bus.troubles.first ?? "not everything is heard"
                throw CommandError(trouble, hint: Silence.hint)
            }
        }
        bus.close()
    }
}
