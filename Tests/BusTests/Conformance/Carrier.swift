import Bus
import Testing

/// A transport under test: every case that takes a carrier runs on each of them.
///
/// Add another transport as an entry in ``allCases``.
struct Carrier: Hashable, CaseIterable, Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether its time is real; otherwise a round of the ``World`` is 10 ms of simulated time.
    let isRealTime: Bool
    /// Creates a network for one test.
    let network: @Sendable () -> any CarrierNetwork

    static let memory = Carrier(name: "memory", isRealTime: false) { InMemory() }
    static let zeroMQ = Carrier(name: "zeroMQ", isRealTime: true) { OverZeroMQ() }

    static let allCases = [memory, zeroMQ]

    var testDescription: String { name }

    static func == (left: Carrier, right: Carrier) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The network of the processes of one test.
protocol CarrierNetwork: AnyObject {
    /// An endpoint to bind; the actual one is in ``BusTransport/endpoints``.
    func endpoint(_ name: String) -> String
    func join(_ configuration: Bus.Configuration) throws -> any BusTransport
}

private final class InMemory: CarrierNetwork {
    private let network = MemoryNetwork()

    func endpoint(_ name: String) -> String { "memory://\(name)" }
    func join(_ configuration: Bus.Configuration) -> any BusTransport {
        network.join(configuration)
    }
}

private final class OverZeroMQ: CarrierNetwork {
    func endpoint(_ name: String) -> String { "tcp://127.0.0.1:*" }
    func join(_ configuration: Bus.Configuration) throws -> any BusTransport {
        try ZeroMQTransport(configuration)
    }
}
