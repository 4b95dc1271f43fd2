import Model
import Store
import Wire

/// Table of dead letters: records that could not be applied or that the operator skipped, until
/// they are retried or dropped.
struct DeadLetterStore {
    static let migrations = [table, requiredColumn]
    private static let requiredColumn = Migration(
        number: 2, sql: "ALTER TABLE dead_letter ADD COLUMN required INTEGER NOT NULL DEFAULT 0",
        component: "dead-letters")
    private static let table = Migration(
        number: 1,
        sql: """
            CREATE TABLE dead_letter (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                stream TEXT NOT NULL,
                incarnation BLOB NOT NULL CHECK (length(incarnation) = 16),
                sequence INTEGER NOT NULL,
                hash INTEGER NOT NULL,
                id BLOB NOT NULL CHECK (length(id) = 16),
                kind INTEGER NOT NULL,
                schema INTEGER NOT NULL,
                payload BLOB NOT NULL,
                reason TEXT NOT NULL,
                at INTEGER NOT NULL
            ) STRICT
            """, component: "dead-letters")

    /// One dead letter.
    struct Entry {
        var number: Int64
        var stream: StreamName
        var position: Position
        var record: Record
        /// Whether an emergency depends on it, so that it is retried forever.
        var isRequired: Bool
        var reason: String
        var time: Timestamp
    }

    let database: Database

    func insert(
        _ record: Record, of stream: StreamName, at position: Position, isRequired: Bool,
        reason: String, now: Timestamp
    ) throws {
        try database.run(
            """
            INSERT INTO dead_letter (
                stream, incarnation, sequence, hash, id, kind, schema, payload, required, reason,
                at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(stream.text), .id(position.incarnation), .integer(position.sequence),
            .integer(Int64(bitPattern: position.hash)), .id(record.id), .integer(record.kind),
            .integer(record.schema), .blob(record.payload), .integer(isRequired ? 1 : 0),
            .text(reason), .time(now))
    }

    var count: Int {
        get throws { try database.first("SELECT count(*) FROM dead_letter") { $0.int(0) } ?? 0 }
    }

    /// The oldest entries.
    func entries(limit: Int) throws -> [Entry] {
        try database.all(
            "SELECT \(DeadLetterStore.columns) FROM dead_letter ORDER BY number LIMIT ?",
            .integer(limit),
            as: DeadLetterStore.entry
        ).compactMap(\.self)
    }

    /// Entries that are retried automatically, oldest first.
    var required: [Entry] {
        get throws {
            try database.all(
                """
                SELECT \(DeadLetterStore.columns) FROM dead_letter WHERE required = 1
                ORDER BY number
                """,
                as: DeadLetterStore.entry
            ).compactMap(\.self)
        }
    }

    func entry(_ number: Int64) throws -> Entry? {
        try database.first(
            "SELECT \(DeadLetterStore.columns) FROM dead_letter WHERE number = ?", .integer(number),
            as: DeadLetterStore.entry) ?? nil
    }

    func remove(_ number: Int64) throws {
        try database.run("DELETE FROM dead_letter WHERE number = ?", .integer(number))
    }

    func removeAll(of stream: StreamName) throws {
        try database.run("DELETE FROM dead_letter WHERE stream = ?", .text(stream.text))
    }

    private static let columns = """
        number, stream, incarnation, sequence, hash, kind, schema, id, payload, required, reason, at
        """

    private static func entry(_ row: Row) -> Entry? {
        guard let stream = StreamName(text: row.text(1)) else { return nil }
        return Entry(
            number: row.int64(0), stream: stream,
            position: Position(
                incarnation: row.id(2), sequence: UInt64(row.int64(3)),
                hash: UInt64(bitPattern: row.int64(4))),
            record: Record(
                kind: UInt16(row.int(5)), schema: UInt16(row.int(6)), id: row.id(7),
                payload: row.blob(8)),
            isRequired: row.int(9) != 0, reason: row.text(10), time: row.time(11))
    }
}
