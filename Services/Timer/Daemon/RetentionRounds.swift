import Hashing
import Model
import Store

/// Says now and then that it is time to forget what is old. Everybody forgets by this one clock,
/// which the store holds: a round that came due while the timer was down is told at its start.
struct RetentionRounds {
    private let database: Database
    private let pause: Duration
    /// When the next one is due.
    private(set) var due = Timestamp.distantFuture

    init(database: Database, every pause: Duration) {
        self.database = database
        self.pause = pause
    }

    /// Goes on from the store, or begins to count.
    mutating func load(at now: Timestamp) throws {
        let stored = try database.first("SELECT due FROM retention") { $0.time(0) }
        // No later than one pause from now, should the setting or the clock be another.
        due = min(stored ?? .distantFuture, now + pause)
        if stored != due { try save() }
    }

    /// What is to be told on `fired` now; nil before its time.
    mutating func take(at now: Timestamp) throws -> Event? {
        guard due <= now else { return nil }
        due = now + pause
        try save()
        let id = Hash.meaning(
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
