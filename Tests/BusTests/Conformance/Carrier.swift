import Bus
import Testing

/// A transport that is held to this suite: every case that takes a carrier runs on each of them.
///
/// Another transport is held to it by one more entry in ``allCases``.
struct Carrier: Hashable, CaseIterable, Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether its time goes by itself; else a round of the ``World`` is 10 ms of a made-up one.
    let isRealTime: Bool
    /// Makes a network of its own for a test.
    let network: @Sendable () -> any CarrierNetwork

    static let memory = Carrier(name: "memory", isRealTime: false) { InMemory() }
    static let zeroMQ = Carrier(name: "zeroMQ", isRealTime: true) { OverZeroMQ() }

    static let allCases = [memory, zeroMQ]

    var testDescription: String { name }

    static func == (left: Carrier, right: Carrier) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// What processes of one test are joined by.
protocol CarrierNetwork: AnyObject {
    /// Where a process may bind; after that it is found under ``BusTransport/endpoints``.
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
