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
