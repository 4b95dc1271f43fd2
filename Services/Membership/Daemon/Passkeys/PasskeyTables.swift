import MembershipCore
import Model
import Parsing
import Store

/// Tables of passkeys and of challenges.
struct PasskeyTables {
    let database: Database

    func load() throws -> [PasskeyChange] {
        try database.all("SELECT data FROM passkey") {
            .save(try JSON.parse($0.blob(0)).decode(Passkey.self))
        }
            + database.all("SELECT data FROM passkey_challenge") {
                .saveChallenge(try JSON.parse($0.blob(0)).decode(PasskeyChallenge.self))
            }
    }

    func record(_ change: PasskeyChange) throws {
        switch change {
        case .save(let passkey):
            try database.run(
                "INSERT OR REPLACE INTO passkey VALUES (?1, ?2)", .id(passkey.id),
                .blob(try JSON.encode(passkey).serialized()))
        case .remove(let id): try database.run("DELETE FROM passkey WHERE id = ?1", .id(id))
        case .saveChallenge(let challenge):
            try database.run(
                "INSERT OR REPLACE INTO passkey_challenge VALUES (?1, ?2)", .text(challenge.id),
                .blob(try JSON.encode(challenge).serialized()))
        case .removeChallenge(let id):
            try database.run("DELETE FROM passkey_challenge WHERE id = ?1", .text(id))
        }
    }

    static let migrationSQL = """
        CREATE TABLE passkey (id BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE passkey_challenge (id TEXT PRIMARY KEY, data BLOB NOT NULL)
            STRICT, WITHOUT ROWID;
        """
}
