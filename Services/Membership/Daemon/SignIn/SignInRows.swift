import MembershipCore
import Model
import Parsing
import Store

/// Tables of codes to sign in with, and of attempts that count against limits.
struct SignInRows {
    let database: Database

    /// Loads the rows that are not expired.
    func load(_ policy: SignInCodes.Policy, at now: Timestamp) throws -> SignInCodes {
        let pending = try database.all("SELECT data FROM sign_in_code") {
            try JSON.parse($0.blob(0)).decode(SignInCode.self)
        }
        let attempts = try database.all(
            "SELECT data FROM sign_in_attempt WHERE at > ?1", .time(now - Limits.codeWindow)
        ) {
            try JSON.parse($0.blob(0)).decode(SignInAttempt.self)
        }
        return SignInCodes(policy, pending: pending, attempts: attempts)
    }

    func record(_ change: SignInChange) throws {
        switch change {
        case .save(let code):
            try database.run(
                "INSERT OR REPLACE INTO sign_in_code VALUES (?1, ?2, ?3)", .id(code.contact),
                .time(code.code.expires), .blob(try JSON.encode(code).serialized()))
        case .remove(let contact):
            try database.run("DELETE FROM sign_in_code WHERE contact = ?1", .id(contact))
        case .attempted(let attempt):
            try database.run(
                "INSERT INTO sign_in_attempt VALUES (?1, ?2)", .time(attempt.at),
                .blob(try JSON.encode(attempt).serialized()))
        case .forgotten(let end):
            try database.run("DELETE FROM sign_in_attempt WHERE at <= ?1", .time(end))
        }
    }

    /// Deletes codes that expired an hour ago, and attempts older than a day.
    func prune(at now: Timestamp) throws {
        try database.run(
            "DELETE FROM sign_in_code WHERE expires <= ?1", .time(now - Limits.signInWindow))
        try record(.forgotten(until: now - Limits.codeWindow))
    }

    static let migrationSQL = """
        CREATE TABLE sign_in_code (
            contact BLOB PRIMARY KEY, expires INTEGER NOT NULL, data BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE sign_in_attempt (at INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
        CREATE INDEX sign_in_attempt_at ON sign_in_attempt (at);
        """
}
