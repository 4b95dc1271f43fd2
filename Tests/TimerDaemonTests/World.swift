import Directory
import Hashing
import Hosting
import Model
import Parsing
import Runtime
import Store
import TestSupport
import TimerCore
import Web
import Wire

@testable import TimerDaemon

let anna = PersonID(ID128(high: 1, low: 1))
let ben = PersonID(ID128(high: 1, low: 2))
let noon = Timestamp("2026-11-20T12:00:00.000Z")!

/// The process around the timer, with a manual clock. Outputs count once their turn is committed.
/// Anna and Ben share a circle; their tokens are `anna` and `ben`, the operator's is `operator`.
final class World: TimerHost {
    var now = noon
    let log = Log(service: "timer", level: .error, descriptor: -1)
    var replica = Replica()
    let metrics = Metrics()
    /// The outage before its start.
    var outage: Outage?
    private(set) var service: TimerService!
    private(set) var database: Database
    /// Committed events on `deadlines`, without retention rounds.
    private(set) var expired: [Event] = []
    /// Committed retention rounds.
    private(set) var rounds: [Timestamp] = []
    /// Started transfers.
    private(set) var transfers: [Transfer] = []
    private var answers: [UInt64: Response] = [:]

    private let folder: TemporaryFolder
    private let alarmURL: String?
    private var unsaid: [Event] = []
    private var unanswered: [(UInt64, Response)] = []
    /// How long responses to requests with a PIN wait, by request.
    private(set) var delays: [UInt64: Duration] = [:]
    private var unsent: [Transfer] = []
    private var nextRequest: UInt64 = 1
    private var nextEvent: UInt64 = 1

    init(alarmURL: String? = nil) throws {
        self.alarmURL = alarmURL
        folder = try TemporaryFolder()
        database = try World.open(folder)
        for (person, name, number) in [(anna, "anna", "+15550100"), (ben, "ben", "+15550101")] {
            let contact = ContactPoint(
                id: ContactID(.zero), channel: .sms, address: number, verified: .zero)
            replica.apply(.personChanged(Person(id: person, name: name, contacts: [contact])))
            addToken(name, person: person)
        }
        addToken("operator")
        let members = [anna, ben].map {
            Membership(person: $0, role: .guardian, joined: noon, trackerID: "x")
        }
        replica.apply(
            .circleChanged(Circle(id: CircleID(.zero), name: "Family", members: members)))
        try restart()
    }

    /// Restarts the process with its store.
    func restart() throws {
        forget()
        service = nil
        database = try World.open(folder)
        service = TimerService(
            host: self, database: database, metrics: metrics,
            settings: TimerCore.Settings(callsAlarm: alarmURL != nil), alarmURL: alarmURL)
        try database.transaction { try service.start() }
    }

    private static func open(_ folder: TemporaryFolder) throws -> Database {
        try Database(
            path: folder.file("store.sqlite"), migrations: Main.definition.migrations)
    }

    private func addToken(_ token: String, person: PersonID? = nil) {
        let hash = Hex.encode(Hash.sha256(Array(token.utf8)))
        replica.apply(
            .credentialChanged(
                Credential(
                    id: CredentialID(Hash.id(.text(token))), hash: hash, person: person,
                    created: noon)))
    }

    // MARK: Turns

    /// Runs one turn of the loop.
    func turn(_ body: () throws -> Void = {}) throws {
        try database.transaction {
            try body()
            try service.tick()
        }
        for event in unsaid {
            if case .retentionDue(let round) = event.body {
                rounds.append(round.at)
            } else {
                expired.append(event)
            }
        }
        for (id, response) in unanswered { answers[id] = response }
        transfers += unsent
        forget()
    }

    /// Runs a turn whose transaction cannot be committed.
    func failingTurn(_ body: () throws -> Void = {}) throws {
        try database.begin()
        try body()
        try service.tick()
        database.rollback()
        forget()
        try service.reload()
    }

    private func forget() {
        unsaid = []
        unanswered = []
        unsent = []
    }

    /// Advances time and runs a turn at each deadline of the timer.
    func pass(_ length: Duration) throws {
        let end = now + length
        while let next = service.nextDeadline, next <= end {
            now = max(now, next)
            try turn()
        }
        now = end
        try turn()
    }

    func receive(_ body: EventBody) throws {
        try turn {
            try service.apply(event(body), from: .sos, at: .unknown)
        }
    }

    func event(_ body: EventBody) -> Event {
        defer { nextEvent += 1 }
        return Event(
            id: EventID(ID128(high: 50, low: nextEvent)), time: now, trace: "trace", body: body)
    }

    // MARK: Requests

    func request(
        _ method: Web.Method, _ path: String, _ body: String = "", token: String? = nil,
        key: String? = nil
    ) -> Request {
        var headers = Headers()
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if let key { headers["Idempotency-Key"] = key }
        defer { nextRequest += 1 }
        return Request(
            id: nextRequest, method: method, path: path, headers: headers, body: Array(body.utf8),
            trace: "trace-\(nextRequest)")
    }

    /// Sends a request in its own turn.
    @discardableResult
    func send(
        _ method: Web.Method, _ path: String, _ body: String = "", token: String? = nil,
        key: String? = nil
    ) throws -> Response {
        let request = request(method, path, body, token: token, key: key)
        try turn { try service.handle(request) }
        guard let answer = answers.removeValue(forKey: request.id) else { throw Unanswered() }
        return answer
    }

    struct Unanswered: Error {}

    // MARK: TimerHost

    func principal(of request: Request) -> Principal? {
        guard let token = Credentials(request.headers)?.token else { return nil }
        return replica.principal(tokenHash: Hex.encode(Hash.sha256(Array(token.utf8))), at: now)
    }

    func answer(_ id: UInt64, _ response: Response) { unanswered.append((id, response)) }

    func answer(_ id: UInt64, _ response: Response, after delay: Duration) {
        delays[id] = delay
        unanswered.append((id, response))
    }

    func publish(_ event: Event, on stream: StreamName) throws {
        guard stream == .deadlines else { throw Unanswered() }
        _ = try EventCodec.encode(event)
        unsaid.append(event)
    }

    func start(_ transfer: Transfer) { unsent.append(transfer) }
}

extension Response {
    var json: JSON { (try? JSON.parse(body)) ?? .null }
}
