import IngestCore
import Model
import Store

/// Erases the data of removed people.
///
/// Each turn deletes a portion of their rows. Data that other services sent later, and data in
/// records and checkpoints, is searched again in each round of the timer.
struct Erasures {
    private let database: Database
    /// People whose rows are being deleted.
    private var people: [PersonID] = []
    /// All people erased in the last days.
    private var gone: Set<PersonID> = []

    /// Tables with a person column, and tables with a device column.
    static let tablesOfPeople = [
        "quarantine", "access", "decision", "emergency", "primary_device", "card", "suggestion",
        "contact_expectation", "contact_state", "watching", "disarmed", "deferred_call",
    ]
    static let tablesOfDevices = [
        "condition", "locating", "tagged", "policy", "device_key", "device_topic", "device_log",
    ]

    init(database: Database) { self.database = database }

    /// Continues unfinished erasures.
    mutating func load() throws {
        people = try database.all("SELECT person FROM erasure WHERE NOT is_clean") { $0.id(0) }
        gone = Set(try database.all("SELECT person FROM erasure") { $0.id(0) })
    }

    /// Whether nothing may be written about a person any more.
    func isGone(_ person: PersonID) -> Bool { gone.contains(person) }

    var isAtWork: Bool { !people.isEmpty }

    mutating func begin(_ person: PersonID, at now: Timestamp) throws {
        try database.run(
            "INSERT OR REPLACE INTO erasure (person, since, is_clean) VALUES (?, ?, 0)",
            .id(person), .time(now))
        if !people.contains(person) { people.append(person) }
        gone.insert(person)
        // The backlog would otherwise enter a log that no longer knows the person.
        try database.run(
            "DELETE FROM waiting WHERE device IN (SELECT number FROM device WHERE person = ?)",
            .id(person))
    }

    /// Restarts the search for all people. Those that neither records nor checkpoints can contain
    /// any more are finished.
    ///
    /// - Parameters:
    ///   - end: number of records in a partition
    ///   - floor: records up to this one are not needed by any checkpoint; nil = all are needed
    /// - Returns: partitions whose older checkpoint must be replaced by a newer one
    mutating func beginRound(
        at now: Timestamp, end: (Partition) -> UInt64, floor: (Partition) throws -> UInt64?
    ) throws -> [Partition] {
        var behind: Set<Partition> = []
        let rows = try database.all("SELECT person, since, sequence FROM erasure") { row in
            (person: row.id(0) as PersonID, since: row.time(1), end: row.optionalInt64(2))
        }
        for row in rows {
            let partition = Partition.of(row.person)
            let last = row.end.map { UInt64(clamping: $0) } ?? end(partition)
            if row.end == nil {
                try database.run(
                    "UPDATE erasure SET sequence = ? WHERE person = ?", .integer(last),
                    .id(row.person))
            }
            if last > 0, try floor(partition) ?? 0 < last {
                behind.insert(partition)
            } else if now - row.since > .seconds(Limits.erasedAgainSeconds) {
                try database.run("DELETE FROM erasure WHERE person = ?", .id(row.person))
                database.truncateLogAfterCommit()
                continue
            }
            try database.run("UPDATE erasure SET is_clean = 0 WHERE person = ?", .id(row.person))
        }
        try load()
        return behind.sorted()
    }

    /// Erases one portion.
    mutating func step(_ runner: CoreRunner) throws {
        guard let person = people.first, try isClean(of: person, runner.writer.intake.reports)
        else {
            return
        }
        for table in Erasures.tablesOfPeople {
            try database.run("DELETE FROM \(table) WHERE person = ?", .id(person))
        }
        for table in Erasures.tablesOfDevices {
            try database.run(
                """
                DELETE FROM \(table) WHERE device IN (SELECT device FROM device WHERE person = ?)
                """, .id(person))
        }
        try database.run("DELETE FROM device WHERE person = ?", .id(person))
        try database.run("UPDATE erasure SET is_clean = 1 WHERE person = ?", .id(person))
        try runner.handle(.erased(person))
        people.removeFirst()
        // Also removes the deleted data from the write-ahead log.
        database.truncateLogAfterCommit()
    }

    /// Whether no report of the person is left; deletes some otherwise.
    private func isClean(of person: PersonID, _ reports: ReportTable) throws -> Bool {
        let devices = try database.all(
            "SELECT number FROM device WHERE person = ?", .id(person)
        ) { $0.int64(0) }
        var room = Limits.rowsForgottenPerTurn
        for device in devices {
            room -= try reports.forget(of: device, before: .distantFuture, atMost: room)
            guard room > 0 else { return false }
            try database.run("DELETE FROM skewed WHERE device = ?", .integer(device))
        }
        return true
    }
}

extension Erasures {
    static let migrations = [
        Migration(
            number: 12,
            sql: """
                CREATE TABLE erasure (
                    person BLOB PRIMARY KEY,
                    since INTEGER NOT NULL,
                    is_clean INTEGER NOT NULL,
                    -- From this record of the partition on nothing names them; NULL = unknown.
                    sequence INTEGER
                ) STRICT, WITHOUT ROWID;
                """)
    ]
}
