import Directory
import Model
import NotifierCore
import Parsing
import Store

/// Erases removed people from the store, in portions.
///
/// Each turn scans a portion of the messages. Erasure is repeated in each retention round for
/// ``Limits/erasureRepeatedFor``, as late messages may still arrive.
struct Erasures {
    private struct Erasure {
        var person: PersonID
        var addresses: Set<String>
        /// Sequence number of the last message scanned.
        var seen: Int64 = 0
        /// Rows erased.
        var found = 0
    }

    private let store: NotifierStore
    private var database: Database { store.database }
    private var open: [Erasure] = []

    init(store: NotifierStore) { self.store = store }

    mutating func load() throws {
        open = try database.all("SELECT person, addresses FROM erasure") { row in
            Erasure(
                person: row.id(0), addresses: Set(try JSON.parse(row.text(1)).decode([String].self))
            )
        }
    }

    var isActive: Bool { !open.isEmpty }

    /// - Parameter person: as last known to the directory
    mutating func begin(_ person: Person, at now: Timestamp) throws {
        let addresses = person.contacts.map(\.address)
        try database.run(
            "INSERT OR REPLACE INTO erasure (person, since, addresses) VALUES (?1, ?2, ?3)",
            .id(person.id), .time(now), .text(try JSON.encode(addresses).text))
        try load()
    }

    /// Repeats all recent erasures.
    mutating func beginRound(_ round: RetentionRound) throws {
        try database.run(
            "DELETE FROM erasure WHERE since < ?1", .time(round.at - Limits.erasureRepeatedFor))
        if database.lastChanges > 0 { database.truncateLogAfterCommit() }
        try load()
    }

    /// Erases one portion.
    ///
    /// - Returns: true if rows were erased that the core may have in memory
    mutating func step(in directory: Replica) throws -> Bool {
        guard var erasure = open.first else { return false }
        let rows = try database.all(
            "SELECT seq, body FROM notifications WHERE seq > ?1 ORDER BY seq LIMIT ?2",
            .integer(erasure.seen), .integer(Limits.pruneRowsMax)
        ) { row in
            (seq: row.int64(0), body: try NotifierStore.decode(row.text(1)) as Notification)
        }
        for (_, message) in rows where message.isOf(erasure.person, erasure.addresses) {
            try database.run("DELETE FROM sink WHERE notification = ?1", .id(message.id))
            try store.erase(message.id)
            erasure.found += 1
        }
        if let last = rows.last {
            erasure.seen = last.seq
            open[0] = erasure
            return false
        }
        try finish(&erasure, in: directory)
        open.removeFirst()
        return erasure.found > 0
    }

    private func finish(_ erasure: inout Erasure, in directory: Replica) throws {
        let person = erasure.person
        let others = Set(directory.sortedPeople.flatMap(\.contacts).map(\.address))
        try database.run("DELETE FROM links WHERE recipient = ?1", .id(person))
        erasure.found += database.lastChanges
        for table in ["timeline", "texts", "own_watches", "own_questions"] {
            try database.run("DELETE FROM \(table) WHERE person = ?1", .id(person))
        }
        for address in erasure.addresses.subtracting(others).sorted() {
            try database.run("DELETE FROM sink WHERE address = ?1", .text(address))
            try database.run("DELETE FROM numbers WHERE number = ?1", .text(address))
            try database.run("DELETE FROM position_queries WHERE number = ?1", .text(address))
            erasure.found += database.lastChanges
        }
        try store.eraseFollowedPositions(of: person)
        try store.eraseDrills(of: person)
        erasure.found += try store.eraseLiveLinks(of: person)
        let emergencies = try database.all(
            "SELECT id FROM emergencies WHERE json_extract(body, '$.person') = ?1",
            .text(person.description)
        ) { $0.id(0) as EmergencyID }
        for id in emergencies { try store.erase(id) }
        try database.run(
            "DELETE FROM signals WHERE json_extract(body, '$.signal.person') = ?1",
            .text(person.description))
        erasure.found += emergencies.count + database.lastChanges
        try database.run(
            "UPDATE erasure SET addresses = '[]' WHERE person = ?1", .id(person))
        // Deleted rows must also leave the write-ahead log.
        database.truncateLogAfterCommit()
    }
}

extension Notification {
    /// Whether a person is the recipient or the subject of a message.
    fileprivate func isOf(_ person: PersonID, _ addresses: Set<String>) -> Bool {
        self.person == person || recipient == person
            || recipient == nil && addresses.contains(address)
    }
}
