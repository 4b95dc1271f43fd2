import Bus
import Model
import Runtime
import Timing
import Wire

extension ServiceName {
    /// The last digit of the service's ports.
    var number: Int {
        switch self {
        case .ingest: 1
        case .membership: 2
        case .evaluator: 3
        case .timer: 4
        case .notifier: 5
        }
    }

    /// The streams that this service keeps and publishes.
    public var served: [StreamName] {
        switch self {
        case .ingest:
            Partition.all.map(StreamName.input) + Partition.all.map(StreamName.events)
                + [.sos, .usage]
        case .membership: [.directory]
        case .evaluator: []
        case .timer: [.deadlines]
        case .notifier: [.deliveries]
        }
    }
}

/// Addresses of all services, derived from one base port and one host per service.
public struct Topology: Sendable {
    /// `JAGA_PORT_BASE`; HTTP is base + n, PUB base + 100 + n, ROUTER base + 200 + n.
    public var portBase: Int
    /// Address that sockets bind to.
    public var bindAddress: String
    /// Host of a peer, by service.
    public var hosts: [ServiceName: String]

    public init(
        portBase: Int, bindAddress: String = "127.0.0.1", hosts: [ServiceName: String] = [:]
    ) {
        self.portBase = portBase
        self.bindAddress = bindAddress
        self.hosts = hosts
    }

    /// HTTP port of a service. Evaluators have a setting of their own.
    public func httpPort(_ service: ServiceName) -> Int { portBase + service.number }
    /// Port of a writer's PUB socket.
    public func publishPort(_ service: ServiceName) -> Int { portBase + 100 + service.number }
    /// Port of a writer's ROUTER socket.
    public func controlPort(_ service: ServiceName) -> Int { portBase + 200 + service.number }
    /// Port of ingest's SUB socket that evaluators' PUB sockets connect to.
    public var derivedPort: Int { portBase + 301 }
    /// Port of ingest's PUB socket for `in/p`.
    public var inputsPort: Int { portBase + 302 }

    /// A ZeroMQ endpoint that this process binds.
    public func bindEndpoint(port: Int) -> String { "tcp://\(bindAddress):\(port)" }

    /// A ZeroMQ endpoint of another service.
    public func peerEndpoint(_ service: ServiceName, port: Int) -> String {
        "tcp://\(host(of: service)):\(port)"
    }

    /// Host of a service: its setting, or the address that this process binds.
    public func host(of service: ServiceName) -> String {
        hosts[service] ?? (bindAddress == "0.0.0.0" ? "127.0.0.1" : bindAddress)
    }
}

extension Bus.Peer {
    /// The peer that keeps streams, with the endpoints of a topology.
    public init(_ writer: ServiceName, in topology: Topology, streams: [StreamName]) {
        self.init(
            name: writer.rawValue,
            publishEndpoint: topology.peerEndpoint(writer, port: topology.publishPort(writer)),
            controlEndpoint: topology.peerEndpoint(writer, port: topology.controlPort(writer)),
            streams: streams,
            inputsEndpoint: writer == .ingest
                ? topology.peerEndpoint(writer, port: topology.inputsPort) : nil)
    }
}

/// Settings that every service has besides `Setting.standard`.
public enum CommonSettings {
    /// Bind address, hosts of the services, and stream keys.
    public static let network: [Setting] =
        [
            Setting(
                "JAGA_BIND", .address, default: "127.0.0.1",
                help: "IPv4 address that HTTP and the bus bind to.")
        ]
        + ServiceName.keepers.map { service in
            Setting(
                service.hostSetting, .text,
                help: "Host where other services reach \(service.rawValue); default: JAGA_BIND.")
        } + BusSecurity.settings

    /// Proxies whose `X-Forwarded-For` is trusted.
    static func proxies(_ configuration: Configuration) -> Set<String> {
        Set(configuration.text("JAGA_PROXIES").split { $0 == "," || $0 == " " }.map(String.init))
    }

    static let all: [Setting] =
        network + [
            Setting(
                "JAGA_PROXIES", .text, default: "127.0.0.1",
                help: "Comma-separated addresses of proxies whose X-Forwarded-For is trusted."),
            Setting(
                "JAGA_RETENTION_HOURS", .integer(1...87_600), default: "24", unit: "hours",
                help: "Minimum age of stream records before they are pruned; in/p: 15 min."),
            Setting(
                "JAGA_OUTAGE_HOLD_SECONDS", .integer(0...600), default: "600", unit: "seconds",
                help: "What became due in an outage waits so long for 'jaga held'."),
            Setting(
                "JAGA_DRY_RUN", .flag, default: "off",
                help: "Send nothing outside; 'jaga outbox' shows what would have been sent."),
            RightsFile.setting,
        ] + RequestLimits.settings + DiskGauge.settings
}

extension ServiceName {
    /// The services that keep streams.
    public static let keepers: [ServiceName] = [.ingest, .membership, .timer, .notifier]

    /// The setting with the host of this service.
    var hostSetting: String { "JAGA_HOST_\(rawValue.uppercased())" }

    /// The role whose keys it uses on the bus.
    var role: BusRole {
        switch self {
        case .ingest: .ingest
        case .membership: .membership
        case .evaluator: .evaluator
        case .timer: .timer
        case .notifier: .notifier
        }
    }
}

extension Topology {
    /// Reads ``CommonSettings/network``.
    public init(_ configuration: Configuration) {
        self.init(
            portBase: configuration.int("JAGA_PORT_BASE"),
            bindAddress: configuration.text("JAGA_BIND"),
            hosts: Dictionary(
                uniqueKeysWithValues: ServiceName.keepers.compactMap { service in
                    configuration.optional(service.hostSetting).map { (service, $0) }
                }))
    }
}
