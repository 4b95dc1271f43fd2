import Store

/// The tables of membership's store, step by step.
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
                CREATE TABLE kept_answer (
                    id BLOB PRIMARY KEY,
                    fingerprint BLOB NOT NULL,
                    sealed BLOB NOT NULL,
                    created INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX kept_answer_created ON kept_answer (created);
                """)
    ]
}
