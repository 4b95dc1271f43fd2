import Hosting
import Store

/// Migrations of membership's store.
enum Tables {
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE person (id BLOB PRIMARY KEY, data BLOB NOT NULL)
                    STRICT, WITHOUT ROWID;
                CREATE TABLE device (id BLOB PRIMARY KEY, data BLOB NOT NULL)
                    STRICT, WITHOUT ROWID;
                CREATE TABLE credential (id BLOB PRIMARY KEY, data BLOB NOT NULL)
                    STRICT, WITHOUT ROWID;
                CREATE TABLE circle (id BLOB PRIMARY KEY, data BLOB NOT NULL)
                    STRICT, WITHOUT ROWID;
                CREATE TABLE zone (id BLOB PRIMARY KEY, data BLOB NOT NULL)
                    STRICT, WITHOUT ROWID;
                """),
        Migration(
            number: 2,
            sql: """
                CREATE TABLE zone_set (id BLOB PRIMARY KEY, data BLOB NOT NULL)
                    STRICT, WITHOUT ROWID;
                CREATE TABLE message (id BLOB PRIMARY KEY, data BLOB NOT NULL)
                    STRICT, WITHOUT ROWID;
                """),
        Migration(number: 3, sql: CodeRows.migrationSQL),
        Migration(
            number: 4,
            sql: [
                SessionRows.migrationSQL, ActivationRows.migrationSQL,
                CredentialUseRows.migrationSQL,
            ].joined(separator: "\n")),
        Migration(number: 5, sql: CircleListTable.migrationSQL),
        Migration(
            number: 6,
            sql: """
                CREATE TABLE never_notify (person BLOB PRIMARY KEY, data BLOB NOT NULL)
                    STRICT, WITHOUT ROWID;
                """),
        Migration(
            number: 7,
            sql: SingleSignOnTables.migrationSQL + "\n" + PasskeyTables.migrationSQL),
        Migration(
            number: 8, sql: SignInRows.migrationSQL + "\n" + ContactReminderRows.migrationSQL),
        Migration(number: 9, sql: BillingEvents.migrationSQL),
        Migration(number: 10, sql: StateRows.migrationSQL),
        Migration(
            number: 11,
            sql: """
                CREATE TABLE pin (person BLOB PRIMARY KEY, data BLOB NOT NULL)
                    STRICT, WITHOUT ROWID;
                """),
        IdempotencyStore.migration,
    ]
}
