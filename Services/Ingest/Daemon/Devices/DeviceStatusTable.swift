import Dialects
import IngestCore
import Model
import Store

/// The state of devices beside their reports.
struct DeviceStatusTable {
    let database: Database

    func write(_ effect: DeviceEffect) throws {
        switch effect {
        case .saveCondition(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO condition (device, person, impairments, since)
                VALUES (?, ?, ?, ?)
                """,
                .id(row.device), .id(row.person),
                .text(row.impairments.map(\.rawValue).joined(separator: " ")), .time(row.since))
        case .removeCondition(let device):
            try database.run("DELETE FROM condition WHERE device = ?", .id(device))
        case .saveCard(let person, let card, let digest):
            try database.run(
                """
                INSERT INTO card (person, name, avatar, digest) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (person) DO UPDATE SET name = ?2, digest = ?4,
                    avatar = CASE WHEN ?5 THEN avatar ELSE ?3 END
                """,
                .id(person), .text(card.name), .blob(card.avatar), .id(digest),
                .integer(card.keepsAvatar ? 1 : 0))
        case .saveSuggestion(let row): try save(row)
        case .saveLocate(let row):
            try database.run(
                "INSERT OR REPLACE INTO locating (device, person, asked) VALUES (?, ?, ?)",
                .id(row.device), .id(row.person), .time(row.asked))
        case .removeLocate(let device):
            try database.run("DELETE FROM locating WHERE device = ?", .id(device))
        case .saveTagged(let device, let person):
            try database.run(
                "INSERT OR REPLACE INTO tagged (device, person) VALUES (?, ?)", .id(device),
                .id(person))
        case .removeTagged(let device):
            try database.run("DELETE FROM tagged WHERE device = ?", .id(device))
        case .forgetDevice(let device):
            let tables = [
                "condition", "suggestion", "locating", "tagged", "device_key", "device_topic",
                "device_log",
            ]
            for table in tables {
                try database.run("DELETE FROM \(table) WHERE device = ?", .id(device))
            }
        case .forgetPerson(let person):
            for table in ["condition", "suggestion", "locating", "tagged", "card"] {
                try database.run("DELETE FROM \(table) WHERE person = ?", .id(person))
            }
        }
    }

    /// Stores a suggestion unless it exists, even accepted or dismissed; keeps only the newest of
    /// each person.
    private func save(_ row: SuggestionRow) throws {
        let zone = row.zone
        try database.run(
            """
            INSERT OR IGNORE INTO suggestion
                (id, person, device, key, name, latitude, longitude, radius,
                suggested, waits)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
            """,
            .id(row.id), .id(row.person), .id(row.device), .text(zone.key), .text(zone.name),
            .integer(zone.center.latitudeE7), .integer(zone.center.longitudeE7),
            .integer(zone.radiusMetres), .time(row.suggested))
        guard database.lastChanges == 1 else { return }
        try database.run(
            "DELETE FROM suggestion WHERE device = ? AND key = ? AND id <> ?", .id(row.device),
            .text(zone.key), .id(row.id))
        try database.run(
            """
            DELETE FROM suggestion WHERE person = ?1 AND number <= (
                SELECT number FROM suggestion WHERE person = ?1
                ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """, .id(row.person), .integer(Limits.suggestionsPerPerson))
    }

    func load(into stored: inout Core.Stored) throws {
        stored.conditions = try database.all(
            "SELECT device, person, impairments, since FROM condition"
        ) { row in
            ConditionRow(
                device: row.id(0), person: row.id(1),
                impairments: row.text(2).split(separator: " ")
                    .compactMap { Impairment(rawValue: String($0)) }, since: row.time(3))
        }
        try database.rows("SELECT person, name, digest FROM card") { row in
            stored.cards[row.id(0)] = CardHead(
                name: row.isNull(1) ? nil : row.text(1), avatar: row.optionalID(2))
        }
        stored.locates = try database.all("SELECT device, person, asked FROM locating") { row in
            LocateRow(device: row.id(0), person: row.id(1), asked: row.time(2))
        }
        try database.rows("SELECT device, person FROM tagged") { row in
            stored.tagged[row.id(0)] = row.id(1)
        }
    }
}

extension DeviceStatusTable {
    /// 16: devices whose last message had a tag that calls for help.
    static let migrations = [
        Migration(
            number: 6,
            sql: """
                CREATE TABLE condition (
                    device BLOB PRIMARY KEY,
                    person BLOB NOT NULL,
                    impairments TEXT NOT NULL,
                    since INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE card (
                    person BLOB PRIMARY KEY,
                    name TEXT,
                    avatar BLOB,
                    digest BLOB
                ) STRICT;
                CREATE TABLE suggestion (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    id BLOB NOT NULL UNIQUE,
                    person BLOB NOT NULL,
                    device BLOB NOT NULL,
                    key TEXT NOT NULL,
                    name TEXT NOT NULL,
                    latitude INTEGER NOT NULL,
                    longitude INTEGER NOT NULL,
                    radius INTEGER NOT NULL,
                    suggested INTEGER NOT NULL,
                    waits INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX suggestion_by_person ON suggestion (person, number);
                CREATE INDEX suggestion_by_device ON suggestion (device, key);
                CREATE TABLE locating (
                    device BLOB PRIMARY KEY,
                    person BLOB NOT NULL,
                    asked INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            number: 16,
            sql: """
                CREATE TABLE tagged (
                    device BLOB PRIMARY KEY,
                    person BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                """),
    ]
}
