import IngestCore
import Model
import Parsing
import Store

/// The tables `policy` and `watching`.
struct PolicyTable {
    let database: Database

    func write(_ effect: PolicyEffect) throws {
        switch effect {
        case .save(let row):
            try database.run(
                "INSERT OR REPLACE INTO policy (device, body) VALUES (?, ?)",
                .id(row.policy.device), .text(try JSON.encode(row).text))
        case .remove(let device):
            try database.run("DELETE FROM policy WHERE device = ?", .id(device))
        case .saveWatch(let row):
            try database.run(
                "INSERT OR REPLACE INTO watching (person, watch, until) VALUES (?, ?, ?)",
                .id(row.person), .id(row.watch), .time(row.until))
        case .removeWatch(let person):
            try database.run("DELETE FROM watching WHERE person = ?", .id(person))
        }
    }

    func load(into stored: inout Core.Stored) throws {
        stored.policies = try database.all("SELECT body FROM policy") { row in
            try JSON.parse(row.text(0)).decode(PolicyRow.self)
        }
        stored.watches = try database.all("SELECT person, watch, until FROM watching") { row in
            WatchRow(person: row.id(0), watch: row.id(1), until: row.time(2))
        }
    }
}

extension PolicyTable {
    static let migrations = [
        Migration(
            number: 5,
            sql: """
                CREATE TABLE policy (
                    device BLOB PRIMARY KEY,
                    body TEXT NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE watching (
                    person BLOB PRIMARY KEY,
                    watch BLOB NOT NULL,
                    until INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    ]
}
