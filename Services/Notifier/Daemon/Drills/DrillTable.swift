import Model
import NotifierCore
import Store

/// Drills of circles, and their schedules.
extension NotifierStore {
    static let drillTables = """
        CREATE TABLE drills (
            id BLOB PRIMARY KEY,
            circle BLOB NOT NULL,
            starter BLOB NOT NULL,
            started INTEGER NOT NULL,
            ended INTEGER,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX drills_circle ON drills (circle, started);
        CREATE INDEX drills_ended ON drills (ended) WHERE ended IS NOT NULL;
        CREATE TABLE drill_schedules (
            circle BLOB PRIMARY KEY,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        """

    func save(_ row: Drill) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO drills (id, circle, starter, started, ended, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """, .id(row.id), .id(row.circle), .id(row.starter), .time(row.started),
            .time(row.ended), try text(row))
    }

    func save(_ row: DrillSchedule) throws {
        try database.run(
            "INSERT OR REPLACE INTO drill_schedules (circle, body) VALUES (?1, ?2)",
            .id(row.circle), try text(row))
    }

    /// The drills of a circle, newest first.
    func drills(of circle: CircleID, limit: Int) throws -> [Drill] {
        try database.all(
            "SELECT body FROM drills WHERE circle = ?1 ORDER BY started DESC LIMIT ?2",
            .id(circle), .integer(limit)
        ) { try NotifierStore.decode($0.text(0)) }
    }

    func drill(_ id: DrillID) throws -> Drill? {
        try first("SELECT body FROM drills WHERE id = ?1", .id(id))
    }

    /// Deletes the drills that a removed person started, and what others contain about them.
    func eraseDrills(of person: PersonID) throws {
        try database.run("DELETE FROM drills WHERE starter = ?1", .id(person))
        let others: [Drill] = try database.all(
            "SELECT body FROM drills WHERE instr(body, ?1) > 0", .text(person.description)
        ) { try NotifierStore.decode($0.text(0)) }
        for var drill in others {
            drill.erase(person)
            try save(drill)
        }
    }
}
