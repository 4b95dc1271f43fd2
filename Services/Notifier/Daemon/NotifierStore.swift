import Model
import NotifierCore
import Parsing
import Store

/// Rows of the notifier in SQLite.
struct NotifierStore {
    let database: Database

    // MARK: Writing

    func save(_ row: NotifierRow) throws {
        switch row {
        case .emergency(let row): try save(row)
        case .escalation(let row): try save(row)
        case .signal(let row): try save(row)
        case .notification(let row): try save(row)
        case .attempt(let row): try save(row)
        case .gateway(let row):
            try database.run(
                "INSERT OR REPLACE INTO gateways (name, body) VALUES (?1, ?2)", .text(row.name),
                try text(row))
        case .text(let row): try save(row)
        case .number(let row): try save(row)
        case .link(let row): try save(row)
        case .watch(let row): try save(row)
        case .question(let row): try save(row)
        case .followedPosition(let row): try save(row)
        case .reporting(let row): try save(row)
        case .positionQuery(let row): try save(row)
        case .drill(let row): try save(row)
        case .drillSchedule(let row): try save(row)
        case .liveLink(let row): try save(row)
        case .change(let row): try append(row)
        case .timeline(let row): try append(row)
        }
    }

    func remove(_ key: NotifierKey) throws {
        switch key {
        case .signal(let id): try database.run("DELETE FROM signals WHERE id = ?1", .id(id))
        case .number(let number):
            try database.run("DELETE FROM numbers WHERE number = ?1", .text(number))
        case .watch(let person):
            try database.run("DELETE FROM own_watches WHERE person = ?1", .id(person))
        case .question(let hash): try removeQuestion(hash)
        case .reporting(let device): try removeReporting(of: device)
        case .positionQuery(let number):
            try database.run("DELETE FROM position_queries WHERE number = ?1", .text(number))
        case .drill(let id): try database.run("DELETE FROM drills WHERE id = ?1", .id(id))
        case .drillSchedule(let circle):
            try database.run("DELETE FROM drill_schedules WHERE circle = ?1", .id(circle))
        }
    }

    /// Marks an event as applied.
    ///
    /// - Returns: false if it already was
    func apply(_ id: EventID, at now: Timestamp) throws -> Bool {
        try database.run(
            "INSERT OR IGNORE INTO applied (id, at) VALUES (?1, ?2)", .id(id), .time(now))
        return database.lastChanges == 1
    }

    // MARK: Reading

    /// Loads the state of the core.
    func activeRows(at now: Timestamp) throws -> NotifierRows {
        var rows = NotifierRows()
        let recent = Value.time(now - Limits.endedEmergencyKept)
        let known = "SELECT id FROM emergencies WHERE ended IS NULL OR ended > ?1"
        rows.emergencies = try all("SELECT body FROM emergencies WHERE id IN (\(known))", recent)
        rows.escalations = try all(
            "SELECT body FROM escalations WHERE emergency IN (\(known))", recent)
        rows.signals = try all("SELECT body FROM signals")
        rows.gateways = try all("SELECT body FROM gateways")
        rows.numbers = try all("SELECT body FROM numbers")
        rows.links = try all("SELECT body FROM links WHERE emergency IN (\(known))", recent)
        rows.liveLinks = try all("SELECT body FROM live_links WHERE ended IS NULL")
        rows.watches = try all("SELECT body FROM own_watches")
        rows.questions = try all("SELECT body FROM own_questions")
        rows.positionQueries = try all("SELECT body FROM position_queries")
        rows.drills = try all(
            "SELECT body FROM drills WHERE ended IS NULL OR ended > ?1",
            .time(now - Limits.endedDrillKept))
        rows.drillSchedules = try all("SELECT body FROM drill_schedules")
        rows.notifications = try all(
            """
            SELECT body FROM notifications WHERE pending OR created > ?1
                OR emergency IN (SELECT id FROM emergencies WHERE ended IS NULL)
            """, .time(now - Limits.settledNotificationsKept))
        return rows
    }

    /// Returns a secret, which is created at its first use.
    func secret(_ name: String, orMake make: () -> [UInt8]) throws -> [UInt8] {
        let known = try database.first(
            "SELECT value FROM secrets WHERE name = ?1", .text(name)
        ) { $0.blob(0) }
        if let known { return known }
        let made = make()
        try database.run(
            "INSERT INTO secrets (name, value) VALUES (?1, ?2)", .text(name), .blob(made))
        return made
    }

    private func all<Body: Decodable>(_ sql: String, _ key: Value? = nil) throws -> [Body] {
        let texts =
            if let key { try database.all(sql, key) { $0.text(0) } } else {
                try database.all(sql) { $0.text(0) }
            }
        return try texts.map { try NotifierStore.decode($0) }
    }

    func first<Body: Decodable>(_ sql: String, _ key: Value) throws -> Body? {
        let text = try database.first(sql, key) { $0.text(0) }
        return try text.map { try NotifierStore.decode($0) }
    }

    static func decode<Body: Decodable>(_ text: String) throws -> Body {
        try JSON.parse(text).decode(Body.self)
    }

    func text(_ row: some Encodable) throws -> Value {
        .text(try JSON.encode(row).text)
    }
}
