import Bus
import Hosting
import Model
import Parsing
import Runtime
import Store
import Web
import Wire

/// Service whose behaviour a test scripts. It writes the sequence of each record into a table.
final class Script: Service, ReadsSnapshots, PartitionOwner, DefersCalls, SuspendsRequests,
    StartsTransfers, Authenticates, HoldsItems
{
    let database: Database
    unowned var host: Host!
    /// Called for each record after its effect was written. May throw.
    var onApply: (Event, StreamName, Position) throws -> Void = { _, _, _ in }
    /// Called for the changes of a snapshot. May throw.
    var onReplace: () throws -> Void = {}
    /// Called for each request except those for `/v1/slow`, and for each result. May throw.
    var onRequest: (Request) throws -> Void = { _ in }
    var onResult: (TransferResult) throws -> Void = { _ in }
    var healthProblems: [String] = []
    var alarms: [String] = []
    var statusDetails: JSON = .object([])
    var heldEntries: [HeldEntry] = []
    var applied = 0
    private(set) var reloads = 0
    /// Members that proposed invalid records.
    private(set) var rejected: [ID128] = []
    var operatorToken = "operator"
    /// Requests for `/v1/slow`, which wait for ``answerSlow()``.
    private(set) var suspendedRequests: Set<UInt64> = []

    init(database: Database) { self.database = database }

    func start() throws {}
    func reload() throws { reloads += 1 }
    func tick() throws {}
    var nextDeadline: Timestamp? { nil }
    func writeMetrics(_ metrics: Metrics) {}
    func settleHeld(_ entries: [HeldEntry], isAll: Bool, isDropped: Bool) throws {}
    func coordinate(_ question: Control, from route: Route) throws {}
    func snapshotRecords(of stream: StreamName) throws -> StreamSnapshot { StreamSnapshot([]) }
    func pruneFloor(of stream: StreamName) throws -> UInt64? { nil }

    func apply(_ event: Event, from stream: StreamName, at position: Position) throws {
        applied += 1
        try database.run(
            "INSERT INTO effect VALUES (?, ?, NULL)", .text(stream.text),
            .integer(position.sequence))
        try onApply(event, stream, position)
    }

    func replace(_ stream: StreamName, with events: [Event]) throws { try onReplace() }

    func mayPropose(_ stream: StreamName, by member: ID128) -> Bool { !rejected.contains(member) }

    func proposalRejected(
        _ stream: StreamName, by member: ID128, because reason: String
    ) throws { rejected.append(member) }

    func handle(_ request: Request) throws {
        if request.path == "/v1/slow" {
            suspendedRequests.insert(request.id)
        } else {
            try onRequest(request)
            host.answer(request.id, Response(status: 204))
        }
    }

    /// Requests for `/v1/help` raise emergencies.
    func isEmergencyRequest(_ request: Request) -> Bool { request.path == "/v1/help" }

    /// Bodies of deferred calls, and a hook that runs when one is deferred.
    private(set) var deferred: [String] = []
    var onDefer: () throws -> Void = {}

    func deferCall(_ request: Request, because reason: String) throws -> Response? {
        guard isEmergencyRequest(request) else { return nil }
        try onDefer()
        deferred.append(String(decoding: request.body, as: UTF8.self))
        deferredCallDue = host.now
        return Response(status: 202)
    }

    var deferredCallDue: Timestamp?
    /// Called for each retry of a deferred call. May throw.
    var onRetry: (_ isBare: Bool) throws -> Void = { _ in }

    func retryDeferredCall(isBare: Bool) throws {
        try onRetry(isBare)
        deferredCallDue = nil
    }

    func postponeDeferredCall() throws { deferredCallDue = host.now + .seconds(1) }

    func transferCompleted(_ result: TransferResult) throws { try onResult(result) }

    /// Answers the waiting requests, in the next turn.
    func answerSlow() {
        for id in suspendedRequests { host.answer(id, Response(status: 204)) }
        suspendedRequests.removeAll()
    }

    func credential(of request: Request) -> Credential? {
        let id = CredentialID(ID128(high: 1, low: 1))
        return switch request.token {
        case operatorToken: Credential(id: id, hash: "", created: .zero)
        case "anna":
            Credential(
                id: id, hash: "", person: PersonID(ID128(high: 1, low: 1)), created: .zero)
        default: nil
        }
    }
}

final class TestHTTPServer: HTTPServer {
    var requests: [Request] = []
    var answers: [UInt64: Response] = [:]
    var steps: [UInt64: [StreamStep]] = [:]
    var port: Int { 8104 }

    func drain() -> [Request] {
        defer { requests = [] }
        return requests
    }

    func answer(_ id: UInt64, _ response: Response) { answers[id] = response }
    func stream(_ id: UInt64, _ step: StreamStep) { steps[id, default: []].append(step) }
    func unsentBytes(of id: UInt64) -> Int? { steps[id] == nil ? nil : 0 }
    func flush() {}
    func stop() {}
    func appendPollItems(to items: inout [PollItem]) {}
    var waitMilliseconds: Int? { nil }
}

/// Returns the results that a test sets.
final class TestHTTPClient: HTTPClient {
    var results: [TransferResult] = []

    func start(_ transfer: Transfer) {}
    func drain() -> [TransferResult] {
        defer { results = [] }
        return results
    }
    func stop() {}
    func appendPollItems(to items: inout [PollItem]) {}
    var waitMilliseconds: Int? { nil }
}

/// A service that keeps streams which the host follows.
final class FakePeer {
    private let bus: Bus
    /// Records of the directory's snapshot.
    var directory: [Record] = []

    init(
        _ name: ServiceName, _ streams: [StreamName], _ topology: Topology,
        _ network: MemoryNetwork, clock: @escaping () -> Moment
    ) throws {
        var configuration = Bus.Configuration(name: name.rawValue)
        configuration.served = streams.map { stream in
            var served = Bus.Served(stream)
            served.isSnapshotable = stream == .directory
            return served
        }
        configuration.publishEndpoint = topology.peerEndpoint(
            name, port: topology.publishPort(name))
        configuration.controlEndpoint = topology.peerEndpoint(
            name, port: topology.controlPort(name))
        bus = try Bus(
            configuration: configuration, store: MemoryBusStore(),
            transport: network.join(configuration), newID: SecureRandom.id, clock: clock)
        bus.hooks.snapshot = { [unowned self] _ in StreamSnapshot(directory) }
    }

    func append(_ record: Record, to stream: StreamName) throws {
        try bus.append(record, to: stream)
        bus.committed()
    }

    func turn() throws {
        try bus.receive { _, _, _ in }
        bus.committed()
        try bus.tick()
    }
}
