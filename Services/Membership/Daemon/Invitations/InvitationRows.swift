import MembershipCore
import Model
import Parsing
import Store

/// Table of invitations.
struct InvitationRows {
    let database: Database

    func load() throws -> Invitations {
        Invitations(
            try database.all("SELECT data FROM invitation") {
                try JSON.parse($0.blob(0)).decode(Invitation.self)
            })
    }

    func record(_ change: InvitationChange) throws {
        switch change {
        case .save(let row):
            try database.run(
                "INSERT OR REPLACE INTO invitation VALUES (?1, ?2, ?3)", .id(row.id),
                .time(row.expires), .blob(try JSON.encode(row).serialized()))
        case .remove(let id):
            try database.run("DELETE FROM invitation WHERE id = ?1", .id(id))
        }
    }

    static let migrationSQL = """
        CREATE TABLE invitation (id BLOB PRIMARY KEY, expires INTEGER NOT NULL, data BLOB NOT NULL)
            STRICT, WITHOUT ROWID;
        """
}
