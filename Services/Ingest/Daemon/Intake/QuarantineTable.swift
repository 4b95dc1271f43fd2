import IngestCore
import Model
import Store

/// The table of quarantined payloads: the newest of each sender, as far as there is room.
final class QuarantineTable {
    private let database: Database
    /// Payloads deleted for lack of room since the start.
    private(set) var dropped = 0

    init(database: Database) { self.database = database }

    /// Number of stored payloads, counted up to 100,000 to bound the work.
    func count() throws -> Int {
        try database.first("SELECT COUNT(*) FROM (SELECT 1 FROM quarantine LIMIT 100000)") {
            Int($0.int64(0))
        } ?? 0
    }

    func write(_ effect: QuarantineEffect) throws {
        switch effect {
        case .save(let row): try save(row)
        case .remove(let id):
            try database.run("DELETE FROM quarantine WHERE id = ?", .id(id))
        case .recordRetry(let id, let reason, let place, let time):
            try database.run(
                """
                UPDATE quarantine SET reason = coalesce(?, reason), place = coalesce(?, place),
                    retried = ? WHERE id = ?
                """, .text(reason?.rawValue), .integer(place), .time(time), .id(id))
        }
    }

    /// Quarantines a payload; the same payload again is counted. Payloads deleted to make room are
    /// counted in the newest row of the device log.
    private func save(_ row: QuarantineRow) throws {
        try database.run(
            """
            INSERT INTO quarantine (id, device, person, path, reason, place, payload, size,
                received, again, count, trace, client)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
            ON CONFLICT (id) DO UPDATE SET again = excluded.again, count = count + 1
            """,
            .id(row.id), .id(row.device), .id(row.person), .text(row.path),
            .text(row.reason.rawValue), .integer(row.index), .blob(row.payload),
            .integer(row.size), .time(row.received), .time(row.received), .text(row.trace),
            .text(row.client.name))
        let count = try makeRoom(for: row)
        guard count > 0 else { return }
        dropped += count
        try database.run(
            """
            UPDATE device_log SET dropped = dropped + ?1
            WHERE number = (SELECT max(number) FROM device_log WHERE device = ?2)
            """, .integer(count), .id(row.device))
    }

    /// Deletes a sender's oldest payloads until the rest fits; the new one stays, however large.
    ///
    /// - Returns: the number of deleted payloads
    private func makeRoom(for row: QuarantineRow) throws -> Int {
        let bytes = try database.first(
            "SELECT bytes FROM quarantine_size WHERE person = ? AND device = ?", .id(row.person),
            .blob(row.device?.raw.bytes ?? [])
        ) { $0.int64(0) }
        var excess = (bytes ?? 0) - Limits.quarantineBytesPerSender
        var count = 0
        while excess > 0, let oldest = try oldest(of: row) {
            try database.run("DELETE FROM quarantine WHERE number = ?", .integer(oldest.number))
            excess -= oldest.bytes
            count += 1
        }
        return count
    }

    /// The oldest other payload of the same sender.
    private func oldest(of row: QuarantineRow) throws -> (number: Int64, bytes: Int64)? {
        try database.first(
            """
            SELECT number, length(payload) FROM quarantine
            WHERE person = ? AND device IS ? AND id <> ? ORDER BY number LIMIT 1
            """, .id(row.person), .id(row.device), .id(row.id)
        ) { (number: $0.int64(0), bytes: $0.int64(1) + Limits.quarantineRowBytes) }
    }
}

extension QuarantineTable {
    /// 10: the app that sent a payload, needed to read it again, and when that last happened.
    /// 14: bytes per sender, maintained by triggers; and in the device log the number of a sender's
    /// payloads deleted for lack of room.
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE quarantine (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    id BLOB NOT NULL UNIQUE,
                    device BLOB,
                    person BLOB NOT NULL,
                    path TEXT NOT NULL,
                    reason TEXT NOT NULL,
                    place INTEGER NOT NULL,
                    payload BLOB NOT NULL,
                    size INTEGER NOT NULL,
                    received INTEGER NOT NULL,
                    again INTEGER NOT NULL,
                    count INTEGER NOT NULL,
                    trace TEXT NOT NULL
                ) STRICT;
                CREATE INDEX quarantine_by_sender ON quarantine (person, device, number);
                """),
        Migration(
            number: 10,
            sql: """
                ALTER TABLE quarantine ADD COLUMN client TEXT NOT NULL DEFAULT '';
                ALTER TABLE quarantine ADD COLUMN retried INTEGER;
                """),
        Migration(
            number: 12,
            sql: """
                CREATE INDEX quarantine_by_time ON quarantine (received);
                """),
        Migration(
            number: 14,
            sql: """
                CREATE TABLE quarantine_size (
                    person BLOB NOT NULL,
                    -- Empty where it came from no device.
                    device BLOB NOT NULL,
                    bytes INTEGER NOT NULL,
                    PRIMARY KEY (person, device)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO quarantine_size
                    SELECT person, coalesce(device, x''),
                        sum(length(payload) + \(Limits.quarantineRowBytes))
                    FROM quarantine GROUP BY 1, 2;
                CREATE TRIGGER quarantine_added AFTER INSERT ON quarantine BEGIN
                    INSERT INTO quarantine_size VALUES (new.person, coalesce(new.device, x''),
                        length(new.payload) + \(Limits.quarantineRowBytes))
                    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
                END;
                CREATE TRIGGER quarantine_removed AFTER DELETE ON quarantine BEGIN
                    UPDATE quarantine_size
                    SET bytes = bytes - length(old.payload) - \(Limits.quarantineRowBytes)
                    WHERE person = old.person AND device = coalesce(old.device, x'');
                    DELETE FROM quarantine_size
                    WHERE person = old.person AND device = coalesce(old.device, x'') AND bytes <= 0;
                END;
                ALTER TABLE device_log ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
                """),
    ]
}
