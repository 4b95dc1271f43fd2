import Model
import Store

/// Rows of running timers.
struct PersonTimerRows {
    static let tableSQL = """
        CREATE TABLE timer (
            person BLOB PRIMARY KEY CHECK (length(person) = 16),
            text TEXT NOT NULL,
            started INTEGER NOT NULL,
            due INTEGER NOT NULL,
            trace TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    let database: Database

    func save(_ timer: PersonTimer) throws {
        try database.run(
            "INSERT OR REPLACE INTO timer VALUES (?, ?, ?, ?, ?)", .id(timer.person),
            .text(timer.text), .time(timer.started), .time(timer.due), .text(timer.trace))
    }

    func remove(_ person: PersonID) throws {
        try database.run("DELETE FROM timer WHERE person = ?", .id(person))
    }

    func running() throws -> [PersonTimer] {
        try database.all("SELECT person, text, started, due, trace FROM timer") { row in
            PersonTimer(
                person: row.id(0), text: row.text(1), started: row.time(2), due: row.time(3),
                trace: row.text(4))
        }
    }
}
