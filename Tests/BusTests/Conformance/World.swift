import Bus
import Model
import Runtime
import Store
import TestSupport
import Testing
import Wire

/// The processes of a test with their network and time.
///
/// Time is simulated and advances 10 ms per round, unless the carrier needs real time.
final class World {
    let carrier: Carrier
    let folder: TemporaryFolder
    private let network: any CarrierNetwork
    private let clock = SystemClock()
    private var elapsed = Duration.zero
    private(set) var nodes: [Node] = []
    private var random = SeededGenerator(seed: 1)

    init(_ carrier: Carrier) throws {
        self.carrier = carrier
        network = carrier.network()
        folder = try TemporaryFolder()
        Worlds.ofTest?.worlds.append(self)
    }

    /// Ends all processes, so that sockets and threads end with their test.
    func close() {
        for node in nodes { node.kill() }
        nodes = []
    }

    var now: Moment {
        carrier.isRealTime
            ? Moment(wall: clock.now, monotonic: clock.monotonic)
            : Moment(wall: Timestamp(seconds: 1_700_000_000) + elapsed, monotonic: elapsed)
    }

    func newID() -> ID128 { ID128(high: random.next(), low: random.next()) }

    /// An endpoint for a process that binds.
    func endpoint(_ name: String) -> String { network.endpoint(name) }

    func transport(_ configuration: Bus.Configuration) throws -> any BusTransport {
        try network.join(configuration)
    }

    func add(_ node: Node) { nodes.append(node) }
    func remove(_ node: Node) { nodes.removeAll { $0 === node } }

    /// Runs one turn of every process.
    func round() throws {
        if carrier.isRealTime { Loop.wait(on: nodes.compactMap(\.bus), atMost: 20) }
        elapsed += .milliseconds(10)
        for node in nodes { try node.turn() }
    }

    /// Advances the time without turns.
    func pass(_ duration: Duration) {
        elapsed += duration
        if carrier.isRealTime { Loop.wait(on: [], atMost: Int(duration.milliseconds)) }
    }

    /// Runs turns until the condition holds; records an issue after 30 s (simulated or real).
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

    /// Runs turns for a duration.
    func run(for duration: Duration) throws {
        let end = now.monotonic + duration
        while now.monotonic < end { try round() }
    }
}

/// The worlds of one test case.
final class Worlds: @unchecked Sendable {
    @TaskLocal static var ofTest: Worlds?
    fileprivate(set) var worlds: [World] = []
}

/// Closes the worlds of a test, since processes and their world reference each other.
struct ClosingWorlds: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let opened = Worlds()
        defer { for world in opened.worlds { world.close() } }
        try await Worlds.$ofTest.withValue(opened, operation: function)
    }
}

extension Trait where Self == ClosingWorlds {
    static var closingWorlds: Self { ClosingWorlds() }
}
