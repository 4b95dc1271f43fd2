import Dialects
import Directory
import Hashing
import IngestCore
import Model
import Parsing
import Runtime
import Store
import Web

/// Calls for help that could not be processed, stored as they came until they are raised.
///
/// Each is tried again with what it says, then as a bare call without place and words: somebody is
/// in danger, whatever else cannot be understood. A call that was raised stays for a week, for the
/// operator to look at.
final class KeptCalls {
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
        /// The app that sent it; nil: `POST /v1/emergencies`.
        var client: ClientApp?
        var path: String
        var payload: PhonePayload
        var received: Timestamp
        var trace: String
        var reason: String

        var principal: Principal { device.map { .device($0, of: person) } ?? .person(person) }

        /// The call without anything but who called and when.
        var bare: EmergencyCall {
            EmergencyCall(
                trigger: client == nil
                    ? JagaEmergency.read(payload.body, received: received).trigger : .panic,
                messageID: "kept \(id.text)", raised: received)
        }
    }

    private let database: Database
    /// When the next one is to be tried; nil: none waits.
    private(set) var due: Timestamp?
    private(set) var waiting = 0
    /// Raised within the last week.
    private(set) var raised = 0

    init(database: Database) { self.database = database }

    /// Reads what waits; at the start and after a rollback.
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

    /// Stores a call. Where many of a person wait already, one more says nothing new.
    func keep(_ row: Row, at now: Timestamp) throws {
        let known = try database.first(
            "SELECT count(*) FROM kept_call WHERE person = ? AND raised IS NULL", .id(row.person)
        ) { $0.int(0) }
        guard (known ?? 0) < Limits.keptCallsOfPerson else { return }
        try database.run(
            """
            INSERT OR IGNORE INTO kept_call (id, person, device, client, path, query, body,
                received, trace, reason, tries, due)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
            """,
            .id(row.id), .id(row.person), .id(row.device), .text(row.client?.rawValue ?? ""),
            .text(row.path), .text(row.payload.query.encoded),
            .blob(Array(row.payload.body.prefix(Limits.keptCallBytes))), .time(row.received),
            .text(row.trace), .text(row.reason), .time(now))
        try load()
    }

    /// The call that has waited longest for its next try.
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

    func noteRaised(_ id: ID128, at now: Timestamp) throws {
        try database.run("UPDATE kept_call SET raised = ? WHERE id = ?", .time(now), .id(id))
        try load()
    }

    /// The call failed once more: its next try is 1 s, 5 s, 15 s, then every 60 s later.
    func postpone(_ id: ID128, at now: Timestamp) throws {
        try database.run(
            """
            UPDATE kept_call SET tries = tries + 1, due = ?1 + 1000000 * CASE tries
                WHEN 0 THEN 1 WHEN 1 THEN 5 WHEN 2 THEN 15 ELSE 60 END
            WHERE id = ?2
            """, .time(now), .id(id))
        try load()
    }

    /// Removes what was raised long ago.
    func forget(raisedBefore time: Timestamp) throws {
        guard raised > 0 else { return }
        try database.run("DELETE FROM kept_call WHERE raised < ?", .time(time))
        try load()
    }
}

// Calls for help that the turn of their request cannot take in.
extension IngestService {
    /// Whether a request calls for help, with a credential that may.
    func callsForHelp(_ request: Request) -> Bool { keptCall(of: request, because: "") != nil }

    /// Stores a call for help as it came.
    ///
    /// - Returns: what its protocol takes as success; nil where the request is no call for help, or
    ///   not by a valid credential
    /// - Throws: errors of the store
    func keepCall(_ request: Request, because reason: String) throws -> Response? {
        guard let row = keptCall(of: request, because: reason) else { return nil }
        try keptCalls.keep(row, at: outside.now)
        return try response(toKept: row)
    }

    /// Stores a call for help that a phone has published.
    ///
    /// - Returns: false where the payload is no call for help
    func keepCall(
        _ payload: [UInt8], from device: Device, _ app: OwnTracks.App, because reason: String
    ) throws -> Bool {
        let client = ClientApp(app)
        let said = read(
            PhonePayload(body: payload), of: client, received: outside.now,
            key: deviceKeys[device.id])
        guard !said.panics.isEmpty else { return false }
        let request = Request(id: 0, method: .post, path: "mqtt", body: payload)
        try keptCalls.keep(
            row(of: request, device.person, device.id, client: client, because: reason),
            at: outside.now)
        outside.log.error(
            "a call for help cannot be processed; it is kept as it came and tried again",
            ["device": device.id, "reason": reason])
        return true
    }

    private func keptCall(of request: Request, because reason: String) -> KeptCalls.Row? {
        switch Endpoint.router.route(request) {
        case .found(.emergencies, _):
            let former = formerCaller(Credentials(request.headers).map { [$0.token] } ?? [])
            let principal =
                outside.principal(of: request)
                ?? former.map { Principal.device($0.device, of: $0.person) }
            guard let principal, let person = principal.person else { return nil }
            var device: DeviceID?
            if case .device(let id, _) = principal { device = id }
            return row(of: request, person, device, client: nil, because: reason)
        case .found(.reports, _):
            guard case .device(let device, let person) = outside.principal(of: request) else {
                return nil
            }
            let payload = PhonePayload(body: request.body)
            let reading = read(payload, of: .jaga, received: outside.now)
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
    ) -> KeptCalls.Row? {
        let caller =
            (try? self.caller(of: request, token: token))
            ?? formerCaller(Array(PhoneCredentials(request, token: token)))
        guard let caller else { return nil }
        let said = read(request, as: dialect, from: caller)
        guard !said.reading.panics.isEmpty else { return nil }
        var row = row(
            of: request, caller.person, caller.device, client: said.client, because: reason)
        row.path = "phone"
        row.payload.body = row.payload.body.without(caller.secret)
        row.payload.query.items.removeAll { $0.value == caller.secret }
        return row
    }

    private func row(
        of request: Request, _ person: PersonID, _ device: DeviceID?, client: ClientApp?,
        because reason: String
    ) -> KeptCalls.Row {
        KeptCalls.Row(
            id: Hash.id(
                .id(person), device.map { .id($0) } ?? .none, .text(request.path),
                .text(request.query.encoded), .bytes(request.body),
                .number(outside.now.microseconds)),
            person: person, device: device, client: client, path: request.path,
            payload: PhonePayload(query: request.query, body: request.body),
            received: outside.now, trace: request.trace, reason: reason)
    }

    private func response(toKept row: KeptCalls.Row) throws -> Response {
        guard let client = row.client else {
            return Answers.response(to: .emergency(view(of: row)), status: 202)
        }
        let nothing = Answer.reports(ReportsAnswer(accepted: 0, duplicates: 0))
        if client == .jaga { return Answers.response(to: nothing, status: 202) }
        let form: PhoneAnswer =
            if let app = client.ownTracks {
                .ownTracks(OwnTracksForm(app: app, key: nil))
            } else if client == .overland {
                .overland
            } else {
                .empty
            }
        return try response(to: nothing, as: form)
    }

    private func view(of row: KeptCalls.Row) -> EmergencyView {
        let id = Meaning.signal(
            row.bare.trigger, person: row.person, device: row.device,
            messageID: row.bare.messageID ?? "")
        return EmergencyView(
            id: id, emergency: id, person: row.person, trigger: row.bare.trigger,
            state: .countdown, told: .none, raised: row.received, received: row.received,
            countdownEnds: row.received + .seconds(Limits.countdownSeconds))
    }

    // MARK: Tries

    /// When the next kept call is to be tried.
    var keptCallDue: Timestamp? { keptCalls.due }

    /// Raises the kept call that is due; each try has a transaction of its own.
    ///
    /// - Parameter isBare: without anything that it says
    /// - Throws: whatever keeps it from being raised
    func retryKeptCall(isBare: Bool) throws {
        guard let row = try keptCalls.next(at: outside.now) else { return }
        var call = row.bare
        if !isBare, row.client == nil {
            let said = JagaEmergency.read(row.payload.body, received: row.received)
            call.countdownSeconds = said.countdownSeconds
            call.note = said.note
            call.observation = said.observation
        } else if !isBare, let client = row.client {
            let key = row.device.flatMap { deviceKeys[$0] }
            let said = read(
                row.payload, of: client, received: row.received, key: key, device: row.device)
            let panic = said.panics.first
            call.raised = panic?.raised ?? call.raised
            call.observation = panic?.fix.map { fix in
                said.observations.first { $0.fix == fix } ?? Observation(fix: fix)
            }
        }
        try take(
            .emergency(
                EmergencyRequest(
                    request: 0, principal: row.principal, call: call,
                    chance: SecureRandom.id(), trace: row.trace)))
        try keptCalls.noteRaised(row.id, at: outside.now)
        outside.log.error(
            isBare
                ? "a call for help was raised without its details, which cannot be processed"
                : "a call for help that could not be processed was raised at a further try",
            [
                "emergency": view(of: row).id, "trace": row.trace,
                "hint": "Tell the makers of Jaga; upgrade.",
            ])
    }

    /// The kept call that is due failed in every way: it is tried again later.
    func postponeKeptCall() throws {
        guard let row = try keptCalls.next(at: outside.now) else { return }
        try keptCalls.postpone(row.id, at: outside.now)
    }

    var keptCallAlarms: [String] {
        var alarms: [String] = []
        if keptCalls.waiting > 0 {
            alarms.append(
                "calls for help cannot be processed, and nobody is notified of them:"
                    + " \(keptCalls.waiting); see the log")
        }
        return alarms
    }

    func writeKeptCalls(to metrics: Metrics) {
        metrics.gauge(
            "jaga_ingest_unprocessed_calls",
            "Calls for help that could not be processed and wait to be raised."
        ).set(Double(keptCalls.waiting))
        metrics.gauge(
            "jaga_ingest_raised_late_calls",
            "Calls for help of the last week that were raised at a further try."
        ).set(Double(keptCalls.raised))
    }
}
