import Model
import Runtime
import Store

/// Time at which a service last ran on its store: one row, written once a minute. Detects outages.
///
/// A restored store, or one of a stopped service, is behind the wall clock. Items that became due
/// meanwhile may be outdated, or were sent from the original store, so an operator reviews them
/// first. A file next to the store has the same time: if the store's row is older, the store was
/// restored.
public struct LastAlive {
    static let migration = Migration(
        number: 1,
        sql: """
            CREATE TABLE last_alive (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                alive INTEGER NOT NULL,
                restored INTEGER NOT NULL DEFAULT 0,
                down INTEGER,
                up INTEGER
            ) STRICT
            """, component: "attendance")

    /// A store that is further behind the wall clock has had an ``Outage``.
    public static let outageMin = Duration.seconds(15 * 60)
    /// How often the row is written.
    static let interval = Duration.seconds(60)

    private let database: Database
    private var recorded: Timestamp?

    public init(_ database: Database) { self.database = database }

    /// Records the start of the service.
    ///
    /// - Parameters:
    ///   - hold: how long items that became due are held
    ///   - isNewHeld: whether a store that has never consumed a record treats everything before now
    ///     as due in an outage, because it cannot know what was sent. A new suite has no such
    ///     items.
    /// - Returns: the outage that has just ended, or an earlier one that is still held
    mutating func begin(
        at now: Timestamp, hold: Duration, isNewHeld: Bool = false
    ) throws -> Outage? {
        recorded = nil
        let row = try database.first("SELECT alive, restored, down, up FROM last_alive") {
            (
                alive: $0.time(0), isRestored: $0.flag(1), down: $0.optionalTime(2),
                up: $0.optionalTime(3)
            )
        }
        guard let row else {
            let isHeld = try isNewHeld && !hasConsumed()
            let outage = isHeld ? Outage(from: .zero, until: now, holdEnds: now + hold) : nil
            try database.run(
                "INSERT INTO last_alive (one, alive, down, up) VALUES (1, ?, ?, ?)", .time(now),
                .time(outage?.from), .time(outage?.until))
            return outage
        }
        var outage: Outage?
        // An outage that ended in the far future was recorded by a wrong clock: ignored.
        if let down = row.down, let up = row.up, now < up + hold, up <= now + hold {
            let until = min(up, now)
            outage = Outage(from: min(down, until), until: until, holdEnds: until + hold)
        }
        let isRestored = row.isRestored || fileTime.map { $0 > row.alive } ?? false
        if isRestored || now - row.alive > LastAlive.outageMin {
            // The outage of a new store has no start.
            let before = outage.flatMap { $0.from > .zero ? $0.from : nil } ?? row.alive
            outage = Outage(from: min(before, row.alive), until: now, holdEnds: now + hold)
        }
        try database.run(
            "UPDATE last_alive SET alive = ?, restored = 0, down = ?, up = ?", .time(now),
            .time(outage?.from), .time(outage?.until))
        return outage
    }

    /// Whether the service has consumed a stream before.
    private func hasConsumed() throws -> Bool {
        try database.scalar("SELECT count(*) FROM cursor") != .integer(0)
    }

    /// Writes the time once a minute, between turns. Errors are ignored, since the next minute
    /// tries again and no turn depends on it.
    mutating func record(_ now: Timestamp) {
        if let recorded, now - recorded < LastAlive.interval { return }
        recorded = now
        do {
            try database.transaction {
                try database.run("UPDATE last_alive SET alive = ?", .time(now))
            }
            // After the row, so that the file is newer only if the store was restored.
            guard let filePath else { return }
            try Files.write(
                Array("\((now - .zero).milliseconds)\n".utf8), to: filePath, mode: 0o600)
        } catch {}
    }

    /// Path of the file next to the store; nil for a store in memory.
    private var filePath: String? {
        guard let slash = database.path.lastIndex(of: "/") else { return nil }
        return database.path[...slash] + "last-alive"
    }

    private var fileTime: Timestamp? {
        guard let filePath, let bytes = try? Files.read(filePath, bytesMax: 64) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first
        return text.flatMap { Int64($0) }.map(Timestamp.init(milliseconds:))
    }

    /// Marks a restored store: its service holds everything that became due since the backup. Does
    /// nothing to a store without the table.
    public func markRestored() throws {
        let tables = try database.scalar(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'last_alive'")
        guard tables == .integer(1) else { return }
        try database.run("UPDATE last_alive SET restored = 1")
    }
}
