import IngestCore
import Model
import Store

// Contact expectations and contact states.
extension Tables {
    static let contactStates = """
        CREATE TABLE terms (
            person BLOB PRIMARY KEY,
            device BLOB NOT NULL,
            mark TEXT NOT NULL,
            contact_timeout INTEGER NOT NULL,
            told INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE contact_state (
            person BLOB PRIMARY KEY,
            device BLOB NOT NULL,
            state TEXT NOT NULL,
            since INTEGER NOT NULL,
            quiet INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE contact_loss_hold (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            since INTEGER NOT NULL
        ) STRICT;
        """
}

extension StoredState {
    func loadContactStates(into stored: inout Core.Stored) throws {
        stored.expectations = try database.all(
            "SELECT person, device, mark, contact_timeout, told FROM terms"
        ) { row in
            ExpectationRow(
                person: row.id(0), device: row.id(1), mark: row.text(2),
                contactTimeoutSeconds: Int32(clamping: row.int64(3)),
                knownTimeoutSeconds: Int32(clamping: row.int64(4)))
        }
        stored.contactStates = try database.all(
            "SELECT person, device, state, since, quiet FROM contact_state"
        ) { row in
            ContactRow(
                person: row.id(0), device: row.id(1),
                state: ContactState(rawValue: row.text(2)) ?? .quiet, since: row.time(3),
                lateSince: row.time(4))
        }
        stored.contactLossHeldSince = try database.first("SELECT since FROM contact_loss_hold") {
            $0.time(0)
        }
    }
}

extension Writer {
    func writeContactState(_ effect: Effect) throws {
        switch effect {
        case .saveExpectation(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO terms (person, device, mark, contact_timeout, told)
                VALUES (?, ?, ?, ?, ?)
                """, .id(row.person), .id(row.device), .text(row.mark),
                .integer(row.contactTimeoutSeconds), .integer(row.knownTimeoutSeconds))
        case .removeExpectation(let person):
            try database.run("DELETE FROM terms WHERE person = ?", .id(person))
        case .saveContactState(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO contact_state (person, device, state, since, quiet)
                VALUES (?, ?, ?, ?, ?)
                """, .id(row.person), .id(row.device), .text(row.state.rawValue),
                .time(row.since), .time(row.lateSince))
        case .removeContactState(let person):
            try database.run("DELETE FROM contact_state WHERE person = ?", .id(person))
        case .saveContactLossHold(let since?):
            try database.run(
                "INSERT OR REPLACE INTO contact_loss_hold (one, since) VALUES (1, ?)", .time(since))
        case .saveContactLossHold(nil): try database.run("DELETE FROM contact_loss_hold")
        default: break
        }
    }
}
