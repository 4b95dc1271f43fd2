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

    /// A keeper may be silent for so long before it is taken for gone.
    private static let patience = Duration.seconds(10)

    private let name: String
    private let bus: Bus
    private let clock = SystemClock()
    private let portBase: Int

    /// - Parameters:
    ///   - wants: which streams
    ///   - fromOldest: from the oldest record that is kept, else from now on
    /// - Throws: ``BusError`` where keys are missing
    init(_ call: Call, fromOldest: Bool, wants: (StreamName) -> Bool) throws {
        let name = "jaga \(call.syntax.name)"
        self.name = name
        let settings = try call.configuration(CommonSettings.network)
        let topology = Topology(settings)
        portBase = topology.portBase
        var configuration = Bus.Configuration(
            name: call.syntax.name + "-" + Hex.encode(SecureRandom.bytes(4)))
        configuration.peers = Listener.peers(topology, wants)
        configuration.start = fromOldest ? .oldest : .head
        configuration.acknowledges = false
        configuration.security = try BusSecurity.read(
            settings, role: .operator, bindAddress: topology.bindAddress,
            hosts: ServiceName.keepers.map(topology.host))
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

    /// Hears what comes until the closure says that it is enough.
    ///
    /// - Parameter endsWithPast: end, too, when everything was heard that is kept until now
    /// - Throws: ``CommandError`` when that cannot be, as a keeper is silent for 10 s
    func hear(until isOver: () -> Bool, endsWithPast: Bool, take: Take) throws {
        var heard = clock.monotonic
        var warned = false
        while !isOver(), !(endsWithPast && bus.isCaughtUp) {
            Loop.wait(on: [bus], atMost: 250)
            try bus.receive { stream, position, record in
                heard = clock.monotonic
                take(stream, position, record)
            }
            bus.committed()
            try bus.tick()
            let trouble = bus.troubles.first
            if endsWithPast, clock.monotonic - heard > Listener.patience {
                throw CommandError(trouble ?? "not everything is heard", hint: hint)
            }
            if !warned, let trouble {
                warned = true
                Console.complain("\(name): \(trouble); \(hint)")
            }
        }
        bus.close()
    }

    private var hint: String { "does Jaga run here, with --port-base \(portBase)?" }
}
