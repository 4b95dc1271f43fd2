import MembershipCore
import Model
import Parsing
import Store

/// Table of requests for consent.
struct ConsentRows {
    let database: Database

    func load() throws -> Consents {
        Consents(
            try database.all("SELECT data FROM consent") {
                try JSON.parse($0.blob(0)).decode(Consent.self)
            })
    }

    func record(_ change: ConsentChange) throws {
        switch change {
        case .save(let row):
            try database.run(
                "INSERT OR REPLACE INTO consent VALUES (?1, ?2)", .id(row.id),
                .blob(try JSON.encode(row).serialized()))
        case .remove(let id): try database.run("DELETE FROM consent WHERE id = ?1", .id(id))
        }
    }

    static let migrationSQL = """
        CREATE TABLE consent (id BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;
        """
}
