import Bus
import Hosting
import Model
import Parsing
import Runtime
import Web
import Wire

/// A service wrapped in a layer that can fail a turn or plant a bug.
final class InterceptedService: Service {
    /// Called first in every method of a turn; may throw.
    var before: () throws -> Void = {}
    /// Called before the service applies a record; may replace it.
    var apply: (Event, StreamName) -> Event = { event, _ in event }
    /// Applies records instead of the service.
    var applyInstead: ((Event, StreamName, Position) throws -> Void)?
    /// Called after a request was handled, in the same turn.
    var handled: (Request) -> Void = { _ in }
    private let inner: any Service

    init(_ inner: any Service) { self.inner = inner }

    func start() throws { try inner.start() }
    func reload() throws { try inner.reload() }
    var suspendedRequests: Set<UInt64> { inner.suspendedRequests }

    func directoryWillChange(_ event: Event) throws {
        try before()
        try inner.directoryWillChange(event)
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        try before()
        if let applyInstead { return try applyInstead(event, stream, position) }
        try inner.apply(apply(event, stream), from: stream, at: position)
    }

    func handle(_ request: Request) throws {
        try before()
        try inner.handle(request)
        handled(request)
    }

    func transferCompleted(_ result: TransferResult) throws {
        try before()
        try inner.transferCompleted(result)
    }

    func tick() throws {
        try before()
        try inner.tick()
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        try before()
        try inner.replace(stream, with: events)
    }

    func replace(
        _ stream: StreamName, withRecords records: [Record], at position: Position
    ) throws {
        try before()
        try inner.replace(stream, withRecords: records, at: position)
    }

    func coordinate(_ question: Control, from route: Route) throws {
        try before()
        try inner.coordinate(question, from: route)
    }

    func partitionRevoked(_ partition: Partition) throws {
        try before()
        try inner.partitionRevoked(partition)
    }

    func checkpointed(_ partition: Partition, _ verdict: CheckpointVerdict) throws {
        try before()
        try inner.checkpointed(partition, verdict)
    }

    func restart(_ stream: StreamName) throws {
        try before()
        try inner.restart(stream)
    }

    var nextDeadline: Timestamp? { inner.nextDeadline }
    func snapshot(of stream: StreamName) throws -> [Event] { try inner.snapshot(of: stream) }
    func snapshotRecords(of stream: StreamName) throws -> StreamSnapshot {
        try inner.snapshotRecords(of: stream)
    }
    func pruneFloor(of stream: StreamName) throws -> UInt64? { try inner.pruneFloor(of: stream) }
    func beginShutdown() { inner.beginShutdown() }
    var hasDrained: Bool { inner.hasDrained }
    func principal(of request: Request) -> Principal? { inner.principal(of: request) }
    func writeMetrics(_ metrics: Metrics) { inner.writeMetrics(metrics) }
    var healthProblems: [String] { inner.healthProblems }
    var statusDetails: JSON { inner.statusDetails }
}
