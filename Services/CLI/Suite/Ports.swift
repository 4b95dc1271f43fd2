import Hosting
import Model
import Runtime

/// Addresses and ports of a suite's services.
struct Ports: Sendable {
    let topology: Topology

    init(_ topology: Topology) { self.topology = topology }

    /// Reads the settings.
    ///
    /// - Parameter configuration: with `CommonSettings.network`
    init(_ configuration: Configuration) { self.init(Topology(configuration)) }

    var base: Int { topology.portBase }

    /// The address of services on this machine.
    var here: String {
        topology.bindAddress == "0.0.0.0" ? "127.0.0.1" : topology.bindAddress
    }

    /// The host of a service.
    func host(of service: Service) -> String {
        ServiceName(rawValue: service.rawValue).map(topology.host) ?? here
    }

    /// The HTTP port of a service.
    func http(_ service: Service) -> Int { base + service.number }

    /// The HTTP port of an evaluator, from 1. The first has the service's port.
    func http(evaluator number: Int) -> Int {
        number == 1 ? http(.evaluator) : base + 10 + number
    }

    /// The port on which a service publishes streams. Evaluators publish to ingest and have none.
    func publisher(_ service: Service) -> Int { base + 100 + service.number }

    /// The port for replay requests of a service's streams.
    func router(_ service: Service) -> Int { base + 200 + service.number }

    /// The port on which ingest receives from evaluators.
    var evaluators: Int { base + 301 }

    /// The port on which evaluators receive from ingest.
    var inputs: Int { base + 302 }

    /// All ports of a service with their use.
    func all(of service: Service) -> [(port: Int, use: String)] {
        var ports = [(http(service), "\(service.rawValue)'s HTTP")]
        if service != .evaluator {
            ports.append((publisher(service), "\(service.rawValue)'s streams"))
            ports.append((router(service), "replay of \(service.rawValue)'s streams"))
        }
        if service == .ingest {
            ports += [(evaluators, "output of evaluators"), (inputs, "input of evaluators")]
        }
        return ports
    }
}
