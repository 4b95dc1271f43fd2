import Model

/// A step of a store's layout, applied once, in a transaction of its own, and never changed after.
public struct Migration: Hashable, Sendable {
    /// Whose tables: each component counts for itself, so that a step added to one never shifts the
    /// numbers of another. Empty: the service's own.
    public var component: String
    /// From 1, without holes within a component.
    public var number: Int
    /// Statements separated by semicolons.
    public var sql: String

    public init(number: Int, sql: String, component: String = "") {
        self.component = component
        self.number = number
        self.sql = sql
    }
}

extension Database {
    /// Applies what is missing; refuses a store that knows steps this program does not.
    ///
    /// `PRAGMA user_version` shows the number of the service's own last step.
    func migrate(_ migrations: [Migration]) throws(StoreError) {
        try execute(
            """
            CREATE TABLE IF NOT EXISTS migration (
                component TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (component, number)
            ) STRICT, WITHOUT ROWID
            """)
        let applied = try appliedMigrations()
        try refuseNewer(applied, than: migrations)
        let missing = migrations.filter { $0.number > applied[$0.component, default: 0] }
        if !missing.isEmpty, !applied.isEmpty { try keepCopy() }
        for migration in missing { try apply(migration) }
    }

    /// Refuses a store that knows steps this program does not, and changes nothing of it.
    ///
    /// - Throws: `newer`, and what opening a store throws
    public static func check(_ path: String, _ migrations: [Migration]) throws(StoreError) {
        let store = try Database(reading: path)
        // A store whose first start was cut off has no tables yet.
        guard try store.hasTable("migration") else { return }
        try store.refuseNewer(store.appliedMigrations(), than: migrations)
    }

    public func hasTable(_ name: String) throws(StoreError) -> Bool {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?"
        return try scalar(sql, .text(name)) == .integer(1)
    }

    private func refuseNewer(
        _ applied: [String: Int], than migrations: [Migration]
    ) throws(StoreError) {
        var known: [String: Int] = [:]
        for migration in migrations {
            invariant(
                migration.number == known[migration.component, default: 0] + 1,
                "migration \(migration.component) \(migration.number) is out of order")
            known[migration.component] = migration.number
        }
        for (component, number) in applied where number > known[component, default: 0] {
            throw StoreError(
                "newer", "open store \(path)",
                "it was written by a newer version (\(component.isEmpty ? "" : component + " ")"
                    + "step \(number), known up to \(known[component, default: 0]))",
                hint: "Run that version or a later one, or put back the backup made before it: "
                    + "jaga restore DIR --service NAME --force.")
        }
    }

    /// The last step of each component that was applied.
    public func appliedMigrations() throws(StoreError) -> [String: Int] {
        var applied: [String: Int] = [:]
        let sql = "SELECT component, max(number) FROM migration GROUP BY component"
        try visit(sql, []) { applied[$0.text(0)] = $0.int(1) }
        return applied
    }

    private func apply(_ migration: Migration) throws(StoreError) {
        try begin()
        do throws(StoreError) {
            try execute(migration.sql)
            try run(
                "INSERT INTO migration VALUES (?, ?)", .text(migration.component),
                .integer(migration.number))
            if migration.component.isEmpty {
                try execute("PRAGMA user_version = \(migration.number)")
            }
            try commit()
        } catch {
            rollback()
            throw error
        }
    }
}
