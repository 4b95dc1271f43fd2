import Bus
import Hosting
import Model
import Parsing
import Runtime
import Store
import Web
import Wire

/// What a test says, as a service: each record leaves its number in a table.
final class Script: Service {
    let database: Database
    unowned var host: Host!
    /// Called for each record after its effect was written; may throw.
    var onApply: (Event, StreamName, Position) throws -> Void = { _, _, _ in }
    /// Called for the changes that a snapshot makes; may throw.
    var onReplace: () throws -> Void = {}
    /// Called for each request but those for `/v1/slow`, and for each result; may throw.
    var onRequest: (Request) throws -> Void = { _ in }
    var onResult: (TransferResult) throws -> Void = { _ in }
    var troubles: [String] = []
    var alarms: [String] = []
    var statusDetails: JSON = .object([])
    var held: [HeldEntry] = []
    var applied = 0
    private(set) var reloads = 0
    /// Members that proposed what cannot be read.
    private(set) var rejected: [ID128] = []
    var operatorToken = "operator"
    /// Requests for `/v1/slow`, which wait until a test answers them.
    private(set) var suspended: Set<UInt64> = []

    init(database: Database) { self.database = database }

    func start() throws {}
    func reload() throws { reloads += 1 }

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
            suspended.insert(request.id)
        } else {
            try onRequest(request)
            host.answer(request.id, Response(status: 204))
        }
    }

    /// Requests for `/v1/help` are calls for help.
    func callsForHelp(_ request: Request) -> Bool { request.path == "/v1/help" }

    /// Calls that were kept, and what keeping one does.
    private(set) var kept: [String] = []
    var onKeep: () throws -> Void = {}

    func keepCall(_ request: Request, because reason: String) throws -> Response? {
        guard callsForHelp(request) else { return nil }
        try onKeep()
        kept.append(String(decoding: request.body, as: UTF8.self))
        keptCallDue = host.now
        return Response(status: 202)
    }

    var keptCallDue: Timestamp?
    /// Called for each try to raise a kept call; may throw.
    var onRetry: (_ isBare: Bool) throws -> Void = { _ in }

    func retryKeptCall(isBare: Bool) throws {
        try onRetry(isBare)
        keptCallDue = nil
    }

    func postponeKeptCall() throws { keptCallDue = host.now + .seconds(1) }

    func transferred(_ result: TransferResult) throws { try onResult(result) }

    /// Answers those that wait, in the next turn.
    func answerSlow() {
        for id in suspended { host.answer(id, Response(status: 204)) }
        suspended.removeAll()
    }

    func principal(of request: Request) -> Principal? {
        switch Credentials(request.headers)?.token {
        case operatorToken: .operator
        case "anna": .person(PersonID(ID128(high: 1, low: 1)))
        default: nil
        }
    }
}

final class TestDoor: Door {
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

/// Brings the results that a test gives it.
final class TestCourier: Courier {
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

/// Keeps streams for the host to follow.
final class Keeper {
    private let bus: Bus
    /// What a snapshot of the directory says.
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
