import Bus
import Hashing
import Hosting
import Model
import Runtime
import Wire

/// Current members of a circle, read from the directory stream.
final class Members {
    let bus: Bus
    private let id: CircleID
    private let peer: Bus.Peer
    private let clock = SystemClock()
    private var circle: Circle?

    /// - Throws: ``BusError`` if keys are missing
    init(_ call: Call, of circle: CircleID) throws {
        id = circle
        let settings = try call.configuration(CommonSettings.network)
        let topology = Topology(settings)
        peer = Bus.Peer(.membership, in: topology, streams: [.directory])
        var configuration = Bus.Configuration(
            name: call.syntax.name + "-" + Hex.encode(SecureRandom.bytes(4)))
        configuration.peers = [peer]
        configuration.acknowledges = false
        configuration.security = try BusSecurity.read(settings, role: .operator)
        bus = try Bus(configuration: configuration, store: MemoryBusStore(), clock: clock)
        bus.hooks.replace = { [unowned self] _, records, _ in
            self.circle = nil
            for record in records { try apply(record) }
        }
    }

    /// Whether a person is a member now.
    func contains(_ person: PersonID) -> Bool { circle?.member(person) != nil }

    /// Reads until the directory is loaded.
    ///
    /// - Parameter waits: also for a suite that is not running yet
    /// - Throws: ``CommandError`` if no service answers, or the circle does not exist
    func read(waits: Bool) throws {
        let began = clock.monotonic
        while !bus.isCaughtUp {
            Loop.wait(on: [bus], atMost: 250)
            try step()
            let isSilent = !bus.disconnectedPeers.isEmpty
            if !waits, isSilent, clock.monotonic - began >= NoAnswer.timeout {
                throw NoAnswer.error(of: [peer])
            }
        }
        guard circle != nil else {
            throw CommandError(
                "there is no circle \(id)", hint: "'jaga circle list' lists all circles")
        }
    }

    /// Applies records that arrived.
    func step() throws {
        try bus.receive { _, _, record in try apply(record) }
        bus.committed()
        try bus.tick()
    }

    private func apply(_ record: Record) throws {
        switch try EventCodec.decode(record).body {
        case .circleChanged(let changed) where changed.id == id: circle = changed
        case .circleRemoved(let removal) where removal.circle == id: circle = nil
        case .personRemoved(let removal): circle = circle?.without(removal.person)
        default: break
        }
    }
}
