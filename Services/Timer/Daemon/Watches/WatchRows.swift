import Model
import Store
import TimerCore

/// Rows of running watches and, for a while, ended ones.
struct WatchRows {
    let database: Database

    func save(_ timed: TimedWatch, at now: Timestamp) throws {
        let watch = timed.watch
        try database.run(
            """
            INSERT INTO watch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET deadline = excluded.deadline, note = excluded.note,
                state = excluded.state, version = excluded.version, reminder = excluded.reminder,
                changed = excluded.changed, destination = excluded.destination,
                recipients = excluded.recipients
            """,
            .id(watch.id), .id(watch.person), .time(watch.started), .time(watch.deadline),
            .integer(watch.graceSeconds), .text(watch.note), .text(watch.state.rawValue),
            .text(watch.trace), .integer(watch.version), .time(timed.reminder), .time(now),
            .id(watch.destination),
            .blob(watch.recipients.map { IDList.write($0.map(\.raw)) }))
    }

    func find(_ id: WatchID) throws -> TimedWatch? {
        try database.first(WatchRows.select + "WHERE id = ?", .id(id), as: read)
    }

    /// The running watches.
    func running() throws -> [TimedWatch] {
        try database.all(WatchRows.select + "WHERE state IN ('active', 'reminded')", as: read)
    }

    /// Watches that expired since a time, with their expiry, oldest first.
    func expired(since start: Timestamp) throws -> [(timed: TimedWatch, at: Timestamp)] {
        try database.all(
            WatchRows.select + "WHERE state = 'expired' AND changed >= ? ORDER BY changed, id",
            .time(start)
        ) { (try read($0), $0.time(10)) }
    }

    /// Lists watches, newest first.
    ///
    /// - Parameters:
    ///   - person: nil = everybody.
    ///   - mark: only watches after this one.
    func list(
        of person: PersonID?, after mark: WatchMark?, limit: Int
    ) throws -> [TimedWatch] {
        let behind = mark ?? WatchMark(started: .distantFuture, id: WatchID(.zero))
        let order = "(started, id) < (?, ?) ORDER BY started DESC, id DESC LIMIT ?"
        guard let person else {
            return try database.all(
                WatchRows.select + "WHERE " + order, .time(behind.started), .id(behind.id),
                .integer(limit), as: read)
        }
        return try database.all(
            WatchRows.select + "WHERE person = ? AND " + order, .id(person),
            .time(behind.started), .id(behind.id), .integer(limit), as: read)
    }

    func removeAll(of person: PersonID) throws {
        try database.run("DELETE FROM watch WHERE person = ?", .id(person))
        // Deleted data is also removed from the write-ahead log.
        database.truncateLogAfterCommit()
    }

    /// Deletes watches that ended before a time.
    ///
    /// - Returns: how many, at most `limit`.
    func removeOver(before end: Timestamp, limit: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM watch WHERE id IN (SELECT id FROM watch
                WHERE changed < ? AND state NOT IN ('active', 'reminded') LIMIT ?)
            """, .time(end), .integer(limit))
        return database.lastChanges
    }

    private static let select =
        "SELECT id, person, started, deadline, grace, note, state, trace, version, reminder, "
        + "changed, destination, recipients FROM watch "

    private func read(_ row: Row) throws -> TimedWatch {
        guard let state = WatchState(rawValue: row.text(6)) else {
            fatalError("broken invariant: watch row with an unknown state")
        }
        let watch = Watch(
            id: row.id(0), person: row.id(1), started: row.time(2), deadline: row.time(3),
            graceSeconds: row.int(4), note: row.optionalText(5), destination: row.optionalID(11),
            recipients: row.isNull(12) ? nil : IDList.read(row.blob(12)).map { PersonID($0) },
            state: state,
            trace: row.text(7), version: row.int64(8))
        return TimedWatch(watch: watch, reminder: row.time(9))
    }
}

/// A position in the list of watches, encoded as a cursor.
struct WatchMark: Hashable {
    var started: Timestamp
    var id: WatchID

    init(started: Timestamp, id: WatchID) {
        self.started = started
        self.id = id
    }

    /// Nil for a text that ``text`` did not produce.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = WatchID(parts[1]),
            let started = UntrustedNumber.integer(parts[0], in: 0...UntrustedNumber.most)
        else { return nil }
        self.init(started: Timestamp(microseconds: Int64(started)), id: id)
    }

    var text: String { "\(started.microseconds).\(id)" }
}
