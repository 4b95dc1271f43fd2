import IngestCore
import Model
import Store

/// People who are gone, until nothing of them is left here.
///
/// Rows go a portion a turn. What others told of somebody before they heard of it, and what records
/// and checkpoints still say, is looked for again in each round of the timer.
struct Erasures {
    private let database: Database
    /// Whose rows are looked for now.
    private var people: [PersonID] = []
    /// Everybody who was erased in the last days.
    private var gone: Set<PersonID> = []

    /// Tables whose rows name a person, and those whose rows name a device.
    static let tablesOfPeople = [
        "quarantine", "access", "decision", "emergency", "leader", "card", "offer", "terms",
        "silence", "watching", "disarmed", "kept_call",
    ]
    static let tablesOfDevices = [
        "condition", "locating", "tagged", "policy", "device_key", "device_topic", "diary",
    ]

    init(database: Database) { self.database = database }

    /// Goes on with those who were not done.
    mutating func load() throws {
        people = try database.all("SELECT person FROM erasure WHERE NOT is_clean") { $0.id(0) }
        gone = Set(try database.all("SELECT person FROM erasure") { $0.id(0) })
    }

    /// Whether nothing is to be written of somebody any more.
    func isGone(_ person: PersonID) -> Bool { gone.contains(person) }

    var isAtWork: Bool { !people.isEmpty }

    mutating func begin(_ person: PersonID, at now: Timestamp) throws {
        try database.run(
            "INSERT OR REPLACE INTO erasure (person, since, is_clean) VALUES (?, ?, 0)",
            .id(person), .time(now))
        if !people.contains(person) { people.append(person) }
        gone.insert(person)
        // What waits is known to nobody any more.
        try database.run(
            "DELETE FROM waiting WHERE device IN (SELECT number FROM device WHERE person = ?)",
            .id(person))
    }

    /// Looks at everybody again. Whom neither records nor checkpoints can name any more is done.
    ///
    /// - Parameters:
    ///   - end: how many records a partition has
    ///   - floor: up to which record no checkpoint needs them; nil = all are needed
    /// - Returns: partitions whose older checkpoint has to make room for a newer one
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
                database.cutLogAfterCommit()
                continue
            }
            try database.run("UPDATE erasure SET is_clean = 0 WHERE person = ?", .id(row.person))
        }
        try load()
        return behind.sorted()
    }

    /// One portion.
    mutating func step(_ service: IngestService) throws {
        guard let person = people.first, try isClean(of: person, service.writer.reports) else {
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
        try service.take(.erased(person))
        people.removeFirst()
        // What was deleted also goes from the file that pages are written to first.
        database.cutLogAfterCommit()
    }

    /// Whether no report of a person is left; else some go.
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

// The timer's clock, and what is to be forgotten by it.
extension IngestService {
    /// A round of forgetting begins.
    func begin(_ round: RetentionRound) throws {
        guard round.at <= outside.now + .seconds(Limits.clocksApartSeconds) else {
            return outside.log.warning(
                "nothing is forgotten: the timer's clock is far ahead of ours",
                ["timer": round.at, "hint": "Set the clocks right."])
        }
        guard try retention.begin(round) else { return }
        if let quiet = retention.journeyQuiet { try take(.endJourneys(quietFor: quiet)) }
        // Whoever is gone has been told of to evaluators by now, unless much is to be told.
        guard !core.hasWork else { return }
        let behind = try erasures.beginRound(
            at: round.at, end: { outside.position(of: .input($0))?.sequence ?? 0 },
            floor: ownership.pruneFloor)
        if !behind.isEmpty { try take(.renewCheckpoints(behind)) }
    }

    /// Forgets and erases a little; each turn.
    func forget() throws {
        if erasures.isAtWork {
            var erasures = erasures
            try erasures.step(self)
            self.erasures = erasures
        } else if retention.isAtWork {
            var retention = retention
            try retention.step(self)
            self.retention = retention
        }
    }

    /// Whether something waits to be forgotten.
    var isForgetting: Bool { erasures.isAtWork || retention.isAtWork }
}
