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

    /// - Returns: the person whose consent it is about; nil if there is no such request
    func record(_ change: ConsentChange) throws -> PersonID? {
        switch change {
        case .save(let row):
            try database.run(
                "INSERT OR REPLACE INTO consent VALUES (?1, ?2)", .id(row.id),
                .blob(try JSON.encode(row).serialized()))
            return row.person
        case .remove(let id):
            let row = try database.first("SELECT data FROM consent WHERE id = ?1", .id(id)) {
                try JSON.parse($0.blob(0)).decode(Consent.self)
            }
            try database.run("DELETE FROM consent WHERE id = ?1", .id(id))
            return row?.person
        }
    }

    static let migrationSQL = """
        CREATE TABLE consent (id BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;
        """
}
