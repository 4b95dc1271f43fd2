import Model
import Store

/// Table of the days on which credentials were last used.
struct CredentialUseRows {
    let database: Database

    /// Uses that arrive late, or twice, change nothing. So do those of removed credentials: their
    /// rows are deleted by ``prune()``.
    func record(_ usage: CredentialUsage) throws {
        for credential in usage.credentials {
            try database.run(
                """
                INSERT INTO credential_use VALUES (?1, ?2)
                ON CONFLICT (credential) DO UPDATE SET day = excluded.day
                WHERE day < excluded.day
                """, .id(credential), .integer(usage.day))
        }
    }

    /// The day on which a credential was last used, such as `2026-11-23`; nil if it never was.
    func lastUse(of credential: CredentialID) throws -> String? {
        try database.first(
            "SELECT day FROM credential_use WHERE credential = ?1", .id(credential)
        ) { String(Timestamp(seconds: $0.int64(0) * 86_400).description.prefix(10)) }
    }

    /// Deletes rows of removed credentials.
    func prune() throws {
        try database.run(
            """
            DELETE FROM credential_use
            WHERE NOT EXISTS (SELECT 1 FROM credential WHERE id = credential_use.credential)
            """)
    }

    static let migrationSQL = """
        CREATE TABLE credential_use (credential BLOB PRIMARY KEY, day INTEGER NOT NULL)
            STRICT, WITHOUT ROWID;
        """
}
