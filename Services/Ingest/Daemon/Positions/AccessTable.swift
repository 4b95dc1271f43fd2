import IngestCore
import Model
import Store

/// The table `access`: who saw whose position.
struct AccessTable {
    let database: Database

    func save(_ row: AccessRow) throws {
        try database.run(
            """
            INSERT INTO access (person, hour, viewer, asked) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET asked = coalesce(excluded.asked, asked)
            """,
            .id(row.person), .integer(row.hour), .blob(row.viewer?.raw.bytes ?? []),
            .time(row.asked))
    }

    /// Records that a viewer (nil = the operator) saw a person's position now.
    func record(_ person: PersonID, by viewer: PersonID?, at now: Timestamp) throws {
        try save(AccessRow(person: person, viewer: viewer, hour: now.seconds / 3600))
    }
}
