import Directory
import IngestCore
import Model
import Store

/// The table `access`: who saw which data of a person, and who changed their account.
struct AccessTable {
    let database: Database

    /// Adds accesses to their row.
    func save(_ row: AccessRow) throws {
        try database.run(
            """
            INSERT INTO access (person, hour, viewer, kind, reason, count, asked)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET
                count = count + excluded.count, asked = coalesce(excluded.asked, asked)
            """,
            .id(row.person), .integer(row.hour), .blob(row.viewer?.raw.bytes ?? []),
            .text(row.kind.rawValue), .text(row.reason), .integer(Int64(row.count)),
            .time(row.asked))
    }

    /// Records that a viewer saw data of a person now.
    func record(
        _ person: PersonID, by principal: Principal, as kind: AccessKind, reason: String?,
        at now: Timestamp
    ) throws {
        try save(
            AccessRow(
                person: person, viewer: principal.person, hour: now.seconds / 3600, kind: kind,
                reason: reason ?? ""))
    }
}

extension AccessTable {
    /// 22: what was seen, how often and why. Older rows do not say what.
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE access (
                    person BLOB NOT NULL,
                    hour INTEGER NOT NULL,
                    viewer BLOB NOT NULL,
                    PRIMARY KEY (person, hour, viewer)
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            number: 6,
            sql: """
                ALTER TABLE access ADD COLUMN asked INTEGER;
                """),
        Migration(
            number: 12,
            sql: """
                CREATE INDEX access_by_hour ON access (hour);
                """),
        Migration(
            number: 22,
            sql: """
                ALTER TABLE access RENAME TO access_before;
                CREATE TABLE access (
                    person BLOB NOT NULL,
                    hour INTEGER NOT NULL,
                    viewer BLOB NOT NULL,
                    kind TEXT NOT NULL,
                    reason TEXT NOT NULL,
                    count INTEGER NOT NULL,
                    asked INTEGER,
                    PRIMARY KEY (person, hour, viewer, kind, reason)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO access
                    SELECT person, hour, viewer, 'unspecified', '', 1, asked FROM access_before;
                DROP TABLE access_before;
                CREATE INDEX access_by_hour ON access (hour);
                """),
    ]
}
