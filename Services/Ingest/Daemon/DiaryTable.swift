import IngestCore
import Model
import Store

/// What became of requests, as far as reports do not tell it themselves.
struct DiaryTable {
    let database: Database

    static let migration = """
        ALTER TABLE device ADD COLUMN client TEXT NOT NULL DEFAULT '';
        CREATE TABLE diary (
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
        CREATE INDEX diary_by_device ON diary (device, number);
        """

    /// Requests that brought nothing, alike and one after the other, are counted in one row: a
    /// phone that sends the same again and again does not push out what was before.
    func save(_ row: DiaryRow) throws {
        if row.taken.accepted == 0, row.calls == 0, try isFolded(row) { return }
        let taken = row.taken
        try database.run(
            """
            INSERT INTO diary (device, first, last, count, client, outcome, reason, status,
                accepted, duplicates, late, skewed, waiting, quarantined, calls, emergency, time,
                accuracy, trigger, battery, trace)
            VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .id(row.device), .time(row.time), .time(row.time), .text(row.client.rawValue),
            .text(row.outcome.rawValue), .text(row.reason), .integer(row.status),
            .integer(taken.accepted), .integer(taken.duplicates), .integer(taken.late),
            .integer(taken.skewed), .integer(taken.waiting), .integer(row.quarantined),
            .integer(row.calls), .id(row.call), .time(row.newest?.time),
            .integer(row.newest?.accuracyCentimetres), .integer(row.newest?.trigger.rawValue),
            .integer(row.newest?.battery), .text(row.trace))
        try database.run(
            """
            DELETE FROM diary WHERE device = ?1 AND number <= (
                SELECT number FROM diary WHERE device = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """, .id(row.device), .integer(Limits.diaryRowsPerDevice))
    }

    /// Counts a request with the last one, if that was like it.
    private func isFolded(_ row: DiaryRow) throws -> Bool {
        try database.run(
            """
            UPDATE diary SET last = ?1, count = count + 1, duplicates = duplicates + ?2,
                quarantined = quarantined + ?3, time = ?4, accuracy = ?5, trigger = ?6,
                battery = ?7, trace = ?8
            WHERE number = (SELECT max(number) FROM diary WHERE device = ?9) AND first > ?10
                AND client = ?11 AND outcome = ?12 AND reason = ?13 AND status = ?14
                AND accepted = 0 AND calls = 0
            """,
            .time(row.time), .integer(row.taken.duplicates), .integer(row.quarantined),
            .time(row.newest?.time), .integer(row.newest?.accuracyCentimetres),
            .integer(row.newest?.trigger.rawValue), .integer(row.newest?.battery),
            .text(row.trace), .id(row.device),
            .time(row.time - .seconds(Limits.diaryFoldSeconds)), .text(row.client.rawValue),
            .text(row.outcome.rawValue), .text(row.reason), .integer(row.status))
        return database.lastChanges == 1
    }

    /// Forgets rows that began before a time, some at a time.
    ///
    /// - Returns: whether more may be left
    func forget(before time: Timestamp) throws -> Bool {
        try database.run(
            """
            DELETE FROM diary WHERE first < ?1 AND number IN (
                SELECT number FROM diary ORDER BY number LIMIT ?2)
            """, .time(time), .integer(Limits.diaryForgottenPerTurn))
        return database.lastChanges == Limits.diaryForgottenPerTurn
    }

    /// The newest rows of a device whose last request came from a time on and before another.
    func rows(
        of device: DeviceID, from: Timestamp, before end: Timestamp, atMost limit: Int
    ) throws -> [DiaryEntry] {
        try database.all(
            """
            SELECT number, first, last, count, client, outcome, reason, status, accepted,
                duplicates, late, skewed, waiting, quarantined, calls, emergency, time, accuracy,
                trigger, battery, trace, dropped
            FROM diary WHERE device = ? AND last >= ? AND last < ? ORDER BY number DESC LIMIT ?
            """, .id(device), .time(from), .time(end), .integer(limit), as: DiaryEntry.init)
    }
}
