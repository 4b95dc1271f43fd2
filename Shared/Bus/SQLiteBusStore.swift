import Model
import Store
import Wire

/// Tables of the bus in a service's database.
public final class SQLiteBusStore: BusStore {
    /// Migrations of the bus's tables.
    public static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE stream (
                    code INTEGER PRIMARY KEY,
                    name TEXT NOT NULL,
                    incarnation BLOB NOT NULL CHECK (length(incarnation) = 16),
                    base_sequence INTEGER NOT NULL,
                    base_hash INTEGER NOT NULL
                ) STRICT;
                -- place = code of the stream * 2^48 + sequence: one tree, each stream in its order.
                CREATE TABLE outbox (
                    place INTEGER PRIMARY KEY,
                    hash INTEGER NOT NULL,
                    kind INTEGER NOT NULL,
                    schema INTEGER NOT NULL,
                    id BLOB NOT NULL CHECK (length(id) = 16),
                    payload BLOB NOT NULL,
                    appended INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE cursor (
                    stream TEXT PRIMARY KEY,
                    incarnation BLOB NOT NULL CHECK (length(incarnation) = 16),
                    sequence INTEGER NOT NULL,
                    hash INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE consumer (
                    consumer TEXT NOT NULL,
                    stream TEXT NOT NULL,
                    incarnation BLOB NOT NULL CHECK (length(incarnation) = 16),
                    sequence INTEGER NOT NULL,
                    hash INTEGER NOT NULL,
                    received INTEGER NOT NULL,
                    PRIMARY KEY (consumer, stream)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE divergence (
                    stream TEXT NOT NULL,
                    at INTEGER NOT NULL,
                    was_incarnation BLOB NOT NULL,
                    was_sequence INTEGER NOT NULL,
                    was_hash INTEGER NOT NULL,
                    now_incarnation BLOB NOT NULL,
                    now_sequence INTEGER NOT NULL,
                    now_hash INTEGER NOT NULL
                ) STRICT
                """, component: "bus")
    ]

    let database: Database
    /// Inserts a record; prepared because it is the most frequent statement.
    private var insertion: PreparedStatement?

    /// - Parameter database: opened with ``migrations``
    public init(_ database: Database) { self.database = database }

    public func open(
        _ stream: StreamName, newIncarnation: () -> ID128
    ) throws -> (Position, Position) {
        if let base = try base(of: stream) { return (base, try head(of: stream, base: base)) }
        let start = Position.start(of: newIncarnation())
        let sql = "INSERT INTO stream VALUES (?, ?, ?, 0, 0)"
        try database.transaction {
            try database.run(
                sql, .integer(stream.code), .text(stream.text), .id(start.incarnation))
        }
        return (start, start)
    }

    private func base(of stream: StreamName) throws -> Position? {
        try database.first(
            "SELECT incarnation, base_sequence, base_hash FROM stream WHERE code = ?",
            .integer(stream.code)
        ) { SQLiteBusStore.position($0, 0) }
    }

    func head(of stream: StreamName, base: Position) throws -> Position {
        let newest = try database.first(
            """
            SELECT place, hash FROM outbox WHERE place BETWEEN ? AND ?
            ORDER BY place DESC LIMIT 1
            """, place(stream, 0), place(stream, SQLiteBusStore.sequenceMax)
        ) { row in
            Position(
                incarnation: base.incarnation,
                sequence: UInt64(bitPattern: row.int64(0)) & SQLiteBusStore.sequenceMax,
                hash: UInt64(bitPattern: row.int64(1)))
        }
        return newest ?? base
    }

    public func append(
        _ record: Record, at position: Position, of stream: StreamName, now: Timestamp
    ) throws {
        try beginIfNeeded()
        let insert =
            try insertion
            ?? database.preparedStatement(
                "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?)")
        insertion = insert
        insert.bind(number(of: stream, position.sequence))
        insert.bind(Int64(bitPattern: position.hash))
        insert.bind(Int64(record.kind))
        insert.bind(Int64(record.schema))
        insert.bind(record.id)
        insert.bind(record.payload)
        insert.bind(now.microseconds)
        try insert.run()
    }

    public func records(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, bytesMax: Int
    ) throws -> [StoredRecord] {
        guard sequence < last else { return [] }
        var found: [StoredRecord] = []
        var bytes = 0
        try database.rowsWhile(
            """
            SELECT hash, kind, schema, id, payload FROM outbox WHERE place BETWEEN ? AND ?
            ORDER BY place
            """, place(stream, sequence + 1), place(stream, last)
        ) { row in
            let record = Record(
                kind: UInt16(row.int(1)), schema: UInt16(row.int(2)), id: row.id(3),
                payload: row.blob(4))
            bytes += record.wireBytes
            if bytes > bytesMax, !found.isEmpty { return false }
            found.append(StoredRecord(record: record, hash: UInt64(bitPattern: row.int64(0))))
            return true
        }
        return found
    }

    public func hash(of stream: StreamName, at sequence: UInt64) throws -> UInt64? {
        try database.first("SELECT hash FROM outbox WHERE place = ?", place(stream, sequence)) {
            UInt64(bitPattern: $0.int64(0))
        }
    }

    public func prune(_ stream: StreamName, through base: Position) throws {
        try beginIfNeeded()
        try database.run(
            "DELETE FROM outbox WHERE place BETWEEN ? AND ?", place(stream, 0),
            place(stream, base.sequence))
        try database.run(
            "UPDATE stream SET base_sequence = ?, base_hash = ? WHERE code = ?",
            .integer(base.sequence), .integer(Int64(bitPattern: base.hash)), .integer(stream.code))
    }

    public func ages(
        of stream: StreamName, after sequence: UInt64, through last: UInt64, limit: Int
    ) throws -> [RecordAge] {
        guard sequence < last else { return [] }
        // The length of a payload is in its row's header: long payloads are not read.
        return try database.all(
            """
            SELECT place, hash, appended, length(payload) FROM outbox WHERE place BETWEEN ? AND ?
            ORDER BY place LIMIT ?
            """, place(stream, sequence + 1), place(stream, last), .integer(limit)
        ) { row in
            RecordAge(
                sequence: UInt64(bitPattern: row.int64(0)) & SQLiteBusStore.sequenceMax,
                hash: UInt64(bitPattern: row.int64(1)), appended: row.time(2), bytes: row.int(3))
        }
    }

    public func reclaimSpace() throws -> Bool { try database.reclaimSpace() }

    private static let sequenceMax: UInt64 = 1 << 48 - 1

    private func place(_ stream: StreamName, _ sequence: UInt64) -> Value {
        .integer(number(of: stream, sequence))
    }

    private func number(of stream: StreamName, _ sequence: UInt64) -> Int64 {
        Int64(stream.code) << 48 | Int64(sequence)
    }

    func beginIfNeeded() throws {
        if !database.isInTransaction { try database.begin() }
    }

    /// Reads incarnation, sequence and hash from consecutive columns.
    static func position(_ row: Row, _ column: Int) -> Position {
        Position(
            incarnation: row.id(column), sequence: UInt64(row.int64(column + 1)),
            hash: UInt64(bitPattern: row.int64(column + 2)))
    }
}

// MARK: Cursors and acknowledgements

extension SQLiteBusStore {
    public func cursor(of stream: StreamName) throws -> Position? {
        try database.first(
            "SELECT incarnation, sequence, hash FROM cursor WHERE stream = ?", .text(stream.text)
        ) { SQLiteBusStore.position($0, 0) }
    }

    public func saveCursor(_ position: Position, of stream: StreamName) throws {
        try beginIfNeeded()
        try database.run(
            "INSERT OR REPLACE INTO cursor VALUES (?, ?, ?, ?)", .text(stream.text),
            .id(position.incarnation), .integer(position.sequence),
            .integer(Int64(bitPattern: position.hash)))
    }

    public func saveDivergence(
        of stream: StreamName, was: Position, now: Position, at time: Timestamp
    ) throws {
        try beginIfNeeded()
        try database.run(
            "INSERT INTO divergence VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .text(stream.text),
            .time(time), .id(was.incarnation), .integer(was.sequence),
            .integer(Int64(bitPattern: was.hash)), .id(now.incarnation), .integer(now.sequence),
            .integer(Int64(bitPattern: now.hash)))
    }

    /// The latest entries of ``saveDivergence(of:was:now:at:)``.
    public func divergences(limit: Int) throws -> [Divergence] {
        try database.all(
            """
            SELECT stream, at, was_incarnation, was_sequence, was_hash, now_incarnation,
                now_sequence, now_hash
            FROM divergence ORDER BY rowid DESC LIMIT ?
            """, .integer(limit)
        ) { row in
            StreamName(text: row.text(0)).map { stream in
                Divergence(
                    stream: stream, time: row.time(1), was: SQLiteBusStore.position(row, 2),
                    now: SQLiteBusStore.position(row, 5))
            }
        }.compactMap(\.self)
    }

    public func acknowledgements() throws -> [Acknowledgement] {
        var found: [Acknowledgement] = []
        try database.rows(
            """
            SELECT consumer, stream, incarnation, sequence, hash, received FROM consumer
            ORDER BY consumer, stream
            """
        ) { row in
            guard let stream = StreamName(text: row.text(1)) else { return }
            found.append(
                Acknowledgement(
                    consumer: row.text(0), stream: stream,
                    position: SQLiteBusStore.position(row, 2), received: row.time(5)))
        }
        return found
    }

    public func save(_ acknowledgement: Acknowledgement) throws {
        try beginIfNeeded()
        let position = acknowledgement.position
        try database.run(
            "INSERT OR REPLACE INTO consumer VALUES (?, ?, ?, ?, ?, ?)",
            .text(acknowledgement.consumer), .text(acknowledgement.stream.text),
            .id(position.incarnation), .integer(position.sequence),
            .integer(Int64(bitPattern: position.hash)), .time(acknowledgement.received))
    }

    public func forget(_ acknowledgement: Acknowledgement) throws {
        try beginIfNeeded()
        try database.run(
            "DELETE FROM consumer WHERE consumer = ? AND stream = ?",
            .text(acknowledgement.consumer), .text(acknowledgement.stream.text))
    }
}
