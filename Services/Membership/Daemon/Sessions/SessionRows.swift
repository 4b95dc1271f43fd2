import MembershipCore
import Model
import Parsing
import Store

/// Table of sessions.
struct SessionRows {
    let database: Database

    func load() throws -> Sessions {
        Sessions(
            try database.all("SELECT data FROM session") {
                try JSON.parse($0.blob(0)).decode(Session.self)
            })
    }

    func record(_ change: SessionChange) throws {
        switch change {
        case .save(let session):
            try database.run(
                "INSERT OR REPLACE INTO session VALUES (?1, ?2)", .id(session.id),
                .blob(try JSON.encode(session).serialized()))
        case .remove(let id):
            try database.run("DELETE FROM session WHERE id = ?1", .id(id))
        }
    }

    static let migrationSQL = """
        CREATE TABLE session (id BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;
        """
}
