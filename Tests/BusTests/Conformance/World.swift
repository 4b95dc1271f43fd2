import Bus
import Model
import Runtime
import Store
import TestSupport
import Testing
import Wire

/// Processes of a test, the way between them and their time.
///
/// Where the carrier needs no real time, it is made up and goes 10 ms a round.
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

    /// Ends all processes: sockets and their threads go with the test that opened them.
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

    /// One turn of every process.
    func round() throws {
        if carrier.isRealTime { Loop.wait(on: nodes.compactMap(\.bus), atMost: 20) }
        elapsed += .milliseconds(10)
        for node in nodes { try node.turn() }
    }

    /// Lets time pass without a turn of anybody.
    func pass(_ duration: Duration) {
        elapsed += duration
        if carrier.isRealTime { Loop.wait(on: [], atMost: Int(duration.milliseconds)) }
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

/// The worlds of one test case.
final class Worlds: @unchecked Sendable {
    @TaskLocal static var ofTest: Worlds?
    fileprivate(set) var worlds: [World] = []
}

/// Closes what a test opened, as processes and their world hold each other.
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
