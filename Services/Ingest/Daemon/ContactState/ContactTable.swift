import IngestCore
import Model
import Store

/// The tables `contact_expectation`, `contact_state` and `contact_loss_hold`.
struct ContactTable {
    let database: Database

    func write(_ effect: ContactEffect) throws {
        switch effect {
        case .saveExpectation(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO contact_expectation
                    (person, device, mark, contact_timeout, known_timeout)
                VALUES (?, ?, ?, ?, ?)
                """, .id(row.person), .id(row.device), .text(row.mark),
                .integer(row.contactTimeoutSeconds), .integer(row.knownTimeoutSeconds))
        case .removeExpectation(let person):
            try database.run("DELETE FROM contact_expectation WHERE person = ?", .id(person))
        case .save(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO contact_state (person, device, state, since, late_since)
                VALUES (?, ?, ?, ?, ?)
                """, .id(row.person), .id(row.device), .text(row.state.rawValue),
                .time(row.since), .time(row.lateSince))
        case .remove(let person):
            try database.run("DELETE FROM contact_state WHERE person = ?", .id(person))
        case .saveHold(let since?):
            try database.run(
                "INSERT OR REPLACE INTO contact_loss_hold (one, since) VALUES (1, ?)", .time(since))
        case .saveHold(nil): try database.run("DELETE FROM contact_loss_hold")
        }
    }

    func load(into stored: inout Core.Stored) throws {
        stored.expectations = try database.all(
            "SELECT person, device, mark, contact_timeout, known_timeout FROM contact_expectation"
        ) { row in
            ExpectationRow(
                person: row.id(0), device: row.id(1), mark: row.text(2),
                contactTimeoutSeconds: Int32(clamping: row.int64(3)),
                knownTimeoutSeconds: Int32(clamping: row.int64(4)))
        }
        stored.contactStates = try database.all(
            "SELECT person, device, state, since, late_since FROM contact_state"
        ) { row in
            ContactRow(
                person: row.id(0), device: row.id(1),
                state: ContactState(rawValue: row.text(2)) ?? .late, since: row.time(3),
                lateSince: row.time(4))
        }
        stored.contactLossHeldSince = try database.first("SELECT since FROM contact_loss_hold") {
            $0.time(0)
        }
    }
}

extension ContactTable {
    static let migrations = [
        Migration(
            number: 8,
            sql: """
                CREATE TABLE contact_expectation (
                    person BLOB PRIMARY KEY,
                    device BLOB NOT NULL,
                    mark TEXT NOT NULL,
                    contact_timeout INTEGER NOT NULL,
                    known_timeout INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE contact_state (
                    person BLOB PRIMARY KEY,
                    device BLOB NOT NULL,
                    state TEXT NOT NULL,
                    since INTEGER NOT NULL,
                    late_since INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE contact_loss_hold (
                    one INTEGER PRIMARY KEY CHECK (one = 1),
                    since INTEGER NOT NULL
                ) STRICT;
                """)
    ]
}
