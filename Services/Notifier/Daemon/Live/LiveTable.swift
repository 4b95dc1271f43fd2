import Directory
import Model
import NotifierCore
import Store

/// Rows of live streams: what changed last at which record, and the chain of recent records.
struct LiveTable {
    let database: Database

    static let migrationSQL = """
        -- A subject is a text such as "circle cir_… members" or "gone cir_… per_…".
        CREATE TABLE live_change (
            subject TEXT PRIMARY KEY,
            sequence INTEGER NOT NULL,
            chain INTEGER NOT NULL,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX live_change_sequence ON live_change (sequence);
        -- Recent records of the directory, so that a position is known to be on its chain.
        CREATE TABLE live_record (
            sequence INTEGER PRIMARY KEY,
            chain INTEGER NOT NULL,
            applied INTEGER NOT NULL
        ) STRICT;
        """

    // MARK: Reading

    /// The changes after the oldest record.
    func load() throws -> LiveChanges {
        var changes = LiveChanges(floor: try bound("min") ?? 0)
        try database.rows("SELECT subject, sequence, chain, at FROM live_change") { row in
            guard let subject = LiveRow.Subject(row.text(0)) else { return }
            changes.load(LiveRow(subject: subject, mark: LiveTable.mark(row)))
        }
        return changes
    }

    /// The last record; nil if there is none. Its time is unknown.
    func head() throws -> LiveMark? {
        try database.first(
            "SELECT NULL, sequence, chain, 0 FROM live_record ORDER BY sequence DESC LIMIT 1"
        ) { LiveTable.mark($0) }
    }

    /// The last bits of the chain hash of a recent record; nil if it is unknown.
    func check(of sequence: UInt64) throws -> UInt16? {
        guard let sequence = Int64(exactly: sequence) else { return nil }
        return try database.first(
            "SELECT chain FROM live_record WHERE sequence = ?1", .integer(sequence)
        ) { UInt16(truncatingIfNeeded: $0.int64(0)) }
    }

    private func bound(_ function: String) throws -> UInt64? {
        try database.first("SELECT \(function)(sequence) FROM live_record") {
            $0.optionalInt64(0).map { UInt64(clamping: $0) }
        } ?? nil
    }

    private static func mark(_ row: borrowing Row) -> LiveMark {
        LiveMark(
            sequence: UInt64(clamping: row.int64(1)),
            check: UInt16(truncatingIfNeeded: row.int64(2)), time: row.time(3))
    }

    // MARK: Writing

    func save(_ row: LiveRow) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO live_change (subject, sequence, chain, at)
                VALUES (?1, ?2, ?3, ?4)
            """, .text(row.subject.text), .integer(Int64(clamping: row.mark.sequence)),
            .integer(Int64(row.mark.check)), .time(row.mark.time))
    }

    func append(_ mark: LiveMark, at now: Timestamp) throws {
        try database.run(
            "INSERT OR REPLACE INTO live_record (sequence, chain, applied) VALUES (?1, ?2, ?3)",
            .integer(Int64(clamping: mark.sequence)), .integer(Int64(mark.check)), .time(now))
    }

    func removeAll() throws {
        try database.run("DELETE FROM live_change")
        try database.run("DELETE FROM live_record")
    }

    /// Deletes records that were applied before a time or lie too far back, except the last one,
    /// and changes up to the oldest that is left.
    ///
    /// - Returns: the oldest record that is left; nil if nothing was deleted
    func prune(before time: Timestamp, head: UInt64) throws -> UInt64? {
        let least = head > Limits.liveRecordsKept ? head - Limits.liveRecordsKept : 0
        try database.run(
            """
            DELETE FROM live_record WHERE (applied < ?1 OR sequence < ?2)
                AND sequence < (SELECT max(sequence) FROM live_record)
            """, .time(time), .integer(Int64(clamping: least)))
        guard database.lastChanges > 0, let floor = try bound("min") else { return nil }
        try database.run(
            "DELETE FROM live_change WHERE sequence <= ?1", .integer(Int64(clamping: floor)))
        return floor
    }
}

extension LiveRow.Subject {
    fileprivate var text: String {
        switch self {
        case .circle(let id, let audience): "circle \(id) \(audience.rawValue)"
        case .person(let id): "person \(id)"
        case .gone(let item, let person): "gone \(item) \(person)"
        case .consents(let person, let reader): "consents \(person) \(reader)"
        }
    }

    /// Parses the output of ``text``.
    fileprivate init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("circle"?, 3):
            guard let id = CircleID(words[1]), let audience = CircleAudience(rawValue: words[2])
            else { return nil }
            self = .circle(id, audience)
        case ("person"?, 2):
            guard let id = PersonID(words[1]) else { return nil }
            self = .person(id)
        case ("gone"?, 3):
            guard let item = LiveItem(words[1]), let person = PersonID(words[2]) else {
                return nil
            }
            self = .gone(item, for: person)
        case ("consents"?, 3):
            guard let person = PersonID(words[1]), let reader = PersonID(words[2]) else {
                return nil
            }
            self = .consents(of: person, for: reader)
        default: return nil
        }
    }
}
