import Hashing
import Model
import Store

/// Publishes when all services have to delete expired data. The due time is stored: a round that
/// became due while the timer was down is published at its start.
struct RetentionRounds {
    private let database: Database
    private let pause: Duration
    /// When the next round is due.
    private(set) var due = Timestamp.distantFuture

    init(database: Database, every pause: Duration) {
        self.database = database
        self.pause = pause
    }

    /// Loads the due time, or starts the first interval.
    mutating func load(at now: Timestamp) throws {
        let stored = try database.first("SELECT due FROM retention") { $0.time(0) }
        // At most one interval from now, in case the setting or the system clock changed.
        due = min(stored ?? .distantFuture, now + pause)
        if stored != due { try save() }
    }

    /// Returns the event to publish if a round is due; nil otherwise.
    mutating func popDue(at now: Timestamp) throws -> Event? {
        guard due <= now else { return nil }
        due = now + pause
        try save()
        let id = Hash.derivedID(
            kind: .retentionDue, person: nil, subject: .number(0),
            cause: Hash.id("at", .number(now.microseconds)))
        return Event(id: id, time: now, body: .retentionDue(RetentionRound(at: now)))
    }

    private func save() throws {
        try database.run(
            "INSERT OR REPLACE INTO retention (one, due) VALUES (1, ?)", .time(due))
    }

    static let migrationSQL = """
        CREATE TABLE retention (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            due INTEGER NOT NULL
        ) STRICT;
        """
}
