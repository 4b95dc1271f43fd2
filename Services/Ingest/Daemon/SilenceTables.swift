import IngestCore
import Model
import Store

// Devices that would be missed, and those that are.
extension Tables {
    static let silences = """
        CREATE TABLE terms (
            person BLOB PRIMARY KEY,
            device BLOB NOT NULL,
            mark TEXT NOT NULL,
            max_silence INTEGER NOT NULL,
            told INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE silence (
            person BLOB PRIMARY KEY,
            device BLOB NOT NULL,
            state TEXT NOT NULL,
            since INTEGER NOT NULL,
            quiet INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE silence_hold (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            since INTEGER NOT NULL
        ) STRICT;
        """
}

extension StoredState {
    func loadSilences(into stored: inout Core.Stored) throws {
        stored.terms = try database.all(
            "SELECT person, device, mark, max_silence, told FROM terms"
        ) { row in
            TermsRow(
                person: row.id(0), device: row.id(1), mark: row.text(2),
                maxSilenceSeconds: Int32(clamping: row.int64(3)),
                toldSeconds: Int32(clamping: row.int64(4)))
        }
        stored.silences = try database.all(
            "SELECT person, device, state, since, quiet FROM silence"
        ) { row in
            SilenceRow(
                person: row.id(0), device: row.id(1),
                state: SilenceState(rawValue: row.text(2)) ?? .quiet, since: row.time(3),
                quiet: row.time(4))
        }
        stored.held = try database.first("SELECT since FROM silence_hold") { $0.time(0) }
    }
}

extension Writer {
    func writeSilence(_ effect: Effect) throws {
        switch effect {
        case .saveTerms(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO terms (person, device, mark, max_silence, told)
                VALUES (?, ?, ?, ?, ?)
                """, .id(row.person), .id(row.device), .text(row.mark),
                .integer(row.maxSilenceSeconds), .integer(row.toldSeconds))
        case .removeTerms(let person):
            try database.run("DELETE FROM terms WHERE person = ?", .id(person))
        case .saveSilence(let row):
            try database.run(
                """
                INSERT OR REPLACE INTO silence (person, device, state, since, quiet)
                VALUES (?, ?, ?, ?, ?)
                """, .id(row.person), .id(row.device), .text(row.state.rawValue),
                .time(row.since), .time(row.quiet))
        case .removeSilence(let person):
            try database.run("DELETE FROM silence WHERE person = ?", .id(person))
        case .saveHold(let since?):
            try database.run(
                "INSERT OR REPLACE INTO silence_hold (one, since) VALUES (1, ?)", .time(since))
        case .saveHold(nil): try database.run("DELETE FROM silence_hold")
        default: break
        }
    }
}
