import Store

/// The store of a process, which outlives it, and a copy that may be restored.
final class Disk {
    let database: Database
    /// The step before which the copy was made; nil without one.
    private(set) var copied: Int?
    /// Ranges of steps that were lost because a copy was restored.
    private(set) var lost: [Range<Int>] = []

    init(migrations: [Migration]) throws {
        database = try Database(path: ":memory:", migrations: migrations)
        try database.execute(
            """
            CREATE TEMP TABLE empty (id INTEGER PRIMARY KEY);
            CREATE TEMP TABLE violation (
                id INTEGER REFERENCES empty (id) DEFERRABLE INITIALLY DEFERRED)
            """)
    }

    /// Makes the open transaction impossible to commit.
    func preventCommit() throws { try database.run("INSERT INTO temp.violation VALUES (1)") }

    /// Whether the commits of a step were lost by a restore.
    func hasLost(_ step: Int) -> Bool { lost.contains { $0.contains(step) } }

    /// Copies all tables.
    func copy(before step: Int) throws {
        if copied != nil { try database.execute("DETACH copy") }
        try database.execute("ATTACH ':memory:' AS copy")
        for table in try tables() {
            try database.execute("CREATE TABLE copy.\(table) AS SELECT * FROM main.\(table)")
        }
        try copySequences(from: "main", to: "copy")
        copied = step
    }

    /// Restores the copy.
    ///
    /// - Parameter step: the step in which its service was killed
    func restore(in step: Int) throws {
        guard let copied else { return }
        try database.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
        for table in try tables() {
            try database.execute(
                "DELETE FROM main.\(table); INSERT INTO main.\(table) SELECT * FROM copy.\(table)")
        }
        try copySequences(from: "copy", to: "main")
        try database.execute("COMMIT; PRAGMA foreign_keys = ON")
        lost.append(copied..<step + 1)
    }

    private func tables() throws -> [String] {
        try database.all(
            """
            SELECT name FROM main.sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name
            """
        ) { $0.text(0) }
    }

    /// The next values of automatic keys. The table cannot be created, only filled.
    private func copySequences(from: String, to: String) throws {
        let counts = try database.first(
            "SELECT count(*) FROM main.sqlite_schema WHERE name = 'sqlite_sequence'"
        ) { $0.int(0) }
        guard counts == 1 else { return }
        if to == "copy" {
            try database.execute(
                "CREATE TABLE copy.counters AS SELECT * FROM main.sqlite_sequence")
        } else {
            try database.execute(
                """
                DELETE FROM main.sqlite_sequence;
                INSERT INTO main.sqlite_sequence SELECT * FROM copy.counters
                """)
        }
    }
}
