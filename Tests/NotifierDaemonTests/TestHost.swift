import Directory
import Foundation
import Gateways
import Hashing
import Hosting
import Model
import Parsing
import Runtime
import Store
import TestSupport
import Web
import Wire

@testable import NotifierDaemon

func person(_ number: UInt64) -> PersonID { PersonID(ID128(high: 1, low: number)) }
func emergency(_ number: UInt64) -> EmergencyID { EmergencyID(ID128(high: 9, low: number)) }

let family = CircleID(ID128(high: 3, low: 1))
let noon = Timestamp("2026-11-20T04:00:00.000Z")!

/// Host of the notifier with a manual clock. The output of a turn is visible after its commit.
final class TestHost: NotifierHost {
    var now = noon
    var log = Log(service: "notifier", level: .error)
    var replica = Replica()
    var isDirectoryFresh = true
    var diskPressure = DiskPressure.none
    var published: [Event] = []
    var answers: [UInt64: Response] = [:]
    /// How long after their turn some of them leave.
    private(set) var delays: [UInt64: Duration] = [:]
    var transfers: [Transfer] = []
    /// Steps of streamed responses.
    var steps: [UInt64: [StreamStep]] = [:]
    /// Unsent bytes of streams whose clients do not read.
    var unsent: [UInt64: Int] = [:]
    /// Streams whose clients are gone.
    var closed: Set<UInt64> = []
    var connectionsMax = 16_096
    var directoryPosition: Position?
    /// Distinguishes chains of the directory.
    var chainSalt: UInt64 = 0
    private var unstreamed: [(UInt64, StreamStep)] = []
    private var unpublished: [Event] = []
    private var unanswered: [(UInt64, Response)] = []
    private var departing: [Transfer] = []
    private var lastRequest: UInt64 = 0
    private var lastEvent: UInt64 = 0
    private let environment: [String: String]
    private let publicURL: String?

    private let folder: TemporaryFolder
    var messageKey: KeyFile { .messages(secrets: folder.path + "/secrets") }
    private(set) var database: Database
    private(set) var service: NotifierService!

    /// One circle: Aisha (1, member), Budi (2, guardian, SMS and mail), Citra (3, joins now).
    /// The token of a person is `person-n`, of the operator `operator`.
    ///
    /// - Parameters:
    ///   - environment: settings of gateways; a gateway without a login gets one
    ///   - publicURL: base URL of links in messages; nil = none
    init(
        _ environment: [String: String] = ["JAGA_SMS_GATEWAY": "sink"], publicURL: String? = nil
    ) throws {
        self.publicURL = publicURL
        folder = try TemporaryFolder()
        var settings = environment
        if settings["JAGA_SMS_GATEWAY"] ?? "sink" != "sink", settings["JAGA_SMS_USER"] == nil {
            try Files.write(Array("s3cret\n".utf8), to: folder.file("password"), mode: 0o600)
            settings["JAGA_SMS_USER"] = "jaga"
            settings["JAGA_SMS_PASSWORD_FILE"] = folder.file("password")
        }
        self.environment = settings
        database = try TestHost.open(folder)
        try addPeople()
        try restart()
    }

    private func addPeople() throws {
        for (number, name) in [(1 as UInt64, "Aisha"), (2, "Budi"), (3, "Citra"), (4, "Dewi")] {
            let contacts = [
                (Channel.sms, "+6011100000\(number)"), (.email, "\(name)@example.org"),
            ].enumerated().map { index, way in
                ContactPoint(
                    id: ContactID(ID128(high: number, low: UInt64(index))), channel: way.0,
                    address: way.1, rank: index, verified: .zero)
            }
            replica.apply(
                .personChanged(
                    Person(
                        id: person(number), name: name, timeZone: "Asia/Kuala_Lumpur",
                        contacts: number == 3 ? [] : contacts)))
            addToken("person-\(number)", of: person(number))
        }
        addToken("operator", of: nil)
        let members = [
            Membership(person: person(1), role: .member, joined: .zero, trackerID: "A1"),
            Membership(person: person(2), role: .guardian, joined: .zero, trackerID: "B1"),
            Membership(person: person(3), role: .admin, joined: noon, trackerID: "C1"),
        ]
        replica.apply(.circleChanged(Circle(id: family, name: "Family", members: members)))
        let place = Coordinate(latitude: 3.139, longitude: 101.6869)!
        replica.apply(
            .zoneChanged(
                Zone(
                    id: ZoneID(.zero), owner: .circle(family), name: "School",
                    shape: .circle(center: place, radiusCentimetres: 20_000),
                    prepared: PreparedGeometry(
                        origin: place, coefficients: [], radiusCentimetres: 20_000, polygons: [],
                        inradiusCentimetres: 20_000, reachCentimetres: 20_000))))
    }

    private func addToken(_ token: String, of person: PersonID?) {
        replica.apply(
            .credentialChanged(
                Credential(
                    id: CredentialID(Hash.id(.text(token))),
                    hash: Hex.encode(Hash.sha256(Array(token.utf8))), person: person,
                    created: noon)))
    }

    private static func open(_ folder: TemporaryFolder) throws -> Database {
        try Database(path: folder.file("store.sqlite"), migrations: Schema.migrations)
    }

    /// Restarts the process with its store.
    func restart() throws {
        unstreamed = []
        unpublished = []
        unanswered = []
        departing = []
        transfers = []
        service = nil
        database = try TestHost.open(folder)
        let configuration = try Configuration(
            settings: GatewaySettings.all, environment: environment, service: "notifier")
        service = NotifierService(
            host: self, store: NotifierStore(database: database),
            zones: TimeZoneFolder(),
            settings: NotifierSettings(
                registry: GatewayRegistry(
                    drivers: try GatewaySettings.drivers(
                        configuration, callbackBase: "http://127.0.0.1:8105")),
                map: "https://map.example/{lat}/{lon}",
                hasReplies: configuration.flag("JAGA_SMS_REPLIES"), publicURL: publicURL),
            messageKey: messageKey)
        try turn { try $0.start() }
    }

    /// Runs one turn and commits it.
    func turn(_ body: (NotifierService) throws -> Void) throws {
        try database.begin()
        try body(service)
        try service.tick()
        try database.commit()
        service.committed()
        published += unpublished
        for (id, response) in unanswered { answers[id] = response }
        for (id, step) in unstreamed { steps[id, default: []].append(step) }
        transfers += departing
        unstreamed = []
        unpublished = []
        unanswered = []
        departing = []
    }

    /// Runs one turn and rolls it back.
    func rolledBackTurn(_ body: (NotifierService) throws -> Void) throws {
        let before = (replica, directoryPosition)
        try database.begin()
        try body(service)
        database.rollback()
        (replica, directoryPosition) = before
        unstreamed = []
        unpublished = []
        unanswered = []
        departing = []
        try service.reload()
    }

    func receive(_ body: EventBody, on stream: StreamName = .sos) throws {
        lastEvent += 1
        try receive(
            Event(id: EventID(ID128(high: 8, low: lastEvent)), time: now, body: body), on: stream)
    }

    func receive(_ event: Event, on stream: StreamName = .sos) throws {
        let position = Position(incarnation: .zero, sequence: 1, hash: 0)
        try turn { try $0.apply(event, from: stream, at: position) }
    }

    /// Sends a request. Its answer may come in a later turn.
    @discardableResult
    func send(
        _ method: Method, _ path: String, _ body: String = "", as token: String? = "operator",
        query: String = "", headers: [(String, String)] = []
    ) throws -> UInt64 {
        lastRequest += 1
        var request = Request(
            id: lastRequest, method: method, path: path, query: Query(encoded: query),
            body: Array(body.utf8), trace: "trace-\(lastRequest)")
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        for (name, value) in headers { request.headers[name] = value }
        try turn { try $0.handle(request) }
        return lastRequest
    }

    func get(
        _ path: String, as token: String? = "operator", query: String = ""
    ) throws -> (status: Int, json: JSON) {
        try answer(to: try send(.get, path, as: token, query: query))
    }

    func post(
        _ path: String, _ body: String = "", as token: String? = "operator",
        headers: [(String, String)] = []
    ) throws -> (status: Int, json: JSON) {
        try answer(to: try send(.post, path, body, as: token, headers: headers))
    }

    func answer(to id: UInt64) throws -> (status: Int, json: JSON) {
        guard let response = answers[id] else { return (0, nil) }
        return (response.status, (try? JSON.parse(response.body)) ?? nil)
    }

    /// Everything in the store's files.
    func storeText() -> String {
        ["", "-wal"].map { end in
            let bytes = FileManager.default.contents(atPath: folder.file("store.sqlite" + end))
            return String(decoding: bytes ?? Data(), as: UTF8.self)
        }.joined()
    }

    // NotifierHost

    func principal(of request: Request) -> Principal? {
        guard let credentials = Credentials(request.headers) else { return nil }
        return replica.principal(
            tokenHash: Hex.encode(Hash.sha256(Array(credentials.token.utf8))), at: now)
    }

    func answer(_ id: UInt64, _ response: Response) { unanswered.append((id, response)) }
    func answer(_ id: UInt64, _ response: Response, after delay: Duration) {
        delays[id] = delay
        unanswered.append((id, response))
    }
    func start(_ transfer: Transfer) { departing.append(transfer) }
    func stream(_ id: UInt64, _ step: StreamStep) { unstreamed.append((id, step)) }

    func unsentBytes(of id: UInt64) -> Int? {
        guard let steps = steps[id], !closed.contains(id) else { return nil }
        return steps.contains(.end) || steps.contains(.cut) ? nil : unsent[id] ?? 0
    }

    func credential(of request: Request) -> Credential? {
        guard let credentials = Credentials(request.headers) else { return nil }
        return replica.credential(
            tokenHash: Hex.encode(Hash.sha256(Array(credentials.token.utf8))), at: now)
    }

    func publish(_ event: Event, on stream: StreamName) throws { unpublished.append(event) }
}

extension TestHost {
    static let crossing = ZoneCrossing(
        person: person(1), device: DeviceID(.zero), zone: ZoneID(.zero), zoneName: "School",
        zoneKind: .safe, circle: family, before: .outside, after: .inside, fix: fix,
        distanceCentimetres: -5000,
        marginCentimetres: 2000, reason: .insideBeyondMargin, report: ReportID(.zero))

    static let fix = Fix(
        time: noon, position: Coordinate(latitude: 3.139, longitude: 101.6869)!,
        accuracyCentimetres: 1000)

    static func opened(_ number: UInt64 = 1) -> EventBody {
        .emergencyOpened(
            EmergencyChange(
                emergency: emergency(number), person: person(1), state: .open, trigger: .panic,
                signal: emergency(number), raised: noon, countdownEnds: noon, fix: fix))
    }
}
