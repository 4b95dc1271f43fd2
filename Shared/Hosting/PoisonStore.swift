import Model
import Store
import Wire

/// Records that were put aside, because they could not be digested or the operator left them out,
/// until the operator has them tried again or dropped.
struct PoisonStore {
    static let migrations = [made, marked]
    private static let marked = Migration(
        number: 2, sql: "ALTER TABLE poison ADD COLUMN needed INTEGER NOT NULL DEFAULT 0",
        component: "poison")
    private static let made = Migration(
        number: 1,
        sql: """
            CREATE TABLE poison (
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
            """, component: "poison")

    /// One of them.
    struct Entry {
        var number: Int64
        var stream: StreamName
        var position: Position
        var record: Record
        /// It is tried again by itself for ever.
        var isNeeded: Bool
        var reason: String
        var time: Timestamp
    }

    let database: Database

    func put(
        _ record: Record, of stream: StreamName, at position: Position, isNeeded: Bool,
        reason: String, now: Timestamp
    ) throws {
        try database.run(
            """
            INSERT INTO poison (
                stream, incarnation, sequence, hash, id, kind, schema, payload, needed, reason,
                at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(stream.text), .id(position.incarnation), .integer(position.sequence),
            .integer(Int64(bitPattern: position.hash)), .id(record.id), .integer(record.kind),
            .integer(record.schema), .blob(record.payload), .integer(isNeeded ? 1 : 0),
            .text(reason), .time(now))
    }

    var count: Int {
        get throws { try database.first("SELECT count(*) FROM poison") { $0.int(0) } ?? 0 }
    }

    /// The oldest of them.
    func entries(limit: Int) throws -> [Entry] {
        try database.all(
            "SELECT \(PoisonStore.columns) FROM poison ORDER BY number LIMIT ?", .integer(limit),
            as: PoisonStore.entry
        ).compactMap(\.self)
    }

    /// Those that are tried again by themselves, oldest first.
    var needed: [Entry] {
        get throws {
            try database.all(
                "SELECT \(PoisonStore.columns) FROM poison WHERE needed = 1 ORDER BY number",
                as: PoisonStore.entry
            ).compactMap(\.self)
        }
    }

    func entry(_ number: Int64) throws -> Entry? {
        try database.first(
            "SELECT \(PoisonStore.columns) FROM poison WHERE number = ?", .integer(number),
            as: PoisonStore.entry) ?? nil
    }

    func remove(_ number: Int64) throws {
        try database.run("DELETE FROM poison WHERE number = ?", .integer(number))
    }

    func removeAll(of stream: StreamName) throws {
        try database.run("DELETE FROM poison WHERE stream = ?", .text(stream.text))
    }

    private static let columns = """
        number, stream, incarnation, sequence, hash, kind, schema, id, payload, needed, reason, at
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
            isNeeded: row.int(9) != 0, reason: row.text(10), time: row.time(11))
    }
}
