import IngestCore
import Model
import Store

/// The tables `followed` and `live_view`: whose positions are published, for which emergency, and
/// until when for live links.
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
        case .saveLiveView(let row):
            try database.run(
                "INSERT OR REPLACE INTO live_view (person, until) VALUES (?, ?)",
                .id(row.person), .time(row.until))
        case .removeLiveView(let person):
            try database.run("DELETE FROM live_view WHERE person = ?", .id(person))
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
        stored.liveViews = try database.all("SELECT person, until FROM live_view") { row in
            LiveViewRow(person: row.id(0), until: row.time(1))
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
                """),
        Migration(
            number: 25,
            sql: """
                CREATE TABLE live_view (
                    person BLOB PRIMARY KEY,
                    until INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """),
    ]
}
