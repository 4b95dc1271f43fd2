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
    /// A stored call.
    struct Row {
        var id: ID128
        var person: PersonID
        var device: DeviceID?
        /// The app that sent it; nil = `POST /v1/emergencies`.
        var client: PhoneProtocol?
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

        /// The id of the emergency that the call becomes, as its sender was answered.
        var emergency: EmergencyID {
            DerivedID.signal(
                bare.trigger, person: person, device: device, messageID: bare.messageID ?? "")
        }
    }

    /// A stored call and what became of it.
    struct Entry {
        var call: Row
        /// Failed tries after the first ones.
        var tries: Int64
        /// Time of the next try.
        var due: Timestamp
        /// Nil = nobody is notified yet.
        var raised: Timestamp?
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
            FROM deferred_call
            """
        ) { (due: $0.optionalTime(0), waiting: $0.int(1), raised: $0.int(2)) }
        (due, waiting, raised) = (found?.due, found?.waiting ?? 0, found?.raised ?? 0)
    }

    /// Stores a call, unless many of the person are waiting already.
    func keep(_ row: Row, at now: Timestamp) throws {
        let known = try database.first(
            "SELECT count(*) FROM deferred_call WHERE person = ? AND raised IS NULL",
            .id(row.person)
        ) { $0.int(0) }
        guard (known ?? 0) < Limits.deferredCallsPerPerson else { return }
        try database.run(
            """
            INSERT OR IGNORE INTO deferred_call (id, person, device, client, path, query, body,
                received, trace, reason, tries, due)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
            """,
            .id(row.id), .id(row.person), .id(row.device), .text(row.client?.name ?? ""),
            .text(row.path), .text(row.payload.query.encoded),
            .blob(Array(row.payload.body.prefix(Limits.deferredCallBytes))), .time(row.received),
            .text(row.trace), .text(row.reason), .time(now))
        try load()
    }

    /// The call whose retry is due longest.
    func next(at now: Timestamp) throws -> Row? {
        try database.first(
            """
            SELECT \(Row.columns)
            FROM deferred_call WHERE raised IS NULL AND due <= ? ORDER BY due, id LIMIT 1
            """, .time(now), as: Row.init)
    }

    /// Stored calls for staff: waiting ones first, the newest of each first.
    func list(from start: Int64, limit: Int) throws -> [Entry] {
        try database.all(
            """
            SELECT \(Row.columns), tries, due, raised FROM deferred_call
            ORDER BY raised IS NOT NULL, received DESC, id LIMIT ? OFFSET ?
            """, .integer(limit), .integer(start), as: Entry.init)
    }

    /// One stored call; nil if there is none.
    func entry(_ id: ID128) throws -> Entry? {
        try database.first(
            "SELECT \(Row.columns), tries, due, raised FROM deferred_call WHERE id = ?", .id(id),
            as: Entry.init)
    }

    func recordRaised(_ id: ID128, at now: Timestamp) throws {
        try database.run("UPDATE deferred_call SET raised = ? WHERE id = ?", .time(now), .id(id))
        try load()
    }

    /// Schedules the next retry after 1 s, 5 s, 15 s, then every 60 s.
    func postpone(_ id: ID128, at now: Timestamp) throws {
        try database.run(
            """
            UPDATE deferred_call SET tries = tries + 1, due = ?1 + 1000000 * CASE tries
                WHEN 0 THEN 1 WHEN 1 THEN 5 WHEN 2 THEN 15 ELSE 60 END
            WHERE id = ?2
            """, .time(now), .id(id))
        try load()
    }

    /// Deletes calls that were raised before a time.
    func forget(raisedBefore time: Timestamp) throws {
        guard raised > 0 else { return }
        try database.run("DELETE FROM deferred_call WHERE raised < ?", .time(time))
        try load()
    }

    /// What the operator must look at.
    var alarms: [String] {
        var alarms: [String] = []
        if waiting > 0 {
            alarms.append(
                "calls for help cannot be processed, and nobody is notified:"
                    + " \(waiting); run jaga emergency unprocessed")
        }
        return alarms
    }

    func write(to metrics: Metrics) {
        metrics.gauge(
            "jaga_ingest_unprocessed_calls",
            "Calls for help that could not be processed and wait for a retry."
        ).set(Double(waiting))
        metrics.gauge(
            "jaga_ingest_raised_late_calls",
            "Calls for help of the last week that were raised by a retry."
        ).set(Double(raised))
    }
}

extension DeferredCalls.Row {
    fileprivate static let columns =
        "id, person, device, client, path, query, body, received, trace, reason"

    fileprivate init(_ row: Store.Row) {
        self.init(
            id: row.id(0), person: row.id(1), device: row.optionalID(2),
            client: PhoneProtocol.named(row.text(3)), path: row.text(4),
            payload: PhonePayload(query: Query(encoded: row.text(5)), body: row.blob(6)),
            received: row.time(7), trace: row.text(8), reason: row.text(9))
    }
}

extension DeferredCalls.Entry {
    fileprivate init(_ row: Store.Row) {
        self.init(
            call: DeferredCalls.Row(row), tries: row.int64(10), due: row.time(11),
            raised: row.optionalTime(12))
    }
}

extension DeferredCalls {
    static let migrations = [
        Migration(
            number: 20,
            sql: """
                CREATE TABLE deferred_call (
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
                """)
    ]
}
