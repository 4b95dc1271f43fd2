import Model
import Parsing
import Store
import TimerCore

/// Rows of check-in schedules, of check-ins, and of signals that check-ins and duress PINs raised.
struct CheckInRows {
    static let tablesSQL = """
        CREATE TABLE check_in_schedule (
            id BLOB PRIMARY KEY CHECK (length(id) = 16),
            person BLOB NOT NULL,
            body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX check_in_schedule_person ON check_in_schedule (person);
        CREATE TABLE check_in (
            id BLOB PRIMARY KEY CHECK (length(id) = 16),
            person BLOB NOT NULL,
            state TEXT NOT NULL,
            changed INTEGER NOT NULL,
            body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX check_in_person ON check_in (person);
        CREATE INDEX check_in_changed ON check_in (changed);
        CREATE TABLE raised_signal (
            id BLOB PRIMARY KEY CHECK (length(id) = 16),
            person BLOB NOT NULL,
            received INTEGER NOT NULL,
            body TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    let database: Database

    // MARK: Schedules

    func save(_ row: ScheduledCheckIn) throws {
        try database.run(
            "INSERT OR REPLACE INTO check_in_schedule VALUES (?, ?, ?)", .id(row.schedule.id),
            .id(row.schedule.person), .text(try JSON.encode(row).text))
    }

    func remove(_ id: CheckInScheduleID) throws {
        try database.run("DELETE FROM check_in_schedule WHERE id = ?", .id(id))
    }

    func schedules() throws -> [ScheduledCheckIn] {
        try database.all("SELECT body FROM check_in_schedule") { try read($0) }
    }

    // MARK: Check-ins

    func save(_ checkIn: CheckIn, at now: Timestamp) throws {
        try database.run(
            "INSERT OR REPLACE INTO check_in VALUES (?, ?, ?, ?, ?)", .id(checkIn.id),
            .id(checkIn.person), .text(checkIn.state.rawValue), .time(now),
            .text(try JSON.encode(checkIn).text))
    }

    /// Check-ins that are open, or changed since a time, oldest first.
    func changed(since start: Timestamp) throws -> [(checkIn: CheckIn, at: Timestamp)] {
        try database.all(
            """
            SELECT body, changed FROM check_in
            WHERE changed >= ? OR state IN ('asked', 'reminded') ORDER BY changed, id
            """, .time(start)
        ) { (try read($0), $0.time(1)) }
    }

    /// Deletes check-ins that ended before a time.
    ///
    /// - Returns: how many, at most `limit`.
    func removeOver(before end: Timestamp, limit: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM check_in WHERE id IN (SELECT id FROM check_in
                WHERE changed < ? AND state NOT IN ('asked', 'reminded') LIMIT ?)
            """, .time(end), .integer(limit))
        return database.lastChanges
    }

    // MARK: Signals

    func save(_ signal: EmergencySignal) throws {
        try database.run(
            "INSERT OR REPLACE INTO raised_signal VALUES (?, ?, ?, ?)", .id(signal.id),
            .id(signal.person), .time(signal.received), .text(try JSON.encode(signal).text))
    }

    /// Signals since a time, oldest first.
    func signals(since start: Timestamp) throws -> [EmergencySignal] {
        try database.all(
            "SELECT body FROM raised_signal WHERE received >= ? ORDER BY received, id",
            .time(start)
        ) { try read($0) }
    }

    func removeSignals(before end: Timestamp) throws {
        try database.run("DELETE FROM raised_signal WHERE received < ?", .time(end))
    }

    // MARK: People

    func removeAll(of person: PersonID) throws {
        for table in ["check_in_schedule", "check_in", "raised_signal"] {
            try database.run("DELETE FROM \(table) WHERE person = ?", .id(person))
        }
    }

    private func read<Body: Decodable>(_ row: Row) throws -> Body {
        try JSON.parse(Array(row.text(0).utf8)).decode(Body.self)
    }
}
