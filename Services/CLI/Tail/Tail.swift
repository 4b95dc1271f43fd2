import Bus
import Hashing
import Hosting
import Model
import Parsing
import Runtime
import Wire

/// `jaga tail`: every event as it happens.
enum Tail: Command {
    static let syntax = Syntax(
        name: "tail",
        summary: "every event as it happens, one line of CloudEvents JSON each",
        details: """
            Shows what comes from now on; with --since also what is kept from before. Of one stream
            the events come in their order, none missing; streams among each other in the order of
            their arrival. Positions, names, addresses and notes are masked unless you say --pii.
            docs/events.md describes every type.
            """,
        options: [
            .init(
                name: "--since", value: "TIME",
                help: "from an age such as 10m or 2h, or a time such as 2026-11-20T10:20:00Z"),
            .init(
                name: "--stream", value: "NAME",
                help: "only this one: in, events, sos, directory, fired, deliveries, events/17",
                repeats: true),
            .init(
                name: "--type", value: "BEGINNING",
                help: "only types that begin so, such as jaga.zone", repeats: true),
            .init(name: "--person", value: "ID", help: "only about this person"),
            .init(name: "--limit", value: "N", help: "end after so many"),
            .init(name: "--pii", value: nil, help: "show positions, names, addresses and notes"),
            .portBase, .home,
        ])

    static func run(_ call: Call) throws -> Int32 {
        let clock = SystemClock()
        let settings = try call.configuration(CommonSettings.network)
        let topology = Topology(settings)
        var printer = TailPrinter(
            filter: try TailFilter(call, now: clock.now), showsAll: call.has("--pii"),
            left: try call.number("--limit", default: .max, in: 1...Int.max))
        let peers = Tail.peers(topology, printer.filter)
        guard !peers.isEmpty else { return 0 }
        var configuration = Bus.Configuration(name: "tail-" + Hex.encode(SecureRandom.bytes(4)))
        configuration.peers = peers
        configuration.start = printer.filter.wantsPast ? .oldest : .head
        configuration.acknowledges = false
        configuration.security = try BusSecurity.read(
            settings, role: .operator, bindAddress: topology.bindAddress,
            hosts: ServiceName.keepers.map(topology.host))
        let bus = try Bus(configuration: configuration, store: MemoryBusStore(), clock: clock)
        bus.hooks.notice = { notice in
            if case .peerRefused = notice { Console.complain("jaga tail: \(notice)") }
        }
        var warned = false
        while printer.left > 0 {
            Loop.wait(on: [bus], atMost: 250)
            try bus.receive { printer.take($0, $1, $2) }
            bus.committed()
            try bus.tick()
            if !warned, let trouble = bus.troubles.first {
                warned = true
                Console.complain(
                    "jaga tail: \(trouble); does Jaga run here, "
                        + "with --port-base \(topology.portBase)?"
                )
            }
        }
        bus.close()
        return 0
    }

    /// Who keeps the streams that are wanted.
    private static func peers(_ topology: Topology, _ filter: TailFilter) -> [Bus.Peer] {
        ServiceName.keepers.compactMap { service in
            let wanted = service.served.filter(filter.wants)
            return wanted.isEmpty ? nil : Bus.Peer(service, in: topology, streams: wanted)
        }
    }
}

/// Prints the events that are wanted.
struct TailPrinter {
    let filter: TailFilter
    /// Whether nothing is masked.
    let showsAll: Bool
    /// How many more are printed.
    private(set) var left: Int

    mutating func take(_ stream: StreamName, _ position: Position, _ record: Record) {
        guard left > 0, let line = line(stream, position, record) else { return }
        Console.say(line)
        left -= 1
    }

    /// The line of a record; nil when it is not wanted. One that this program does not understand
    /// is told on standard error.
    private func line(_ stream: StreamName, _ position: Position, _ record: Record) -> String? {
        do {
            let event = try EventCodec.decode(record)
            guard filter.wants(event) else { return nil }
            let json = try EventCodec.cloudEvent(event, stream: stream, position: position)
            guard filter.wants(subject: json["subject"]?.string) else { return nil }
            let text = (showsAll ? json : Masking.mask(json)).text
            return Console.paint(text, color(of: event.kind))
        } catch {
            Console.complain("jaga tail: \(stream.text) \(position.sequence): \(error)")
            return nil
        }
    }

    private func color(of kind: EventKind) -> Color {
        switch kind {
        case .emergencyOpened, .emergencyJoined, .sosRaised, .watchExpired, .ladderExhausted,
            .signalGiven:
            .red
        case .zoneEntered, .zoneExited: .green
        case .notificationChanged, .ladderTier, .ladderAdopted, .ladderStanding: .cyan
        default: .dim
        }
    }
}
