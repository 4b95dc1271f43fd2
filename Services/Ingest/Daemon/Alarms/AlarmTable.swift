import IngestCore
import Model
import Parsing
import Store

/// The tables `alarm` and `disarmed`.
struct AlarmTable {
    let database: Database

    func write(_ effect: AlarmEffect) throws {
        switch effect {
        case .save(let row):
            try database.run(
                "INSERT OR REPLACE INTO alarm (id, body) VALUES (?, ?)", .id(row.change.alarm),
                .text(try JSON.encode(row).text))
        case .remove(let alarm):
            try database.run("DELETE FROM alarm WHERE id = ?", .id(alarm))
        case .arm(let person, let armed):
            try database.run(
                armed
                    ? "DELETE FROM disarmed WHERE person = ?"
                    : "INSERT OR IGNORE INTO disarmed (person) VALUES (?)", .id(person))
        }
    }

    func load(into stored: inout Core.Stored) throws {
        stored.disarmed = try database.all("SELECT person FROM disarmed") { $0.id(0) }
        stored.alarms = try database.all("SELECT body FROM alarm") { row in
            try JSON.parse(row.text(0)).decode(AlarmRow.self)
        }
    }
}

extension AlarmTable {
    static let migrations = [
        Migration(
            number: 5,
            sql: """
                CREATE TABLE disarmed (person BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
                CREATE TABLE alarm (
                    id BLOB PRIMARY KEY,
                    body TEXT NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    ]
}
