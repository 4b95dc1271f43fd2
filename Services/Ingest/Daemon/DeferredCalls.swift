import Dialects
import Directory
import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Store
import Web

/// Calls for help that could not be processed, stored as they arrived until they are raised.
///
/// Each is retried with its content, then as a bare call without position and note. A raised call
/// is kept for a week for the operator.
final class DeferredCalls {
    static let migration = """
        CREATE TABLE kept_call (
            id BLOB PRIMARY KEY,
            person BLOB NOT NULL,
            device BLOB,
            client TEXT NOT NULL,
            path TEXT NOT NULL,
            query TEXT NOT NULL,
            body BLOB NOT NULL,
            received INTEGER NOT NULL,
            trace TEXT NOT NULL,
            reason TEXT NOT NULL,
            tries INTEGER NOT NULL,
            due INTEGER NOT NULL,
            raised INTEGER
        ) STRICT, WITHOUT ROWID;
        """

    /// A stored call.
    struct Row {
        var id: ID128
        var person: PersonID
        var device: DeviceID?
        /// The app that sent it; nil = `POST /v1/emergencies`.
        var client: ClientApp?
        var path: String
        var payload: PhonePayload
        var received: Timestamp
        var trace: String
        var reason: String

        var principal: Principal { device.map { .device($0, of: person) } ?? .person(person) }

        /// The call without anything but its person and time.
        var bare: EmergencyCall {
            EmergencyCall(
                trigger: client == nil
                    ? JagaEmergency.read(payload.body, received: received).trigger : .panic,
                messageID: "kept \(id.text)", raised: received)
        }
    }

    private let database: Database
    /// Time of the next retry; nil = none is waiting.
    private(set) var due: Timestamp?
    private(set) var waiting = 0
    /// Raised within the last week.
    private(set) var raised = 0

    init(database: Database) { self.database = database }

    /// Loads the counters; at start and after a rollback.
    func load() throws {
        let found = try database.first(
            """
            SELECT min(due) FILTER (WHERE raised IS NULL), count(*) FILTER (WHERE raised IS NULL),
                count(raised)
            FROM kept_call
            """
        ) { (due: $0.optionalTime(0), waiting: $0.int(1), raised: $0.int(2)) }
        (due, waiting, raised) = (found?.due, found?.waiting ?? 0, found?.raised ?? 0)
    }

    /// Stores a call, unless many of the person are waiting already.
    func keep(_ row: Row, at now: Timestamp) throws {
        let known = try database.first(
            "SELECT count(*) FROM kept_call WHERE person = ? AND raised IS NULL", .id(row.person)
        ) { $0.int(0) }
        guard (known ?? 0) < Limits.deferredCallsPerPerson else { return }
        try database.run(
            """
            INSERT OR IGNORE INTO kept_call (id, person, device, client, path, query, body,
                received, trace, reason, tries, due)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
            """,
            .id(row.id), .id(row.person), .id(row.device), .text(row.client?.rawValue ?? ""),
            .text(row.path), .text(row.payload.query.encoded),
            .blob(Array(row.payload.body.prefix(Limits.deferredCallBytes))), .time(row.received),
            .text(row.trace), .text(row.reason), .time(now))
        try load()
    }

    /// The call whose retry is due longest.
    func next(at now: Timestamp) throws -> Row? {
        try database.first(
            """
            SELECT id, person, device, client, path, query, body, received, trace, reason
            FROM kept_call WHERE raised IS NULL AND due <= ? ORDER BY due, id LIMIT 1
            """, .time(now)
        ) { row in
            Row(
                id: row.id(0), person: row.id(1), device: row.optionalID(2),
                client: ClientApp(rawValue: row.text(3)), path: row.text(4),
                payload: PhonePayload(query: Query(encoded: row.text(5)), body: row.blob(6)),
                received: row.time(7), trace: row.text(8), reason: row.text(9))
        }
    }

    func recordRaised(_ id: ID128, at now: Timestamp) throws {
        try database.run("UPDATE kept_call SET raised = ? WHERE id = ?", .time(now), .id(id))
        try load()
    }

    /// Schedules the next retry after 1 s, 5 s, 15 s, then every 60 s.
    func postpone(_ id: ID128, at now: Timestamp) throws {
        try database.run(
            """
            UPDATE kept_call SET tries = tries + 1, due = ?1 + 1000000 * CASE tries
                WHEN 0 THEN 1 WHEN 1 THEN 5 WHEN 2 THEN 15 ELSE 60 END
            WHERE id = ?2
            """, .time(now), .id(id))
        try load()
    }

    /// Deletes calls that were raised before a time.
    func forget(raisedBefore time: Timestamp) throws {
        guard raised > 0 else { return }
        try database.run("DELETE FROM kept_call WHERE raised < ?", .time(time))
        try load()
    }
}

// Calls for help whose request failed.
extension IngestService {
    /// Whether a request is an authenticated call for help.
    func isEmergencyRequest(_ request: Request) -> Bool {
        deferredCall(of: request, because: "") != nil
    }

    /// Stores a call for help as it arrived.
    ///
    /// - Returns: success in the protocol of the request; nil if it is not an authenticated call
    ///   for help
    /// - Throws: errors of the store
    func deferCall(_ request: Request, because reason: String) throws -> Response? {
        guard let row = deferredCall(of: request, because: reason) else { return nil }
        try deferredCalls.keep(row, at: host.now)
        return try response(toDeferred: row)
    }

    /// Stores a call for help that was published to the broker.
    ///
    /// - Returns: false if the payload is not a call for help
    func deferCall(
        _ payload: [UInt8], from device: Device, _ app: OwnTracks.App, because reason: String
    ) throws -> Bool {
        let client = ClientApp(app)
        let parsed = read(
            PhonePayload(body: payload), of: client, received: host.now,
            key: deviceKeys[device.id])
        guard !parsed.panics.isEmpty else { return false }
        let request = Request(id: 0, method: .post, path: "mqtt", body: payload)
        try deferredCalls.keep(
            row(of: request, device.person, device.id, client: client, because: reason),
            at: host.now)
        host.log.error(
            "call for help stored for retry",
            ["device": device.id, "reason": reason])
        return true
    }

    private func deferredCall(of request: Request, because reason: String) -> DeferredCalls.Row? {
        switch Endpoint.router.route(request) {
        case .found(.emergencies, _):
            let former = formerCaller(Credentials(request.headers).map { [$0.token] } ?? [])
            let principal =
                host.principal(of: request)
                ?? former.map { Principal.device($0.device, of: $0.person) }
            guard let principal, let person = principal.person else { return nil }
            var device: DeviceID?
            if case .device(let id, _) = principal { device = id }
            return row(of: request, person, device, client: nil, because: reason)
        case .found(.reports, _):
            guard case .device(let device, let person) = host.principal(of: request) else {
                return nil
            }
            let payload = PhonePayload(body: request.body)
            let reading = read(payload, of: .jaga, received: host.now)
            guard !reading.panics.isEmpty else { return nil }
            return row(of: request, person, device, client: .jaga, because: reason)
        case .found(.phone(let dialect), _):
            return phoneCall(of: request, dialect, token: nil, because: reason)
        case .found(.phoneByToken(let dialect), let parameters):
            return phoneCall(of: request, dialect, token: parameters["token"], because: reason)
        default: return nil
        }
    }

    private func phoneCall(
        of request: Request, _ dialect: PhoneDialect, token: String?, because reason: String
    ) -> DeferredCalls.Row? {
        let caller =
            (try? self.caller(of: request, token: token))
            ?? formerCaller(Array(PhoneCredentials(request, token: token)))
        guard let caller else { return nil }
        let parsed = read(request, as: dialect, from: caller)
        guard !parsed.reading.panics.isEmpty else { return nil }
        var row = row(
            of: request, caller.person, caller.device, client: parsed.client, because: reason)
        row.path = "phone"
        row.payload.body = row.payload.body.without(caller.secret)
        row.payload.query.items.removeAll { $0.value == caller.secret }
        return row
    }

    private func row(
        of request: Request, _ person: PersonID, _ device: DeviceID?, client: ClientApp?,
        because reason: String
    ) -> DeferredCalls.Row {
        DeferredCalls.Row(
            id: Hash.id(
                .id(person), device.map { .id($0) } ?? .none, .text(request.path),
                .text(request.query.encoded), .bytes(request.body),
                .number(host.now.microseconds)),
            person: person, device: device, client: client, path: request.path,
            payload: PhonePayload(query: request.query, body: request.body),
            received: host.now, trace: request.trace, reason: reason)
    }

    private func response(toDeferred row: DeferredCalls.Row) throws -> Response {
        guard let client = row.client else {
            return Responses.response(to: .emergency(view(of: row)), status: 202)
        }
        let nothing = Answer.reports(ReportsAnswer(accepted: 0, duplicates: 0))
        if client == .jaga { return Responses.response(to: nothing, status: 202) }
        let form: PhoneResponse =
            if let app = client.ownTracks {
                .ownTracks(OwnTracksForm(app: app, key: nil))
            } else if client == .overland {
                .overland
            } else {
                .empty
            }
        return try response(to: nothing, as: form)
    }

    private func view(of row: DeferredCalls.Row) -> EmergencyView {
        let id = DerivedID.signal(
            row.bare.trigger, person: row.person, device: row.device,
            messageID: row.bare.messageID ?? "")
        return EmergencyView(
            id: id, emergency: id, person: row.person, trigger: row.bare.trigger,
            state: .countdown, deliveryState: .none, raised: row.received, received: row.received,
            countdownEnds: row.received + .seconds(Limits.countdownSeconds))
    }

    // MARK: Tries

    /// When the next stored call is retried.
    var deferredCallDue: Timestamp? { deferredCalls.due }

    /// Raises the stored call that is due. Each attempt has its own transaction.
    ///
    /// - Parameter isBare: whether to drop its content
    /// - Throws: the error that prevents it
    func retryDeferredCall(isBare: Bool) throws {
        guard let row = try deferredCalls.next(at: host.now) else { return }
        var call = row.bare
        if !isBare, row.client == nil {
            let parsed = JagaEmergency.read(row.payload.body, received: row.received)
            call.countdownSeconds = parsed.countdownSeconds
            call.note = parsed.note
            call.observation = parsed.observation
        } else if !isBare, let client = row.client {
            let key = row.device.flatMap { deviceKeys[$0] }
            let parsed = read(
                row.payload, of: client, received: row.received, key: key, device: row.device)
            let panic = parsed.panics.first
            call.raised = panic?.raised ?? call.raised
            call.observation = panic?.fix.map { fix in
                parsed.observations.first { $0.fix == fix } ?? Observation(fix: fix)
            }
        }
        try handle(
            .emergency(
                EmergencyRequest(
                    request: 0, principal: row.principal, call: call,
                    chance: SecureRandom.id(), trace: row.trace)))
        try deferredCalls.recordRaised(row.id, at: host.now)
        host.log.error(
            isBare
                ? "stored call for help raised without details"
                : "stored call for help raised",
            [
                "emergency": view(of: row).id, "trace": row.trace,
                "hint": "Report this to the Jaga project and upgrade.",
            ])
    }

    /// Schedules the next retry of the stored call that is due.
    func postponeDeferredCall() throws {
        guard let row = try deferredCalls.next(at: host.now) else { return }
        try deferredCalls.postpone(row.id, at: host.now)
    }

    var deferredCallAlarms: [String] {
        var alarms: [String] = []
        if deferredCalls.waiting > 0 {
            alarms.append(
                "calls for help cannot be processed, and nobody is notified:"
                    + " \(deferredCalls.waiting); see the log")
        }
        return alarms
    }

    func writeDeferredCalls(to metrics: Metrics) {
        metrics.gauge(
            "jaga_ingest_unprocessed_calls",
            "Calls for help that could not be processed and wait for a retry."
        ).set(Double(deferredCalls.waiting))
        metrics.gauge(
            "jaga_ingest_raised_late_calls",
            "Calls for help of the last week that were raised by a retry."
        ).set(Double(deferredCalls.raised))
    }
}
