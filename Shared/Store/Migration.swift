import Model

/// A schema change, applied once, in its own transaction. Never change an applied migration.
public struct Migration: Hashable, Sendable {
    /// The component whose tables it creates; empty = the service. Each component has its own
    /// numbers, so that adding a migration to one does not renumber others.
    public var component: String
    /// Consecutive within a component, starting at 1.
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
    /// Applies missing migrations; rejects a store with unknown ones.
    ///
    /// `PRAGMA user_version` is the number of the service's last migration.
    func migrate(_ migrations: [Migration]) throws(StoreError) {
        try execute(
            """
            CREATE TABLE IF NOT EXISTS migration (
                component TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (component, number)
            ) STRICT, WITHOUT ROWID
            """)
        let applied = try appliedMigrations()
        try rejectNewer(applied, than: migrations)
        let missing = migrations.filter { $0.number > applied[$0.component, default: 0] }
        if !missing.isEmpty, !applied.isEmpty { try copyBeforeMigration() }
        for migration in missing { try apply(migration) }
    }

    /// Rejects a store with unknown migrations, without changing it.
    ///
    /// - Throws: `newer`; errors of opening a store
    public static func check(_ path: String, _ migrations: [Migration]) throws(StoreError) {
        let store = try Database(reading: path)
        // A store whose first start was interrupted has no tables yet.
        guard try store.hasTable("migration") else { return }
        try store.rejectNewer(store.appliedMigrations(), than: migrations)
    }

    public func hasTable(_ name: String) throws(StoreError) -> Bool {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?"
        return try scalar(sql, .text(name)) == .integer(1)
    }

    private func rejectNewer(
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
                    + "migration \(number), known up to \(known[component, default: 0]))",
                hint: "Run that version or a later one, or restore the backup from before the "
                    + "upgrade: jaga restore DIR --service NAME --force.")
        }
    }

    /// The number of the last applied migration per component.
    public func appliedMigrations() throws(StoreError) -> [String: Int] {
        var applied: [String: Int] = [:]
        let sql = "SELECT component, max(number) FROM migration GROUP BY component"
        try forEachRow(sql, []) { applied[$0.text(0)] = $0.int(1) }
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
