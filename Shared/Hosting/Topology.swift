import Model
import Runtime
import Wire

/// A service that others find at a fixed place.
public enum ServiceName: String, Sendable, CaseIterable {
    case ingest, membership, evaluator, timer, notifier

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

    /// The streams that this service keeps and serves.
    public var served: [StreamName] {
        switch self {
        case .ingest:
            Partition.all.map(StreamName.input) + Partition.all.map(StreamName.events) + [.sos]
        case .membership: [.directory]
        case .evaluator: []
        case .timer: [.fired]
        case .notifier: [.deliveries]
        }
    }
}

/// Where the services' doors are: everything follows from one base port and one host a service.
public struct Topology: Sendable {
    /// `JAGA_PORT_BASE`; HTTP is base + n, PUB base + 100 + n, ROUTER base + 200 + n.
    public var portBase: Int
    /// Address that sockets bind to.
    public var bindAddress: String
    /// Where a peer is found, by service.
    public var hosts: [ServiceName: String]

    /// HTTP port of a service; evaluators choose their own.
    public func httpPort(_ service: ServiceName) -> Int { portBase + service.number }
    /// Port of a writer's PUB socket.
    public func publishPort(_ service: ServiceName) -> Int { portBase + 100 + service.number }
    /// Port of a writer's ROUTER socket.
    public func controlPort(_ service: ServiceName) -> Int { portBase + 200 + service.number }
    /// Port of ingest's SUB socket that evaluators' PUB sockets connect to.
    public var computedPort: Int { portBase + 301 }

    /// A ZeroMQ endpoint that this process binds.
    public func bindEndpoint(port: Int) -> String { "tcp://\(bindAddress):\(port)" }

    /// A ZeroMQ endpoint of another service.
    public func peerEndpoint(_ service: ServiceName, port: Int) -> String {
        "tcp://\(hosts[service] ?? "127.0.0.1"):\(port)"
    }
}

/// Settings that every service has beside `Setting.standard`.
enum CommonSettings {
    static let all: [Setting] =
        [
            Setting(
                "JAGA_BIND", .text, default: "127.0.0.1",
                help: "IPv4 address that HTTP and the bus bind to."),
            Setting(
                "JAGA_RETENTION_HOURS", .integer(1...87_600), default: "24", unit: "hours",
                help: "Records of streams are kept so long at least, also when all have them."),
        ] + DiskGauge.settings
        + [ServiceName.ingest, .membership, .timer, .notifier].map { service in
            Setting(
                service.hostSetting, .text, default: "127.0.0.1",
                help: "Where other services find \(service.rawValue).")
        }
}

extension ServiceName {
    /// The setting that says where others find this service.
    var hostSetting: String { "JAGA_HOST_\(rawValue.uppercased())" }
}

extension Topology {
    /// Reads the common settings.
    init(_ configuration: Configuration) {
        self.init(
            portBase: configuration.int("JAGA_PORT_BASE"),
            bindAddress: configuration.text("JAGA_BIND"),
            hosts: Dictionary(
                uniqueKeysWithValues: [.ingest, .membership, .timer, .notifier].map {
                    ($0, configuration.text($0.hostSetting))
                }))
    }
}
