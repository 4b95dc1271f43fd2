import Bus
import Directory
import Foundation
import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Store
import TestSupport
import Web
import Wire

@testable import IngestDaemon

func person(_ number: UInt64) -> PersonID { PersonID(ID128(high: 1, low: number)) }
func device(_ number: UInt64) -> DeviceID { DeviceID(ID128(high: 2, low: number)) }
func circle(_ number: UInt64) -> CircleID { CircleID(ID128(high: 4, low: number)) }

let start = Timestamp("2026-11-20T10:20:00.000Z")!

/// The process around ingest, with a manual clock; outputs of a turn are visible once it is
/// committed.
final class World: IngestHost {
    var now = start
    var log = Log(service: "ingest", level: .error)
    var replica = Replica()
    var isDirectoryFresh = true
    /// Shared with the broker; nil = nothing is.
    var brokerFolder: String?
    var diskPressure = DiskPressure.none
    /// Records by stream, as far as committed.
    var records: [(stream: StreamName, event: Event)] = []
    var answers: [UInt64: Response] = [:]
    /// How long after their turn some of them leave.
    private(set) var delays: [UInt64: Duration] = [:]
    /// Answers that come piece by piece, as far as committed.
    var streams: [UInt64: (response: Response, isOpen: Bool, isWhole: Bool)] = [:]
    /// What every client has not taken yet, bytes.
    var unsent = 0
    private var unstreamed: [(UInt64, StreamStep)] = []
    /// Controls sent to evaluators in committed turns.
    var sentControls: [(control: Control, route: Route)] = []
    private var unsaid: [(stream: StreamName, event: Event)] = []
    private var pendingControls: [(Control, Route)] = []
    private var unanswered: [(UInt64, Response)] = []
    private var nextRequest: UInt64 = 1

    /// Of the limiter.
    private let limits: IngestLimits
    private let broker: FakeBroker?
    /// The address that requests come from.
    var remote = "192.0.2.1"
    var secrets: String { folder.file("secrets") }
    private let folder: TemporaryFolder
    private(set) var database: Database
    private(set) var bus: Bus!
    let network = MemoryNetwork()
    private(set) var service: IngestService!

    /// Those of the three people.
    static let partitions = Set((1...3).map { Partition.of(person($0)) }).sorted()

    /// Anna (1) and Ben (2) with a phone each in circle 1, Cho (3) alone. The token of a phone is
    /// `phone-n`, of a person `person-n`, of the operator `operator`.
    ///
    /// - Parameter broker: the operator's; nil = there is none
    init(limits: IngestLimits = .none, broker: FakeBroker? = nil) throws {
        self.limits = limits
        self.broker = broker
        folder = try TemporaryFolder()
        database = try World.open(folder)
        for number in 1...3 as ClosedRange<UInt64> {
            let name = ["Anna", "Ben", "Cho"][Int(number) - 1]
            replica.apply(.personChanged(Person(id: person(number), name: name)))
            replica.apply(
                .deviceChanged(
                    Device(id: device(number), person: person(number), name: "phone")))
            addToken("phone-\(number)", person: number, device: number)
            addToken("person-\(number)", person: number)
        }
        addToken("operator")
        let members = [1, 2].map { number in
            Membership(
                person: person(number), role: .member, joined: start, trackerID: "T\(number)")
        }
        replica.apply(.circleChanged(Circle(id: circle(1), name: "Family", members: members)))
        try restart()
    }

    /// The process dies and starts again over its store.
    func restart() throws {
        unsaid = []
        unanswered = []
        unstreamed = []
        streams = [:]
        pendingControls = []
        service = nil
        bus?.close()
        bus = nil
        database = try World.open(folder)
        bus = try openBus()
        service = IngestService(
            host: self, database: database, secrets: secrets, sosWord: "SOS",
            pressesWithinSeconds: 5, limits: limits, logicNewest: 2,
            mqtt: broker.map { MQTTIntake(broker: $0, prefix: "owntracks") },
            brokerFolder: brokerFolder)
        try turn { try service.start() }
        while let due = service.nextDeadline, due <= now { try turn {} }
    }

    private static func open(_ folder: TemporaryFolder) throws -> Database {
        let database = try Database(
            path: folder.file("store.sqlite"),
            migrations: SQLiteBusStore.migrations + Tables.migrations)
        // Made-up crashes lose no pages of the disk.
        try database.run("PRAGMA synchronous = OFF")
        return database
    }

    /// With the streams of ingest.
    private func openBus() throws -> Bus {
        var configuration = Bus.Configuration(name: "ingest")
        configuration.served =
            [Bus.Served(.sos)]
            + Partition.all.map { Bus.Served(.input($0), isSnapshotable: true) }
            + Partition.all.map { Bus.Served(.events($0), isDerived: true) }
        configuration.publishEndpoint = "publish"
        configuration.controlEndpoint = "control"
        configuration.derivedEndpoint = "computed"
        let bus = try Bus(
            configuration: configuration, store: SQLiteBusStore(database),
            transport: network.join(configuration), newID: SecureRandom.id,
            clock: { [unowned self] in moment })
        bus.hooks.coordinate = { [unowned self] in try service.coordinate($0, from: $1) }
        bus.hooks.snapshot = { [unowned self] in try service.snapshotRecords(of: $0) }
        return bus
    }

    /// For buses: nothing but the clock of this world goes on.
    var moment: Moment { Moment(wall: now, monotonic: now - start) }

    /// The process dies, and an older copy of its store is put in its place.
    func putBack(_ copy: String) throws {
        service = nil
        bus.close()
        bus = nil
        database = try World.open(try TemporaryFolder())
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.file("store.sqlite" + suffix))
        }
        try FileManager.default.copyItem(
            atPath: folder.file(copy), toPath: folder.file("store.sqlite"))
        try restart()
    }

    /// All that the store has on the disk.
    func storeBytes() -> [UInt8] {
        ["", "-wal"].flatMap { end in
            FileManager.default.contents(atPath: folder.file("store.sqlite" + end)).map(Array.init)
                ?? []
        }
    }

    /// Copies the store as it is.
    func copyStore(to copy: String) throws {
        try database.run("VACUUM INTO ?", .text(folder.file(copy)))
    }

    private func addToken(_ token: String, person number: UInt64? = nil, device: UInt64? = nil) {
        replica.apply(
            .credentialChanged(
                Credential(
                    id: CredentialID(Hash.id(.text(token))),
                    hash: Hex.encode(Hash.sha256(Array(token.utf8))),
                    person: number.map(IngestDaemonTests.person),
                    device: device.map(IngestDaemonTests.device), created: start)))
    }

    /// Adds a member of the staff, with the token `staff-n`.
    func addStaff(_ number: UInt64, _ name: String, _ role: StaffRole) {
        let id = IngestDaemonTests.person(number)
        replica.apply(.personChanged(Person(id: id, name: name, staff: role)))
        addToken("staff-\(number)", person: number)
    }

    /// One turn of the loop.
    func turn(_ body: () throws -> Void) throws {
        try database.transaction {
            try body()
            try service.tick()
        }
        bus.committed()
        service.committed()
        records += unsaid
        sentControls += pendingControls
        pendingControls = []
        for (id, response) in unanswered { answers[id] = response }
        unsaid = []
        unanswered = []
        for (id, step) in unstreamed { say(id, step) }
        unstreamed = []
    }

    private func say(_ id: UInt64, _ step: StreamStep) {
        switch step {
        case .begin(let response): streams[id] = (response, true, false)
        case .piece(let bytes): streams[id]?.response.body += bytes
        case .end:
            streams[id]?.isOpen = false
            streams[id]?.isWhole = true
        case .cut: streams[id]?.isOpen = false
        }
    }

    /// One turn with what others said over the bus.
    func busTurn() throws {
        try turn {
            try bus.receive { stream, position, record in
                try service.apply(EventCodec.decode(record), from: stream, at: position)
            }
        }
        try bus.tick()
    }

    /// A turn whose transaction cannot be committed.
    func failingTurn(_ body: () throws -> Void) throws {
        try database.begin()
        try body()
        try service.tick()
        database.rollback()
        try bus.rolledBack()
        unsaid = []
        unanswered = []
        unstreamed = []
        pendingControls = []
        try service.reload()
    }

    func request(
        _ method: Web.Method, _ path: String, _ body: String = "", token: String? = nil,
        headers: Headers = [:]
    ) -> Request {
        var headers = headers
        if let token { headers["Authorization"] = "Bearer \(token)" }
        defer { nextRequest += 1 }
        let parts = path.split(separator: "?", maxSplits: 1)
        return Request(
            id: nextRequest, method: method, path: String(parts[0]),
            query: parts.count > 1 ? Query(encoded: parts[1]) : Query(), headers: headers,
            body: Array(body.utf8), remote: remote, trace: "trace-\(nextRequest)")
    }

    /// Sends a request in a turn of its own.
    @discardableResult
    func send(
        _ method: Web.Method, _ path: String, _ body: String = "", token: String? = nil,
        headers: Headers = [:]
    ) throws -> Response {
        let request = request(method, path, body, token: token, headers: headers)
        try turn { try service.handle(request) }
        guard let answer = answers[request.id] else { throw Unanswered() }
        return answer
    }

    struct Unanswered: Error {}

    func receive(_ body: EventBody, id: UInt64, on stream: StreamName) throws {
        let event = Event(id: EventID(ID128(high: 50, low: id)), time: now, body: body)
        try turn { try service.apply(event, from: stream, at: .unknown) }
    }

    /// Committed records of a kind.
    func records(_ kind: EventKind) -> [Event] {
        records.map(\.event).filter { $0.kind == kind }
    }

    // MARK: Surroundings

    func principal(of request: Request) -> Principal? { credential(of: request)?.principal }

    func credential(of request: Request) -> Credential? {
        guard let token = Credentials(request.headers)?.token else { return nil }
        return replica.credential(tokenHash: Hex.encode(Hash.sha256(Array(token.utf8))), at: now)
    }

    /// Credentials of phones that were used, in order.
    private(set) var used: [CredentialID] = []

    func recordUse(of credential: CredentialID) { used.append(credential) }

    func answer(_ id: UInt64, _ response: Response) { unanswered.append((id, response)) }
    func answer(_ id: UInt64, _ response: Response, after delay: Duration) {
        delays[id] = delay
        unanswered.append((id, response))
    }

    func stream(_ id: UInt64, _ step: StreamStep) { unstreamed.append((id, step)) }

    func unsentBytes(of id: UInt64) -> Int? { streams[id]?.isOpen == true ? unsent : nil }

    func append(_ record: Record, to stream: StreamName) throws -> Position {
        unsaid.append((stream, try EventCodec.decode(record)))
        return try bus.append(record, to: stream)
    }

    func position(of stream: StreamName) -> Position? { bus.position(of: stream) }

    func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool {
        try bus.isOnChain(position, of: stream)
    }

    func reply(with control: Control, to route: Route) {
        pendingControls.append((control, route))
        bus.reply(with: control, to: route)
    }
}

extension Response {
    var json: JSON { (try? JSON.parse(body)) ?? .null }
    var text: String { String(decoding: body, as: UTF8.self) }
}
