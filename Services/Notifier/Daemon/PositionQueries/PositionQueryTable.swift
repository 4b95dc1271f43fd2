import NotifierCore
import Store

/// What numbers ask about positions.
extension NotifierStore {
    static let positionQueryTable = """
        CREATE TABLE position_queries (
            number TEXT PRIMARY KEY,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        """

    func save(_ row: PositionQueryRow) throws {
        try database.run(
            "INSERT OR REPLACE INTO position_queries (number, body) VALUES (?1, ?2)",
            .text(row.number), try text(row))
    }
}
