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

/// A host on a made-up clock and network, with a service that does what a test says, and the
/// keepers of the streams that it follows.
final class Stage {
    let folder: TemporaryFolder
    let network = MemoryNetwork()
    let door = TestDoor()
    let courier = TestCourier()
    private let definition: ServiceDefinition
    private let manager: ServiceManager?
    private let logDescriptor: Int32
    private(set) var host: Host
    let script: Script
    private(set) var keepers: [ServiceName: Keeper] = [:]
    private let clock: SystemClock
    private let time: Time
    private var nextRequest: UInt64 = 1
    private var nextNumber: UInt64 = 1

    private final class Time {
        var nanoseconds: Int64 = 1_700_000_000_000_000_000
    }

    static let definition = ServiceDefinition(
        name: .timer, summary: "Does what a test says.",
        migrations: [
            Migration(number: 1, sql: "CREATE TABLE effect (stream TEXT, sequence INTEGER, b BLOB)")
        ],
        consumes: [
            .ingest: [.sos, .events(3)], .notifier: [.deliveries],
            .membership: [.directory],
        ])

    /// What a service that follows no streams of ingest is, because it is ingest.
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
            definition, database, clock, folder, network: network, door: door, courier: courier,
            manager: manager, logDescriptor: logDescriptor)
        script.host = host
        for (name, streams) in definition.consumes {
            let keeper = try Keeper(name, streams, host.topology, network) {
                Moment(wall: clock.now, monotonic: clock.monotonic)
            }
            keepers[name] = keeper
        }
        try host.open(script)
    }

    private static func host(
        _ definition: ServiceDefinition, _ database: Database, _ clock: SystemClock,
        _ folder: TemporaryFolder, network: MemoryNetwork, door: TestDoor, courier: TestCourier,
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
            clock: clock, manager: manager, database: database, server: door, transfers: courier,
            bus: try Bus(
                configuration: bus, store: SQLiteBusStore(database), transport: network.join(bus),
                newID: SecureRandom.id,
                clock: { Moment(wall: clock.now, monotonic: clock.monotonic) }),
            directory: ReplicaStore(database))
        return Host(definition: definition, configuration: configuration, parts: parts)
    }

    /// The process ends and is there again, over the same store.
    func restart() throws {
        host.close()
        host = try Stage.host(
            definition, host.database, clock, folder, network: network, door: door,
            courier: courier, manager: manager, logDescriptor: logDescriptor)
        script.host = host
        try host.open(script)
    }

    /// Turns of everybody, 10 ms each.
    func run(for duration: Duration) throws {
        for _ in 0..<(duration.components.seconds * 100 + 1) { try round() }
    }

    func round() throws {
        time.nanoseconds += 10_000_000
        for keeper in keepers.values { try keeper.turn() }
        host.step()
    }

    /// Turns until something holds; within half a minute of made-up time.
    func run(until condition: () throws -> Bool) throws {
        for _ in 0..<3000 {
            if try condition() { return }
            try round()
        }
        throw TestFailure("it does not come to pass")
    }

    // MARK: Streams

    /// Tells of a clock that somebody wants; by its rule it is about an emergency or not.
    func tell(_ rule: ClockRule, on stream: StreamName) throws {
        try append(try wish(rule), to: stream)
    }

    /// Of the person whom everything is about.
    static let partition = Partition.of(PersonID(ID128(high: 1, low: 1)))

    /// A clock that somebody wants, as a record.
    func wish(_ rule: ClockRule) throws -> Record {
        nextNumber += 1
        let clock = WantedClock(
            id: ClockID(ID128(high: 7, low: nextNumber)), rule: rule,
            person: PersonID(ID128(high: 1, low: 1)), due: .zero)
        let event = Event(
            id: EventID(ID128(high: 9, low: nextNumber)), time: .zero, body: .clockWanted(clock))
        return try EventCodec.encode(event)
    }

    /// A call for help on `sos`, and its taking back.
    func raise() throws -> EmergencyID {
        nextNumber += 1
        let id = EmergencyID(ID128(high: 5, low: nextNumber))
        let signal = EmergencySignal(
            id: id, person: PersonID(ID128(high: 1, low: 1)), trigger: .panic, raised: .zero,
            received: .zero, countdownEnds: .zero)
        try tell(.sosRaised(signal), on: .sos)
        return id
    }

    func takeBack(_ emergency: EmergencyID) throws {
        let cancel = EmergencyCancel(
            id: EventID(ID128(high: 4, low: nextNumber)), person: PersonID(ID128(high: 1, low: 1)),
            emergency: emergency, received: .zero)
        try tell(.sosCancelled(cancel), on: .sos)
    }

    /// Tells of a change of the directory, which its snapshot has too.
    func change(_ body: EventBody) throws {
        try tell(body, on: .directory)
        try keepers[.membership]?.directory.append(record(of: body))
    }

    /// A credential of whoever only watches.
    func giveMonitoringToken(_ token: String) throws -> CredentialID {
        let credential = Credential(
            id: CredentialID(ID128(high: 5, low: 5)), hash: Hash.sha256Text(token),
            scope: .monitor, created: .zero)
        try change(.credentialChanged(credential))
        try run(until: { host.directory?.replica.credential(credential.id) != nil })
        return credential.id
    }

    private func tell(_ body: EventBody, on stream: StreamName) throws {
        try append(try record(of: body), to: stream)
    }

    private func record(of body: EventBody) throws -> Record {
        nextNumber += 1
        let id = EventID(ID128(high: 9, low: nextNumber))
        return try EventCodec.encode(Event(id: id, time: .zero, body: body))
    }

    func append(_ record: Record, to stream: StreamName) throws {
        let keeper: ServiceName =
            switch stream {
            case .deliveries: .notifier
            case .directory: .membership
            default: .ingest
            }
        try keepers[keeper]?.append(record, to: stream)
    }

    /// Sequences of a stream that had their effect, in its order.
    func effects(of stream: StreamName) throws -> [Int] {
        try host.database.all(
            "SELECT sequence FROM effect WHERE stream = ? ORDER BY rowid", .text(stream.text)
        ) { $0.int(0) }
    }

    // MARK: Requests

    /// Sends a request and gives its answer, as the operator unless a token says otherwise.
    func send(
        _ method: Web.Method, _ path: String, _ body: JSON? = nil, token: String? = "operator"
    ) throws -> Response {
        let id = start(method, path, body, token: token)
        try run(until: { door.answers[id] != nil })
        return door.answers[id] ?? Response(status: 0)
    }

    /// Sends a request and does not wait for its answer.
    func start(
        _ method: Web.Method, _ path: String, _ body: JSON? = nil, token: String? = "operator"
    ) -> UInt64 {
        nextRequest += 1
        var headers: Headers = [:]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        door.requests.append(
            Request(
                id: nextRequest, method: method, path: path, headers: headers,
                body: body?.serialized() ?? []))
        return nextRequest
    }

    /// Answers `POST /v1/streams/timer` by status.
    func mend(_ body: JSON, token: String? = "operator") throws -> Int {
        try send(.post, "/v1/streams/timer", body, token: token).status
    }

    var streams: JSON { get throws { try send(.get, host.streamsPath).json } }
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
