import Model
import NotifierCore
import Store

/// Emergencies, with their escalations in circles and their signals.
extension NotifierStore {
    func save(_ row: Emergency) throws {
        try database.run(
            "INSERT OR REPLACE INTO emergencies (id, ended, body) VALUES (?1, ?2, ?3)",
            .id(row.id), .time(row.ended), try text(row))
    }

    func save(_ row: CircleEscalation) throws {
        try database.run(
            "INSERT OR REPLACE INTO escalations (emergency, circle, body) VALUES (?1, ?2, ?3)",
            .id(row.emergency), .id(row.circle), try text(row))
    }

    func save(_ row: SignalWait) throws {
        try database.run(
            "INSERT OR REPLACE INTO signals (id, body) VALUES (?1, ?2)", .id(row.id), try text(row))
    }

    func emergency(_ id: EmergencyID) throws -> Emergency? {
        try first("SELECT body FROM emergencies WHERE id = ?1", .id(id))
    }

    /// Ended emergencies, newest end first.
    ///
    /// - Parameter before: microseconds since 1970, exclusive
    func endedEmergencies(
        for reader: PersonID?, before: Int64, limit: Int
    ) throws -> [(ended: Int64, row: Emergency)] {
        try database.all(
            """
            SELECT ended, body FROM emergencies WHERE ended IS NOT NULL AND ended < ?1
                AND (json_extract(body, '$.underDuress') IS NULL
                    OR json_extract(body, '$.person') IS NOT ?3)
            ORDER BY ended DESC LIMIT ?2
            """, .integer(before), .integer(limit),
            reader.map { .text($0.description) } ?? .null
        ) { (ended: $0.int64(0), row: try NotifierStore.decode($0.text(1))) }
    }

    /// Deletes an emergency with its escalations.
    func erase(_ emergency: EmergencyID) throws {
        try database.run("DELETE FROM escalations WHERE emergency = ?1", .id(emergency))
        try database.run("DELETE FROM links WHERE emergency = ?1", .id(emergency))
        try database.run("DELETE FROM emergencies WHERE id = ?1", .id(emergency))
    }
}
