import IngestCore
import Model
import Store

/// The table `followed`: whose positions are published, and for which emergency.
struct FollowedPositionTable {
    let database: Database

    /// Performs an effect; the caller appends the record of an opening.
    func write(_ effect: FollowedPositionEffect) throws {
        switch effect {
        case .follow(let row):
            try database.run(
                "INSERT OR REPLACE INTO followed (person, emergency) VALUES (?, ?)",
                .id(row.person), .id(row.emergency))
        case .unfollow(let person):
            try database.run("DELETE FROM followed WHERE person = ?", .id(person))
        case .open: break
        }
    }

    /// The stored fixes that an opening publishes besides the newest one.
    func trail(of opening: FollowedPositionOpening, from reports: ReportTable) throws -> [Fix] {
        let end = opening.position.fixes.last?.time ?? opening.time
        return try reports.newest(
            of: opening.device, from: opening.since, before: end, atMost: Limits.trailReportsMax
        ).map(\.fix)
    }

    func load(into stored: inout Core.Stored) throws {
        stored.followed = try database.all("SELECT person, emergency FROM followed") { row in
            FollowedRow(person: row.id(0), emergency: row.id(1))
        }
    }
}

extension FollowedPositionTable {
    static let migrations = [
        Migration(
            number: 23,
            sql: """
                CREATE TABLE followed (
                    person BLOB PRIMARY KEY,
                    emergency BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    ]
}
