import Model
import NotifierCore
import Store

/// Personal links of recipients to the pages of emergencies.
extension NotifierStore {
    /// Hashes only: nobody can open a page with what is stored here.
    static let linkMigrationSQL = """
        CREATE TABLE links (
            hash BLOB PRIMARY KEY,
            emergency BLOB NOT NULL,
            recipient BLOB NOT NULL,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX links_emergency ON links (emergency);
        CREATE INDEX links_recipient ON links (recipient);
        """

    func save(_ row: PersonalLink) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO links (hash, emergency, recipient, body)
            VALUES (?1, ?2, ?3, ?4)
            """, .blob(row.hash.bytes), .id(row.emergency), .id(row.recipient), try text(row))
    }
}
