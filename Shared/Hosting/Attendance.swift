import Model
import Runtime
import Store

/// When the service of a store last ran, as its store knows it: one row, written once a minute.
///
/// A store that was put back, or slept, is behind the wall clock. What became due meanwhile may be
/// outdated, or was told by whoever had the store: a human looks at it first. A file beside the
/// store has the same time: a store that is older than it was put there by somebody.
public struct Attendance {
    static let migration = Migration(
        number: 1,
        sql: """
            CREATE TABLE attendance (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                alive INTEGER NOT NULL,
                restored INTEGER NOT NULL DEFAULT 0,
                down INTEGER,
                up INTEGER
            ) STRICT
            """, component: "attendance")

    /// A store that is further behind the wall clock than this had an ``Outage``.
    public static let outageMin = Duration.seconds(15 * 60)
    /// So often the row is written.
    static let interval = Duration.seconds(60)

    private let database: Database
    private var noted: Timestamp?

    public init(_ database: Database) { self.database = database }

    /// The service runs from now on.
    ///
    /// - Parameters:
    ///   - hold: how long what became due is held
    ///   - isNewHeld: a store that has never read anything takes all that was before it for due in
    ///     an outage: nobody knows what was done about it. In a new suite there is nothing.
    /// - Returns: the outage that has just ended, or one whose hold has not
    mutating func begin(
        at now: Timestamp, hold: Duration, isNewHeld: Bool = false
    ) throws -> Outage? {
        noted = nil
        let row = try database.first("SELECT alive, restored, down, up FROM attendance") {
            (
                alive: $0.time(0), isRestored: $0.flag(1), down: $0.optionalTime(2),
                up: $0.optionalTime(3)
            )
        }
        guard let row else {
            let isHeld = try isNewHeld && !hasRead()
            let outage = isHeld ? Outage(from: .zero, until: now, holdEnds: now + hold) : nil
            try database.run(
                "INSERT INTO attendance (one, alive, down, up) VALUES (1, ?, ?, ?)", .time(now),
                .time(outage?.from), .time(outage?.until))
            return outage
        }
        var outage: Outage?
        // One that ended longer after now was noted by a clock that was far ahead: no time to hold
        // anything by.
        if let down = row.down, let up = row.up, now < up + hold, up <= now + hold {
            let until = min(up, now)
            outage = Outage(from: min(down, until), until: until, holdEnds: until + hold)
        }
        let isPutBack = row.isRestored || markedTime.map { $0 > row.alive } ?? false
        if isPutBack || now - row.alive > Attendance.outageMin {
            // That of a new store has no beginning.
            let before = outage.flatMap { $0.from > .zero ? $0.from : nil } ?? row.alive
            outage = Outage(from: min(before, row.alive), until: now, holdEnds: now + hold)
        }
        try database.run(
            "UPDATE attendance SET alive = ?, restored = 0, down = ?, up = ?", .time(now),
            .time(outage?.from), .time(outage?.until))
        return outage
    }

    /// Whether the service has read anything of others: a store from before there was attendance.
    private func hasRead() throws -> Bool {
        try database.scalar("SELECT count(*) FROM cursor") != .integer(0)
    }

    /// Keeps that the service runs, once in a while, between turns. What cannot be kept is kept a
    /// minute later: no turn is taken back for it.
    mutating func note(_ now: Timestamp) {
        if let noted, now - noted < Attendance.interval { return }
        noted = now
        do {
            try database.transaction {
                try database.run("UPDATE attendance SET alive = ?", .time(now))
            }
            // After the store, so that it is never behind but where it was put back.
            guard let mark else { return }
            try Files.write(Array("\((now - .zero).milliseconds)\n".utf8), to: mark, mode: 0o600)
        } catch {}
    }

    /// The file beside the store; nil for one in memory.
    private var mark: String? {
        guard let slash = database.path.lastIndex(of: "/") else { return nil }
        return database.path[...slash] + "alive"
    }

    private var markedTime: Timestamp? {
        guard let mark, let bytes = try? Files.read(mark, bytesMax: 64) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first
        return text.flatMap { Int64($0) }.map(Timestamp.init(milliseconds:))
    }

    /// Marks a store that was put back: its service holds what became due since, however long ago
    /// that is. A store from before there was attendance is left as it is.
    public func markRestored() throws {
        let isThere = try database.scalar(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'attendance'")
        guard isThere == .integer(1) else { return }
        try database.run("UPDATE attendance SET restored = 1")
    }
}
