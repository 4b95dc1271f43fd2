import Hashing
import Model
import Parsing
import Store
import TestSupport
import Wire

@testable import Bus
@testable import Hosting
@testable import Runtime
@testable import Web

/// A host with a simulated clock and network, a scripted service, and the services whose
/// streams it follows.
final class Stage {
    let folder: TemporaryFolder
    let network = MemoryNetwork()
    let httpServer = TestHTTPServer()
    let httpClient = TestHTTPClient()
    private let definition: ServiceDefinition
    private let manager: ServiceManager?
    private let logDescriptor: Int32
    private(set) var host: Host
    let script: Script
    private(set) var peers: [ServiceName: FakePeer] = [:]
    private let clock: SystemClock
    private let time: Time
    private var nextRequest: UInt64 = 1
    private var nextNumber: UInt64 = 1

    private final class Time {
        var nanoseconds: Int64 = 1_700_000_000_000_000_000
    }

    static let definition = ServiceDefinition(
        name: .timer, summary: "Scripted by a test.",
        migrations: [
            Migration(number: 1, sql: "CREATE TABLE effect (stream TEXT, sequence INTEGER, b BLOB)")
        ],
        consumes: [
            .ingest: [.sos, .events(3)], .notifier: [.deliveries],
            .membership: [.directory],
        ])

    /// The definition of a stage that plays ingest, and therefore follows no streams of ingest.
    static var ingest: ServiceDefinition {
        var definition = Stage.definition
        definition.name = .ingest
        definition.consumes[.ingest] = nil
        return definition
    }

    init(
        _ definition: ServiceDefinition = Stage.definition, isDurable: Bool = true,
        manager: ServiceManager? = nil, logDescriptor: Int32 = -1
    ) throws {
        self.logDescriptor = logDescriptor
        var definition = definition
        definition.isDurable = isDurable
        self.definition = definition
        self.manager = manager
        folder = try TemporaryFolder()
        let time = Time()
        self.time = time
        let clock = SystemClock(source: { (time.nanoseconds, time.nanoseconds) })
        self.clock = clock
        let database = try Database(
            path: folder.file("store.sqlite"), migrations: HostParts.migrations(definition))
        script = Script(database: database)
        host = try Stage.host(
            definition, database, clock, folder, network: network, httpServer: httpServer,
            httpClient: httpClient,
            manager: manager, logDescriptor: logDescriptor)
        script.host = host
        for (name, streams) in definition.consumes {
            let peer = try FakePeer(name, streams, host.topology, network) {
                Moment(wall: clock.now, monotonic: clock.monotonic)
            }
            peers[name] = peer
        }
        try host.open(script)
    }

    private static func host(
        _ definition: ServiceDefinition, _ database: Database, _ clock: SystemClock,
        _ folder: TemporaryFolder, network: MemoryNetwork, httpServer: TestHTTPServer,
        httpClient: TestHTTPClient,
        manager: ServiceManager?, logDescriptor: Int32
    ) throws -> Host {
        let configuration = try Configuration(
            settings: CommonSettings.all, environment: [:], arguments: ["--home", folder.path],
            service: definition.name.rawValue)
        let topology = Topology(configuration)
        let bus = HostParts.busConfiguration(definition, topology)
        let parts = HostParts(
            topology: topology,
            log: Log(service: definition.name.rawValue, descriptor: logDescriptor),
            clock: clock, manager: manager, database: database, server: httpServer,
            transfers: httpClient,
            bus: try Bus(
                configuration: bus, store: SQLiteBusStore(database), transport: network.join(bus),
                newID: SecureRandom.id,
                clock: { Moment(wall: clock.now, monotonic: clock.monotonic) }),
            directory: ReplicaStore(database))
        return Host(definition: definition, configuration: configuration, parts: parts)
    }

    /// Restarts the process on the same store.
    func restart() throws {
        host.close()
        host = try Stage.host(
            definition, host.database, clock, folder, network: network, httpServer: httpServer,
            httpClient: httpClient, manager: manager, logDescriptor: logDescriptor)
        script.host = host
        try host.open(script)
    }

    /// Runs turns of all parties, 10 ms each.
    func run(for duration: Duration) throws {
        for _ in 0..<(duration.components.seconds * 100 + 1) { try round() }
    }

    func round() throws {
        time.nanoseconds += 10_000_000
        for peer in peers.values { try peer.turn() }
        host.step()
    }

    /// Runs turns until a condition holds, for at most 30 s of simulated time.
    func run(until condition: () throws -> Bool) throws {
        for _ in 0..<3000 {
            if try condition() { return }
            try round()
        }
        throw TestFailure("the condition was not met within 30 s")
    }

    // MARK: Streams

    /// Appends a scheduled deadline; its kind decides whether it carries an emergency.
    func append(_ kind: DeadlineKind, to stream: StreamName) throws {
        try append(try deadlineRecord(kind), to: stream)
    }

    /// The partition of the person that all records are about.
    static let partition = Partition.of(PersonID(ID128(high: 1, low: 1)))

    /// A scheduled deadline as a record.
    func deadlineRecord(_ kind: DeadlineKind) throws -> Record {
        nextNumber += 1
        let deadline = Deadline(
            id: DeadlineID(ID128(high: 7, low: nextNumber)), kind: kind,
            person: PersonID(ID128(high: 1, low: 1)), due: .zero)
        let event = Event(
            id: EventID(ID128(high: 9, low: nextNumber)), time: .zero,
            body: .deadlineScheduled(deadline))
        return try EventCodec.encode(event)
    }

    /// Raises an emergency on `sos`.
    func raise() throws -> EmergencyID {
        nextNumber += 1
        let id = EmergencyID(ID128(high: 5, low: nextNumber))
        let signal = EmergencySignal(
            id: id, person: PersonID(ID128(high: 1, low: 1)), trigger: .panic, raised: .zero,
            received: .zero, countdownEnds: .zero)
        try append(.sosRaised(signal), to: .sos)
        return id
    }

    func cancel(_ emergency: EmergencyID) throws {
        let cancel = EmergencyCancel(
            id: EventID(ID128(high: 4, low: nextNumber)), person: PersonID(ID128(high: 1, low: 1)),
            emergency: emergency, received: .zero)
        try append(.sosCancelled(cancel), to: .sos)
    }

    /// Changes the directory: appends the event, and adds it to the snapshot.
    func change(_ body: EventBody) throws {
        try append(body, to: .directory)
        try peers[.membership]?.directory.append(record(of: body))
    }

    /// Adds a monitoring token to the directory.
    func addMonitoringToken(_ token: String) throws -> CredentialID {
        let credential = Credential(
            id: CredentialID(ID128(high: 5, low: 5)), hash: Hash.sha256Text(token),
            kind: .monitor, created: .zero)
        try change(.credentialChanged(credential))
        try run(until: { host.directory?.replica.credential(credential.id) != nil })
        return credential.id
    }

    /// Adds a member of staff to the directory, with a credential.
    func addStaff(_ token: String, _ role: StaffRole, _ number: UInt64) throws -> PersonID {
        let person = PersonID(ID128(high: 6, low: number))
        let credential = Credential(
            id: CredentialID(ID128(high: 5, low: number)), hash: Hash.sha256Text(token),
            person: person, created: .zero)
        try change(.personChanged(Person(id: person, name: token, staff: role)))
        try change(.credentialChanged(credential))
        try run(until: { host.directory?.replica.credential(credential.id) != nil })
        return person
    }

    private func append(_ body: EventBody, to stream: StreamName) throws {
        try append(try record(of: body), to: stream)
    }

    private func record(of body: EventBody) throws -> Record {
        nextNumber += 1
        let id = EventID(ID128(high: 9, low: nextNumber))
        return try EventCodec.encode(Event(id: id, time: .zero, body: body))
    }

    func append(_ record: Record, to stream: StreamName) throws {
        let peer: ServiceName =
            switch stream {
            case .deliveries: .notifier
            case .directory: .membership
            default: .ingest
            }
        try peers[peer]?.append(record, to: stream)
    }

    /// Sequences of a stream's applied records, in the order of their application.
    func effects(of stream: StreamName) throws -> [Int] {
        try host.database.all(
            "SELECT sequence FROM effect WHERE stream = ? ORDER BY rowid", .text(stream.text)
        ) { $0.int(0) }
    }

    // MARK: Requests

    /// Sends a request as the operator, unless there is another token, and waits for the response.
    func send(
        _ method: Web.Method, _ path: String, _ body: JSON? = nil, token: String? = "operator"
    ) throws -> Response {
        let id = start(method, path, body, token: token)
        try run(until: { httpServer.answers[id] != nil })
        return httpServer.answers[id] ?? Response(status: 0)
    }

    /// Sends a request without waiting for the response.
    func start(
        _ method: Web.Method, _ path: String, _ body: JSON? = nil, token: String? = "operator"
    ) -> UInt64 {
        nextRequest += 1
        var headers: Headers = [:]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        httpServer.requests.append(
            Request(
                id: nextRequest, method: method, path: path, headers: headers,
                body: body?.serialized() ?? []))
        return nextRequest
    }

    /// Sends `POST /v1/streams/timer`.
    ///
    /// - Returns: the status of the response
    func command(_ body: JSON, token: String? = "operator") throws -> Int {
        try send(.post, "/v1/streams/timer", body, token: token).status
    }

    var streams: JSON { get throws { try send(.get, host.paths.streams).json } }
}

extension Response {
    var json: JSON { (try? JSON.parse(body)) ?? .null }
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension StreamName {
    static func events(_ number: Int) -> StreamName {
        Partition(number).map { .events($0) } ?? .sos
    }
}
