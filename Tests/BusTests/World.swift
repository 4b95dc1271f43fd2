import Bus
import Model
import Runtime
import Store
import TestSupport
import Testing
import Wire

/// What carries the frames of a test; every case runs on each.
enum Carrier: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, zeroMQ

    var testDescription: String { rawValue }
}

/// Processes of a test, the way between them and their time.
///
/// On the memory network time is made up and goes 10 ms a round; over ZeroMQ it is real.
final class World {
    let carrier: Carrier
    let folder: TemporaryFolder
    let network = MemoryNetwork()
    private let clock = SystemClock()
    private var elapsed = Duration.zero
    private(set) var nodes: [Node] = []
    private var random = SeededGenerator(seed: 1)

    init(_ carrier: Carrier) throws {
        self.carrier = carrier
        folder = try TemporaryFolder()
    }

    var now: Moment {
        switch carrier {
        case .memory:
            Moment(
                wall: Timestamp(seconds: 1_700_000_000) + elapsed, monotonic: elapsed)
        case .zeroMQ: Moment(wall: clock.now, monotonic: clock.monotonic)
        }
    }

    func newID() -> ID128 { ID128(high: random.next(), low: random.next()) }

    /// An endpoint for a process that binds.
    func endpoint(_ name: String) -> String {
        carrier == .memory ? "memory://\(name)" : "tcp://127.0.0.1:*"
    }

    func transport(_ configuration: Bus.Configuration) throws -> any BusTransport {
        carrier == .memory ? network.join(configuration) : try ZeroMQTransport(configuration)
    }

    func add(_ node: Node) { nodes.append(node) }
    func remove(_ node: Node) { nodes.removeAll { $0 === node } }

    /// One turn of every process.
    func round() throws {
        if carrier == .zeroMQ { Loop.wait(on: nodes.compactMap(\.bus), atMost: 20) }
        elapsed += .milliseconds(10)
        for node in nodes { try node.turn() }
    }

    /// Turns until the condition holds. A failure within 30 s (made up or real) is one of the test.
    func run(
        until condition: () throws -> Bool, _ comment: Comment = "it comes to pass",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let deadline = now.monotonic + .seconds(30)
        while now.monotonic < deadline {
            if try condition() { return }
            try round()
        }
        Issue.record(comment, sourceLocation: sourceLocation)
        throw CancellationError()
    }

    /// Turns for so long.
    func run(for duration: Duration) throws {
        let end = now.monotonic + duration
        while now.monotonic < end { try round() }
    }
}
