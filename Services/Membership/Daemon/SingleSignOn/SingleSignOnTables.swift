import Hashing
import MembershipCore
import Model
import Parsing
import Store

/// Tables of sign-ins at providers, identities, their sessions, and used logout tokens.
struct SingleSignOnTables {
    let database: Database

    func load() throws -> [SingleSignOnChange] {
        try all("sign_in_flow", SignInFlow.self).map { .saveFlow($0) }
            + all("identity", Identity.self).map { .saveIdentity($0) }
            + all("provider_session", ProviderSession.self).map { .saveSession($0) }
            + all("logout_token", UsedLogoutToken.self).map { .saveToken($0) }
    }

    func record(_ change: SingleSignOnChange) throws {
        switch change {
        case .saveFlow(let flow): try put("sign_in_flow", .text(flow.id), flow)
        case .removeFlow(let id): try remove("sign_in_flow", .text(id))
        case .saveIdentity(let identity): try put("identity", key(identity.key), identity)
        case .removeIdentity(let key): try remove("identity", self.key(key))
        case .saveSession(let session): try put("provider_session", .id(session.id), session)
        case .removeSession(let id): try remove("provider_session", .id(id))
        case .saveToken(let token): try put("logout_token", .text(token.id), token)
        case .removeToken(let id): try remove("logout_token", .text(id))
        }
    }

    private func key(_ key: IdentityKey) -> Value { .text(key.issuer + "\n" + key.subject) }

    private func all<Row: Decodable>(_ table: String, _ type: Row.Type) throws -> [Row] {
        try database.all("SELECT data FROM \(table)") {
            try JSON.parse($0.blob(0)).decode(Row.self)
        }
    }

    private func put(_ table: String, _ id: Value, _ row: some Encodable) throws {
        try database.run(
            "INSERT OR REPLACE INTO \(table) VALUES (?1, ?2)", id,
            .blob(try JSON.encode(row).serialized()))
    }

    private func remove(_ table: String, _ id: Value) throws {
        try database.run("DELETE FROM \(table) WHERE id = ?1", id)
    }

    static let migrationSQL = """
        CREATE TABLE sign_in_flow (id TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE identity (id TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE provider_session (id BLOB PRIMARY KEY, data BLOB NOT NULL)
            STRICT, WITHOUT ROWID;
        CREATE TABLE logout_token (id TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;
        """
}
