import Model
import Store
import TimerCore

/// The rows of clocks: those that wait, and for a while those that fired.
struct ClockRows {
    let database: Database

    /// Ids and ends of those that wait.
    func pending() throws -> [(id: ClockID, due: Timestamp)] {
        try database.all("SELECT id, due FROM clock WHERE fired IS NULL") { row in
            (row.id(0), row.time(1))
        }
    }

    /// Keeps a clock; asked again, its new end counts, unless it has fired.
    func save(_ clock: WantedClock, trace: String) throws {
        try database.run(
            """
            INSERT INTO clock (id, rule, person, emergency, subject, due, trace)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET due = excluded.due, trace = excluded.trace
            WHERE fired IS NULL
            """,
            .id(clock.id), .text(clock.rule.rawValue), .id(clock.person), .id(clock.emergency),
            .text(clock.subject), .time(clock.due), .text(trace))
    }

    /// One that has not fired.
    func waiting(_ id: ClockID) throws -> WantedClock? {
        try database.first(ClockRows.select + "WHERE id = ? AND fired IS NULL", .id(id), as: clock)
    }

    func hasFired(_ id: ClockID) throws -> Bool {
        try database.scalar("SELECT 1 FROM clock WHERE id = ? AND fired IS NOT NULL", .id(id))
            == .integer(1)
    }

    func remove(_ id: ClockID) throws {
        try database.run("DELETE FROM clock WHERE id = ? AND fired IS NULL", .id(id))
    }

    /// Marks a clock as fired.
    ///
    /// - Returns: what to tell; nil when it has fired before or is not wanted.
    func fire(_ id: ClockID, late: Bool, at now: Timestamp) throws -> Event? {
        try database.run(
            "UPDATE clock SET fired = ?, late = ? WHERE id = ? AND fired IS NULL",
            .time(now), .flag(late), .id(id))
        guard database.lastChanges == 1 else { return nil }
        return try database.first(ClockRows.select + "WHERE id = ?", .id(id), as: event)
    }

    /// Deletes the clocks of a person who is gone, also those that fired: they say when something
    /// was waited for.
    func removeAll(of person: PersonID) throws {
        try database.run("DELETE FROM clock WHERE person = ?", .id(person))
    }

    /// What was told of clocks that fired since a time, oldest first.
    func fired(since start: Timestamp, limit: Int) throws -> [Event] {
        try database.all(
            "SELECT * FROM (\(ClockRows.select) WHERE fired >= ? ORDER BY fired DESC LIMIT ?) "
                + "ORDER BY fired, id",
            .time(start), .integer(limit), as: event)
    }

    /// Forgets clocks that fired before a time.
    ///
    /// - Returns: how many, at most `limit`.
    func removeFired(before end: Timestamp, limit: Int) throws -> Int {
        try database.run(
            "DELETE FROM clock WHERE id IN (SELECT id FROM clock WHERE fired < ? LIMIT ?)",
            .time(end), .integer(limit))
        return database.lastChanges
    }

    private static let select =
        "SELECT id, rule, person, emergency, subject, due, trace, fired, late FROM clock "

    private func event(_ row: Row) throws -> Event {
        TimerCore.fired(clock(row), late: row.flag(8), at: row.time(7), trace: row.text(6))
    }

    private func clock(_ row: Row) -> WantedClock {
        guard let rule = ClockRule(rawValue: row.text(1)) else {
            fatalError("broken invariant: a clock has a known rule")
        }
        return WantedClock(
            id: row.id(0), rule: rule, person: row.id(2), emergency: row.optionalID(3),
            subject: row.optionalText(4), due: row.time(5))
    }
}
