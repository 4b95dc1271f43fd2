import Hosting
import Runtime

/// Where the services of one suite listen.
struct Ports: Sendable {
    let topology: Topology

    init(_ topology: Topology) { self.topology = topology }

    /// As the settings of services say.
    ///
    /// - Parameter configuration: with `CommonSettings.network`
    init(_ configuration: Configuration) { self.init(Topology(configuration)) }

    var base: Int { topology.portBase }

    /// The address of services on this machine.
    var here: String {
        topology.bindAddress == "0.0.0.0" ? "127.0.0.1" : topology.bindAddress
    }

    /// Where a service is found.
    func host(of service: Service) -> String {
        ServiceName(rawValue: service.rawValue).map(topology.host) ?? here
    }

    /// HTTP of a service.
    func http(_ service: Service) -> Int { base + service.number }

    /// HTTP of an evaluator, counted from 1: the first has the service's port.
    func http(evaluator number: Int) -> Int {
        number == 1 ? http(.evaluator) : base + 10 + number
    }

    /// Streams of a service; evaluators publish to ingest and keep none.
    func publisher(_ service: Service) -> Int { base + 100 + service.number }

    /// Questions about a service's streams.
    func router(_ service: Service) -> Int { base + 200 + service.number }

    /// What ingest hears evaluators on.
    var evaluators: Int { base + 301 }

    /// What evaluators hear ingest on.
    var inputs: Int { base + 302 }

    /// Every port of a service, with what it is for.
    func all(of service: Service) -> [(port: Int, use: String)] {
        var ports = [(http(service), "\(service.rawValue)'s HTTP")]
        if service != .evaluator {
            ports.append((publisher(service), "\(service.rawValue)'s streams"))
            ports.append((router(service), "questions about \(service.rawValue)'s streams"))
        }
        if service == .ingest {
            ports += [(evaluators, "what evaluators publish"), (inputs, "what evaluators hear")]
        }
        return ports
    }
}
