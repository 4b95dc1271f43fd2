import NotifierCore
import Store

/// The last watch of each person.
extension NotifierStore {
    func save(_ row: OwnWatch) throws {
        try database.run(
            "INSERT OR REPLACE INTO own_watches (person, body) VALUES (?1, ?2)",
            .id(row.watch.person), try text(row))
    }
}
