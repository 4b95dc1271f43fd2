import IngestCore
import Model
import Store

/// The device log: outcomes of requests that the stored reports do not tell.
struct DeviceLogTable {
    let database: Database

    /// Stores a row. Consecutive equal requests without reports share one: a phone that repeats
    /// itself does not push out older entries.
    func save(_ row: DeviceLogRow) throws {
        if row.counts.accepted == 0, row.calls == 0, try isFolded(row) { return }
        let counts = row.counts
        try database.run(
            """
            INSERT INTO device_log (device, first, last, count, client, outcome, reason, status,
                accepted, duplicates, late, skewed, waiting, quarantined, calls, emergency, time,
                accuracy, trigger, battery, trace)
            VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .id(row.device), .time(row.time), .time(row.time), .text(row.client.name),
            .text(row.outcome.rawValue), .text(row.reason), .integer(row.status),
            .integer(counts.accepted), .integer(counts.duplicates), .integer(counts.late),
            .integer(counts.skewed), .integer(counts.waiting), .integer(row.quarantined),
            .integer(row.calls), .id(row.call), .time(row.newest?.time),
            .integer(row.newest?.accuracyCentimetres), .integer(row.newest?.trigger.rawValue),
            .integer(row.newest?.battery), .text(row.trace))
        try database.run(
            """
            DELETE FROM device_log WHERE device = ?1 AND number <= (
                SELECT number FROM device_log WHERE device = ?1
                ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """, .id(row.device), .integer(Limits.deviceLogRowsPerDevice))
    }

    /// Counts a request in the last row if that is equal.
    private func isFolded(_ row: DeviceLogRow) throws -> Bool {
        try database.run(
            """
            UPDATE device_log SET last = ?1, count = count + 1, duplicates = duplicates + ?2,
                quarantined = quarantined + ?3, time = ?4, accuracy = ?5, trigger = ?6,
                battery = ?7, trace = ?8
            WHERE number = (SELECT max(number) FROM device_log WHERE device = ?9) AND first > ?10
                AND client = ?11 AND outcome = ?12 AND reason = ?13 AND status = ?14
                AND accepted = 0 AND calls = 0
            """,
            .time(row.time), .integer(row.counts.duplicates), .integer(row.quarantined),
            .time(row.newest?.time), .integer(row.newest?.accuracyCentimetres),
            .integer(row.newest?.trigger.rawValue), .integer(row.newest?.battery),
            .text(row.trace), .id(row.device),
            .time(row.time - .seconds(Limits.deviceLogFoldSeconds)), .text(row.client.name),
            .text(row.outcome.rawValue), .text(row.reason), .integer(row.status))
        return database.lastChanges == 1
    }

    /// Deletes some rows that began before a time.
    ///
    /// - Returns: whether more may be left
    func forget(before time: Timestamp) throws -> Bool {
        try database.run(
            """
            DELETE FROM device_log WHERE first < ?1 AND number IN (
                SELECT number FROM device_log ORDER BY number LIMIT ?2)
            """, .time(time), .integer(Limits.deviceLogForgottenPerTurn))
        return database.lastChanges == Limits.deviceLogForgottenPerTurn
    }

    /// The newest rows of a device whose last request is in a period.
    func rows(
        of device: DeviceID, from: Timestamp, before end: Timestamp, atMost limit: Int
    ) throws -> [DeviceLogEntry] {
        try database.all(
            """
            SELECT number, first, last, count, client, outcome, reason, status, accepted,
                duplicates, late, skewed, waiting, quarantined, calls, emergency, time, accuracy,
                trigger, battery, trace, dropped
            FROM device_log WHERE device = ? AND last >= ? AND last < ? ORDER BY number DESC LIMIT ?
            """, .id(device), .time(from), .time(end), .integer(limit), as: DeviceLogEntry.init)
    }
}

extension DeviceLogTable {
    static let migrations = [
        Migration(
            number: 11,
            sql: """
                ALTER TABLE device ADD COLUMN client TEXT NOT NULL DEFAULT '';
                CREATE TABLE device_log (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    device BLOB NOT NULL,
                    first INTEGER NOT NULL,
                    last INTEGER NOT NULL,
                    count INTEGER NOT NULL,
                    client TEXT NOT NULL,
                    outcome TEXT NOT NULL,
                    reason TEXT NOT NULL,
                    status INTEGER NOT NULL,
                    accepted INTEGER NOT NULL,
                    duplicates INTEGER NOT NULL,
                    late INTEGER NOT NULL,
                    skewed INTEGER NOT NULL,
                    waiting INTEGER NOT NULL,
                    quarantined INTEGER NOT NULL,
                    calls INTEGER NOT NULL,
                    emergency BLOB,
                    time INTEGER,
                    accuracy INTEGER,
                    trigger INTEGER,
                    battery INTEGER,
                    trace TEXT NOT NULL
                ) STRICT;
                CREATE INDEX device_log_by_device ON device_log (device, number);
                """)
    ]
}
