import Bus
import Model
import Parsing
import Runtime
import Web
import Wire

@testable import Hosting

/// A service wrapped in a layer that can fail a turn or plant a bug.
class InterceptedService: Service, WatchesDirectory, ReadsSnapshots, RereadsStreams,
    OffersSnapshots, StartsTransfers, SuspendsRequests, Drains, Authenticates
{
    /// Called first in every method of a turn; may throw.
    var before: () throws -> Void = {}
    /// Called before the service applies a record; may replace it.
    var apply: (Event, StreamName) -> Event = { event, _ in event }
    /// Applies records instead of the service.
    var applyInstead: ((Event, StreamName, Position) throws -> Void)?
    /// Called after a request was handled, in the same turn.
    var handled: (Request) -> Void = { _ in }
    /// Called before the service handles a request; may replace it.
    var request: (Request) -> Request = { $0 }
    let inner: any Service
    private let roles: ServiceRoles

    fileprivate init(_ inner: any Service) {
        self.inner = inner
        roles = ServiceRoles(inner)
    }

    /// Wraps a service. Only the wrapper of a partition's owner or worker has that role, too.
    static func wrap(_ inner: any Service) -> InterceptedService {
        if let owner = inner as? any PartitionOwner { return InterceptedOwner(owner: owner) }
        if let worker = inner as? any PartitionWorker { return InterceptedWorker(worker: worker) }
        return InterceptedService(inner)
    }

    func start() throws { try inner.start() }
    func reload() throws { try inner.reload() }
    var suspendedRequests: Set<UInt64> { roles.suspendsRequests?.suspendedRequests ?? [] }

    func directoryWillChange(_ event: Event) throws {
        try before()
        try roles.watchesDirectory?.directoryWillChange(event)
    }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        try before()
        if let applyInstead { return try applyInstead(event, stream, position) }
        try inner.apply(apply(event, stream), from: stream, at: position)
    }

    func handle(_ request: Request) throws {
        try before()
        try inner.handle(self.request(request))
        handled(request)
    }

    func transferCompleted(_ result: TransferResult) throws {
        try before()
        try roles.startsTransfers?.transferCompleted(result)
    }

    func tick() throws {
        try before()
        try inner.tick()
    }

    func replace(_ stream: StreamName, with events: [Event]) throws {
        try before()
        try roles.readsSnapshots?.replace(stream, with: events)
    }

    func restart(_ stream: StreamName) throws {
        try before()
        try roles.rereadsStreams?.restart(stream)
    }

    var nextDeadline: Timestamp? { inner.nextDeadline }
    func snapshot(of stream: StreamName) throws -> [Event] {
        try roles.offersSnapshots?.snapshot(of: stream) ?? []
    }
    func beginShutdown() { roles.drains?.beginShutdown() }
    var hasDrained: Bool { roles.drains?.hasDrained != false }
    func credential(of request: Request) -> Credential? {
        roles.authenticates?.credential(of: request)
    }
    func writeMetrics(_ metrics: Metrics) { inner.writeMetrics(metrics) }
    var healthProblems: [String] { inner.healthProblems }
    var statusDetails: JSON { inner.statusDetails }
}

/// Wraps the owner of partitions.
private final class InterceptedOwner: InterceptedService, PartitionOwner {
    private let owner: any PartitionOwner

    init(owner: any PartitionOwner) {
        self.owner = owner
        super.init(owner)
    }

    func coordinate(_ request: Control, from route: Route) throws {
        try before()
        try owner.coordinate(request, from: route)
    }

    func mayPropose(_ stream: StreamName, by member: ID128) -> Bool { true }

    func proposalRejected(
        _ stream: StreamName, by member: ID128, because reason: String
    ) throws {}

    func snapshotRecords(of stream: StreamName) throws -> StreamSnapshot {
        try owner.snapshotRecords(of: stream)
    }

    func pruneFloor(of stream: StreamName) throws -> UInt64? { try owner.pruneFloor(of: stream) }
}

/// Wraps the worker of partitions.
private final class InterceptedWorker: InterceptedService, PartitionWorker {
    private let worker: any PartitionWorker

    init(worker: any PartitionWorker) {
        self.worker = worker
        super.init(worker)
    }

    func replace(
        _ stream: StreamName, withRecords records: [Record], at position: Position
    ) throws {
        try before()
        try worker.replace(stream, withRecords: records, at: position)
    }

    func partitionRevoked(_ partition: Partition) throws {
        try before()
        try worker.partitionRevoked(partition)
    }

    func checkpointed(_ partition: Partition, _ verdict: CheckpointVerdict) throws {
        try before()
        try worker.checkpointed(partition, verdict)
    }
}
