import Model
import NotifierCore
import Parsing
import Store

/// Zone texts to numbers outside all circles.
extension NotifierStore {
    func save(_ row: ZoneText) throws {
        try database.run(
            """
            INSERT INTO texts (id, person, created, body) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (id) DO UPDATE SET body = ?4
            """, .id(row.id), .id(row.person), .time(row.created),
            .text(try JSON.encode(row).text))
    }

    func text(_ id: DraftID) throws -> ZoneText? {
        try database.first("SELECT body FROM texts WHERE id = ?1", .id(id)) {
            try NotifierStore.decode($0.text(0))
        }
    }

    func texts(
        of person: PersonID, before: Int64, limit: Int
    ) throws -> [(seq: Int64, row: ZoneText)] {
        try database.all(
            """
            SELECT seq, body FROM texts WHERE person = ?1 AND seq < ?2
            ORDER BY seq DESC LIMIT ?3
            """, .id(person), .integer(before), .integer(limit)
        ) { (seq: $0.int64(0), row: try NotifierStore.decode($0.text(1))) }
    }
}
