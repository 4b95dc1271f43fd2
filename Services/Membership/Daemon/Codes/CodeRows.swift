import MembershipCore
import Model
import Parsing
import Store

/// Tables of pending confirmation codes and of requests that count against rate limits.
struct CodeRows {
    let database: Database

    /// Loads the rows that are not expired.
    func load(at now: Timestamp) throws -> Codes {
        let end = Value.time(now - Limits.codeWindow)
        let pending = try database.all("SELECT data FROM code WHERE expires > ?1", end) {
            try JSON.parse($0.blob(0)).decode(PendingCode.self)
        }
        let requests = try database.all("SELECT data FROM code_ask WHERE at > ?1", end) {
            try JSON.parse($0.blob(0)).decode(CodeRequest.self)
        }
        return Codes(pending: pending, requests: requests)
    }

    func record(_ change: CodeChange) throws {
        switch change {
        case .save(let code):
            try database.run(
                "INSERT OR REPLACE INTO code VALUES (?1, ?2, ?3)", .id(code.subject.id),
                .time(code.code.expires), .blob(try JSON.encode(code).serialized()))
        case .remove(let subject):
            try database.run("DELETE FROM code WHERE message = ?1", .id(subject.id))
        case .requested(let request):
            try database.run(
                "INSERT INTO code_ask VALUES (?1, ?2)", .time(request.at),
                .blob(try JSON.encode(request).serialized()))
        case .send, .mail: break
        }
    }

    /// Deletes rows older than a day.
    func prune(at now: Timestamp) throws {
        let end = Value.time(now - Limits.codeWindow)
        try database.run("DELETE FROM code WHERE expires <= ?1", end)
        try database.run("DELETE FROM code_ask WHERE at <= ?1", end)
    }

    static let migrationSQL = """
        CREATE TABLE code (message BLOB PRIMARY KEY, expires INTEGER NOT NULL, data BLOB NOT NULL)
            STRICT, WITHOUT ROWID;
        CREATE TABLE code_ask (at INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
        CREATE INDEX code_ask_at ON code_ask (at);
        """
}
