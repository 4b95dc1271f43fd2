import Model
import NotifierCore
import Parsing
import Store

/// The tables `followed_position` and `reporting`: what ingest publishes about people and devices.
extension NotifierStore {
    static let followedPositionTables = """
        CREATE TABLE followed_position (
            person BLOB NOT NULL,
            time INTEGER NOT NULL,
            fix TEXT NOT NULL,
            battery INTEGER,
            charging INTEGER,
            impairments TEXT,
            PRIMARY KEY (person, time)
        ) WITHOUT ROWID;
        CREATE INDEX followed_position_time ON followed_position (time);
        CREATE TABLE reporting (
            device BLOB PRIMARY KEY,
            person BLOB NOT NULL,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX reporting_person ON reporting (person);
        """

    /// Stores a fix. What is known of a fix of the same time stays if the new row lacks it.
    func save(_ row: FollowedPositionRow) throws {
        try database.run(
            """
            INSERT INTO followed_position
                (person, time, fix, battery, charging, impairments)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (person, time) DO UPDATE SET
                fix = excluded.fix,
                battery = coalesce(excluded.battery, battery),
                charging = coalesce(excluded.charging, charging),
                impairments = coalesce(excluded.impairments, impairments)
            """,
            .id(row.person), .time(row.fix.time), try text(row.fix),
            .integer(row.battery), .integer(row.charging.map { $0 ? 1 : 0 }),
            try row.impairments.map { try text($0) } ?? .null)
    }

    func save(_ row: DeviceReporting) throws {
        try database.run(
            "INSERT OR REPLACE INTO reporting (device, person, body) VALUES (?1, ?2, ?3)",
            .id(row.device), .id(row.person), try text(row))
    }

    func removeReporting(of device: DeviceID) throws {
        try database.run("DELETE FROM reporting WHERE device = ?1", .id(device))
    }

    /// How the devices of a person report, in no order.
    func reporting(of person: PersonID) throws -> [DeviceReporting] {
        try database.all("SELECT body FROM reporting WHERE person = ?1", .id(person)) {
            try NotifierStore.decode($0.text(0))
        }
    }

    /// The newest stored positions of a person in a period, oldest first.
    func followedPositions(
        of person: PersonID, from: Timestamp, through end: Timestamp, limit: Int
    ) throws -> [FollowedPositionRow] {
        try database.all(
            """
            SELECT fix, battery, charging, impairments FROM followed_position
            WHERE person = ?1 AND time >= ?2 AND time <= ?3 ORDER BY time DESC LIMIT ?4
            """, .id(person), .time(from), .time(end), .integer(limit)
        ) { row in
            FollowedPositionRow(
                person: person, fix: try NotifierStore.decode(row.text(0)),
                battery: row.optionalInt64(1).map { UInt8(clamping: $0) },
                charging: row.optionalInt64(2).map { $0 != 0 },
                impairments: try row.optionalText(3).map { try NotifierStore.decode($0) })
        }.reversed()
    }

    /// The positions of a person that a page shows, oldest first: those of a period, or the newest
    /// before it if there is none.
    func shownPositions(
        of person: PersonID, since: Timestamp, through end: Timestamp
    ) throws -> [FollowedPositionRow] {
        let rows = try followedPositions(
            of: person, from: since, through: end, limit: Limits.trailRowsMax)
        guard rows.isEmpty else { return rows }
        return try followedPositions(of: person, from: .zero, through: end, limit: 1)
    }

    /// Deletes what is stored about a removed person.
    func eraseFollowedPositions(of person: PersonID) throws {
        for table in ["followed_position", "reporting"] {
            try database.run("DELETE FROM \(table) WHERE person = ?1", .id(person))
        }
    }
}
