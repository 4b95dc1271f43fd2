import Model
import Store
import TimerCore

/// Rows of pending deadlines and, for a while, expired ones.
struct DeadlineRows {
    let database: Database

    /// Ids and due times of pending deadlines.
    func pending() throws -> [(id: DeadlineID, due: Timestamp)] {
        try database.all("SELECT id, due FROM deadline WHERE expired IS NULL") { row in
            (row.id(0), row.time(1))
        }
    }

    /// Saves a deadline. A pending one gets the new due time; an expired one stays unchanged.
    func save(_ deadline: Deadline, trace: String) throws {
        try database.run(
            """
            INSERT INTO deadline (id, rule, person, emergency, subject, due, trace)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET due = excluded.due, trace = excluded.trace
            WHERE expired IS NULL
            """,
            .id(deadline.id), .text(deadline.kind.rawValue), .id(deadline.person),
            .id(deadline.emergency),
            .text(deadline.subject), .time(deadline.due), .text(trace))
    }

    /// Finds a pending deadline.
    func findPending(_ id: DeadlineID) throws -> Deadline? {
        try database.first(
            DeadlineRows.select + "WHERE id = ? AND expired IS NULL", .id(id), as: deadline)
    }

    func hasExpired(_ id: DeadlineID) throws -> Bool {
        try database.scalar("SELECT 1 FROM deadline WHERE id = ? AND expired IS NOT NULL", .id(id))
            == .integer(1)
    }

    func remove(_ id: DeadlineID) throws {
        try database.run("DELETE FROM deadline WHERE id = ? AND expired IS NULL", .id(id))
    }

    /// Marks a deadline as expired.
    ///
    /// - Returns: the event to publish; nil if it has expired before or does not exist.
    func expire(_ id: DeadlineID, late: Bool, at now: Timestamp) throws -> Event? {
        try database.run(
            "UPDATE deadline SET expired = ?, late = ? WHERE id = ? AND expired IS NULL",
            .time(now), .flag(late), .id(id))
        guard database.lastChanges == 1 else { return nil }
        return try database.first(DeadlineRows.select + "WHERE id = ?", .id(id), as: event)
    }

    /// Deletes all deadlines of a removed person, including expired ones: they reveal when
    /// something was due.
    func removeAll(of person: PersonID) throws {
        try database.run("DELETE FROM deadline WHERE person = ?", .id(person))
    }

    /// Events of deadlines that expired since a time, oldest first.
    func expired(since start: Timestamp, limit: Int) throws -> [Event] {
        try database.all(
            "SELECT * FROM (\(DeadlineRows.select) WHERE expired >= ? "
                + "ORDER BY expired DESC LIMIT ?) "
                + "ORDER BY expired, id",
            .time(start), .integer(limit), as: event)
    }

    /// Deletes deadlines that expired before a time.
    ///
    /// - Returns: how many, at most `limit`.
    func removeExpired(before end: Timestamp, limit: Int) throws -> Int {
        try database.run(
            "DELETE FROM deadline WHERE id IN (SELECT id FROM deadline WHERE expired < ? LIMIT ?)",
            .time(end), .integer(limit))
        return database.lastChanges
    }

    private static let select =
        "SELECT id, rule, person, emergency, subject, due, trace, expired, late FROM deadline "

    private func event(_ row: Row) throws -> Event {
        Event.expired(deadline(row), late: row.flag(8), at: row.time(7), trace: row.text(6))
    }

    private func deadline(_ row: Row) -> Deadline {
        guard let rule = DeadlineKind(rawValue: row.text(1)) else {
            fatalError("broken invariant: deadline row with an unknown kind")
        }
        return Deadline(
            id: row.id(0), kind: rule, person: row.id(2), emergency: row.optionalID(3),
            subject: row.optionalText(4), due: row.time(5))
    }
}
