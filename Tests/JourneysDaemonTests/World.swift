import API
import Directory
import JourneysCore
import Model
import Parsing
import Runtime
import Store
import TestSupport
import Web

@testable import JourneysDaemon

func person(_ number: UInt64) -> PersonID { PersonID(ID128(high: 1, low: number)) }
func device(_ number: UInt64) -> DeviceID { DeviceID(ID128(high: 2, low: number)) }
func circle(_ number: UInt64) -> CircleID { CircleID(ID128(high: 4, low: number)) }

let start = Timestamp("2026-11-20T10:20:00.000Z")!

/// The service and the process around journeys, with a manual clock; outputs of a turn are visible
/// once it is committed.
final class World: JourneysHost, JourneysOwner {
    var now = start
    var replica = Replica()
    var diskPressure = DiskPressure.none
    var answers: [UInt64: Response] = [:]
    /// Answers that come piece by piece, as far as committed.
    var streams: [UInt64: (response: Response, isOpen: Bool, isWhole: Bool)] = [:]
    /// What every client has not taken yet, bytes.
    var unsent = 0
    /// Viewer, person and hour of each access.
    private(set) var accesses: Set<String> = []
    private(set) var database: Database
    private(set) var journeys: JourneyService!
    private var core = Journeys(Journeys.Stored())
    private var unanswered: [(UInt64, Response)] = []
    private var unstreamed: [(UInt64, StreamStep)] = []
    private var nextRequest: UInt64 = 1
    private var pending: [UInt64: String] = [:]
    private var kept: [String: Response] = [:]
    private let folder: TemporaryFolder

    /// The token of a phone is `phone-n`, of a person `person-n`, of the operator `operator`.
    init() throws {
        folder = try TemporaryFolder()
        database = try World.open(folder)
        for number in 1...3 as ClosedRange<UInt64> {
            let name = ["Anna", "Ben", "Cho"][Int(number) - 1]
            replica.apply(.personChanged(Person(id: person(number), name: name)))
        }
        try restart()
    }

    /// The process dies and starts again over its store.
    func restart() throws {
        dropUncommitted()
        streams = [:]
        journeys = nil
        database = try World.open(folder)
        journeys = JourneyService(host: self, database: database)
        core = Journeys(try journeys.store.load())
        try turn { try journeys.start() }
        while journeys.nextDeadline != nil { try turn {} }
    }

    private static func open(_ folder: TemporaryFolder) throws -> Database {
        let database = try Database(
            path: folder.file("store.sqlite"),
            migrations: [
                Migration(number: 1, sql: JourneyStore.tables),
                Migration(number: 2, sql: JourneyStore.columnsOfMovement),
            ])
        // Made-up crashes lose no pages of the disk.
        try database.run("PRAGMA synchronous = OFF")
        return database
    }

    // MARK: Turns

    func turn(_ body: () throws -> Void) throws {
        try database.transaction { try run(body) }
        for (id, response) in unanswered { answers[id] = response }
        for (id, step) in unstreamed { say(id, step) }
        dropUncommitted()
    }

    /// A turn whose transaction cannot be committed.
    func failingTurn(_ body: () throws -> Void) throws {
        try database.begin()
        try run(body)
        database.rollback()
        dropUncommitted()
        journeys.reload()
        core = Journeys(try journeys.store.load())
    }

    private func run(_ body: () throws -> Void) throws {
        try body()
        try handleJourneys(.turnEnd)
        try journeys.tick()
    }

    private func dropUncommitted() {
        unanswered = []
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

    // MARK: Requests

    private static let router = Router(IngestOperation.table)

    func request(
        _ method: Web.Method, _ path: String, _ body: String = "", token: String,
        headers: Headers = [:]
    ) -> Request {
        var headers = headers
        headers["Authorization"] = "Bearer \(token)"
        defer { nextRequest += 1 }
        let parts = path.split(separator: "?", maxSplits: 1)
        return Request(
            id: nextRequest, method: method, path: String(parts[0]),
            query: parts.count > 1 ? Query(encoded: parts[1]) : Query(), headers: headers,
            body: Array(body.utf8), remote: "192.0.2.1", trace: "trace-\(nextRequest)")
    }

    func handle(_ request: Request) throws {
        guard case .found(let found, let parameters) = World.router.route(request),
            case .journeys(let operation) = found.id
        else { throw Unanswered() }
        do {
            try JourneyRequests(journeys, owner: self).handle(
                request, operation, parameters, by: try principal(of: request))
        } catch let problem as Problem {
            pending[request.id] = nil
            answer(request.id, .problem(problem))
        }
    }

    private func principal(of request: Request) throws -> Principal {
        let token = Credentials(request.headers)?.token ?? ""
        let number = token.split(separator: "-").last.flatMap { UInt64($0) } ?? 0
        if token == "operator" { return .operator }
        return token.hasPrefix("phone")
            ? .device(device(number), of: person(number)) : .person(person(number))
    }

    /// Sends a request in a turn of its own.
    @discardableResult
    func send(
        _ method: Web.Method, _ path: String, _ body: String = "", token: String,
        headers: Headers = [:]
    ) throws -> Response {
        let request = request(method, path, body, token: token, headers: headers)
        try turn { try handle(request) }
        guard let answer = answers[request.id] else { throw Unanswered() }
        return answer
    }

    struct Unanswered: Error {}

    // MARK: The service

    func handleJourneys(_ input: Journeys.Input) throws {
        var turn = Turn<Journeys.Effect>(now: now, directory: replica)
        core.handle(input, &turn)
        for effect in turn.effects { try journeys.perform(effect, for: self) }
    }

    func isRepeated(_ request: Request, by principal: Principal) throws -> Bool {
        guard let key = request.headers["Idempotency-Key"] else { return false }
        let whole = "\(principal) \(key) \(request.path) \(request.body)"
        if let response = kept[whole] {
            answer(request.id, response)
            return true
        }
        pending[request.id] = whole
        return false
    }

    func respond(to request: UInt64, _ response: Response) throws {
        if let key = pending.removeValue(forKey: request) { kept[key] = response }
        answer(request, response)
    }

    func recordAccess(
        by principal: Principal, to person: PersonID, as kind: AccessKind, reason: String?
    ) throws {
        accesses.insert("\(principal) \(person) \(now.seconds / 3600)")
    }

    // MARK: The process

    func answer(_ id: UInt64, _ response: Response) { unanswered.append((id, response)) }

    func stream(_ id: UInt64, _ step: StreamStep) { unstreamed.append((id, step)) }

    func unsentBytes(of id: UInt64) -> Int? { streams[id]?.isOpen == true ? unsent : nil }
}

extension Response {
    var json: JSON { (try? JSON.parse(body)) ?? .null }
    var text: String { String(decoding: body, as: UTF8.self) }
}
