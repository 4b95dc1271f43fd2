import Hashing
import Model
import Runtime
import Testing
import Wire

@testable import Bus

/// Processes over ZeroMQ with keys, on loopback.
final class Guarded {
    private let clock = SystemClock()
    private(set) var parties: [Party] = []
    private let pairs: [BusRole: CurveKeyPair]

    init() throws {
        pairs = try Dictionary(
            uniqueKeysWithValues: BusRole.allCases.map { ($0, try CurveKeyPair.generate()) })
    }

    /// Keys of a process.
    ///
    /// - Parameters:
    ///   - own: another pair than the role's
    ///   - server: the expected public key of ingest
    func security(
        _ role: BusRole, own: CurveKeyPair? = nil, server: CurvePublicKey? = nil,
        old: [BusRole: CurvePublicKey] = [:]
    ) throws -> BusSecurity {
        var publicKeys = pairs.mapValues(\.publicKey)
        if let server { publicKeys[.ingest] = server }
        return BusSecurity(
            role: role, own: try own ?? #require(pairs[role]), publicKeys: publicKeys, old: old)
    }

    // MARK: Parties

    /// Serves ingest's streams for two partitions.
    func ingest(_ change: (inout Bus.Configuration) throws -> Void = { _ in }) throws -> Party {
        var configuration = Bus.Configuration(name: "ingest")
        configuration.served = [
            .init(.input(0)), .init(.input(1)), .init(.sos),
            .init(.events(0), isDerived: true), .init(.events(1), isDerived: true),
        ]
        configuration.publishEndpoint = "tcp://127.0.0.1:*"
        configuration.inputsEndpoint = "tcp://127.0.0.1:*"
        configuration.controlEndpoint = "tcp://127.0.0.1:*"
        configuration.derivedEndpoint = "tcp://127.0.0.1:*"
        configuration.security = try security(.ingest)
        try change(&configuration)
        return try join(configuration)
    }

    /// Follows and derives streams of ingest.
    func follower(
        _ name: String, of ingest: Party, _ streams: [StreamName], computes: [StreamName] = [],
        security: BusSecurity?, _ change: (inout Bus.Configuration) -> Void = { _ in }
    ) throws -> Party {
        var configuration = Bus.Configuration(name: name)
        let endpoints = ingest.bus.endpoints
        configuration.peers = [
            Bus.Peer(
                name: "ingest", publishEndpoint: endpoints.publish ?? "",
                controlEndpoint: endpoints.control ?? "", streams: streams, computes: computes,
                derivedEndpoint: computes.isEmpty ? nil : endpoints.derived,
                inputsEndpoint: endpoints.inputs)
        ]
        configuration.security = security
        change(&configuration)
        return try join(configuration)
    }

    /// A transport for arbitrary requests to ingest in a role.
    func rawAsker(of ingest: Party, _ role: BusRole) throws -> ZeroMQTransport {
        var configuration = Bus.Configuration(name: role.rawValue)
        let endpoints = ingest.bus.endpoints
        configuration.peers = [
            Bus.Peer(
                name: "ingest", publishEndpoint: endpoints.publish ?? "",
                controlEndpoint: endpoints.control ?? "", streams: [],
                inputsEndpoint: endpoints.inputs)
        ]
        configuration.security = try security(role)
        return try ZeroMQTransport(configuration)
    }

    private func join(_ configuration: Bus.Configuration) throws -> Party {
        let party = try Party(configuration, clock)
        parties.append(party)
        return party
    }

    // MARK: Time

    /// Runs turns until the condition holds, within 30 s.
    func run(
        until condition: () throws -> Bool, _ comment: Comment = "it comes to pass",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let deadline = clock.monotonic + .seconds(30)
        while clock.monotonic < deadline {
            if try condition() { return }
            try turn()
        }
        Issue.record(comment, sourceLocation: sourceLocation)
        throw CancellationError()
    }

    /// Runs turns for a duration.
    func run(for duration: Duration) throws {
        let end = clock.monotonic + duration
        while clock.monotonic < end { try turn() }
    }

    private func turn() throws {
        Loop.wait(on: parties.map(\.bus), atMost: 20)
        for party in parties { try party.turn() }
    }

    /// A process.
    final class Party {
        private let store = MemoryBusStore()
        private let clock: SystemClock
        private(set) var configuration: Bus.Configuration
        private(set) var bus: Bus
        private(set) var applied: [StreamName: [UInt64]] = [:]
        private(set) var notices: [BusNotice] = []
        /// Called for each applied record.
        var onApply: (Bus, StreamName, Record) throws -> Void = { _, _, _ in }

        init(_ configuration: Bus.Configuration, _ clock: SystemClock) throws {
            self.configuration = configuration
            self.clock = clock
            bus = try Bus(configuration: configuration, store: store, clock: clock)
            listen()
        }

        private func listen() {
            bus.hooks.notice = { [unowned self] in notices.append($0) }
            configuration.publishEndpoint = bus.endpoints.publish
            configuration.inputsEndpoint = bus.endpoints.inputs
            configuration.controlEndpoint = bus.endpoints.control
            configuration.derivedEndpoint = bus.endpoints.derived
        }

        /// Restarts the process with its store and endpoints.
        func restart(_ change: (inout Bus.Configuration) throws -> Void = { _ in }) throws {
            bus.close()
            try change(&configuration)
            bus = try Bus(configuration: configuration, store: store, clock: clock)
            listen()
        }

        func turn() throws {
            try bus.receive { stream, position, record in
                applied[stream, default: []].append(position.sequence)
                try onApply(bus, stream, record)
            }
            bus.committed()
            try bus.tick()
        }

        func append(_ count: Int, to stream: StreamName) throws {
            for _ in 0..<count {
                try bus.append(Node.record(stream, bus.end(of: stream) + 1), to: stream)
            }
            bus.committed()
        }

        /// Rejected connections, here and by peers, with their counts.
        var rejections: [(rejection: PeerRejection, count: UInt64)] {
            notices.compactMap { notice in
                guard case .peerRejected(let rejection, let count) = notice else { return nil }
                return (rejection, count)
            }
        }

        var reasons: [PeerRejection.Reason] { rejections.map(\.rejection.reason) }

        /// Applied sequences of a stream.
        func has(_ stream: StreamName) -> [UInt64] { applied[stream] ?? [] }
    }
}
