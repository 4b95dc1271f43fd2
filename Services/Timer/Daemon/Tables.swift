import Store

/// Migrations of the timer's store.
enum Tables {
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE deadline (
                    id BLOB PRIMARY KEY CHECK (length(id) = 16),
                    rule TEXT NOT NULL,
                    person BLOB NOT NULL,
                    emergency BLOB,
                    subject TEXT,
                    due INTEGER NOT NULL,
                    trace TEXT NOT NULL,
                    expired INTEGER,
                    late INTEGER NOT NULL DEFAULT 0
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX deadline_expired ON deadline (expired) WHERE expired IS NOT NULL;
                CREATE TABLE watch (
                    id BLOB PRIMARY KEY CHECK (length(id) = 16),
                    person BLOB NOT NULL,
                    started INTEGER NOT NULL,
                    deadline INTEGER NOT NULL,
                    grace INTEGER NOT NULL,
                    note TEXT,
                    state TEXT NOT NULL,
                    trace TEXT NOT NULL,
                    version INTEGER NOT NULL,
                    reminder INTEGER NOT NULL,
                    changed INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX watch_person ON watch (person, started);
                CREATE INDEX watch_started ON watch (started);
                CREATE INDEX watch_changed ON watch (changed);
                CREATE TABLE delivery_watchdog (
                    emergency BLOB PRIMARY KEY CHECK (length(emergency) = 16),
                    person BLOB NOT NULL,
                    countdown INTEGER NOT NULL,
                    state TEXT NOT NULL,
                    due INTEGER NOT NULL,
                    calls INTEGER NOT NULL,
                    call_accepted INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            number: 2,
            sql: """
                ALTER TABLE delivery_watchdog ADD COLUMN received INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE delivery_watchdog ADD COLUMN last_accepted INTEGER;
                ALTER TABLE delivery_watchdog ADD COLUMN joined BLOB;
                ALTER TABLE delivery_watchdog ADD COLUMN opened INTEGER NOT NULL DEFAULT 0;
                """),
        Migration(number: 3, sql: RetentionRounds.migrationSQL),
        Migration(
            number: 4,
            sql: """
                ALTER TABLE delivery_watchdog ADD COLUMN messages BLOB NOT NULL DEFAULT x'';
                ALTER TABLE delivery_watchdog ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
                \(ReachabilityRows.tablesSQL)
                """),
        Migration(
            number: 5,
            sql: """
                ALTER TABLE watch ADD COLUMN destination BLOB;
                ALTER TABLE watch ADD COLUMN recipients BLOB;
                """),
        Migration(
            number: 6, sql: CheckInRows.tablesSQL + "\n" + PersonTimerRows.tableSQL),
    ]
}
