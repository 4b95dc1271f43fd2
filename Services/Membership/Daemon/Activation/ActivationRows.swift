import MembershipCore
import Model
import Parsing
import Store

/// Table of activation codes.
struct ActivationRows {
    let database: Database

    func load() throws -> Activations {
        Activations(
            try database.all("SELECT data FROM activation") {
                try JSON.parse($0.blob(0)).decode(Activation.self)
            })
    }

    func record(_ change: ActivationChange) throws {
        switch change {
        case .save(let activation):
            try database.run(
                "INSERT OR REPLACE INTO activation VALUES (?1, ?2)", .id(activation.person),
                .blob(try JSON.encode(activation).serialized()))
        case .remove(let person):
            try database.run("DELETE FROM activation WHERE person = ?1", .id(person))
        }
    }

    static let migrationSQL = """
        CREATE TABLE activation (person BLOB PRIMARY KEY, data BLOB NOT NULL)
            STRICT, WITHOUT ROWID;
        """
}
