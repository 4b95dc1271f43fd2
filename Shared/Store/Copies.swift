import Glibc
import Model
import Runtime

// Copies of a store made by SQLite: copying the file while its service writes may give a malformed
// one.
extension Database {
    /// Writes a compact copy of the store, while others may write to the store.
    ///
    /// The copy is synced on return. After an error the file is unusable.
    ///
    /// - Parameter path: a new file; it gets mode 0600
    /// - Throws: `disk-full`, `corrupt`, `io`, `cannot-open` …
    public func copy(to path: String) throws {
        // SQLite fills an empty file; a new one would be readable for all.
        try Files.write([], to: path, mode: 0o600)
        try run("VACUUM INTO ?", .text(path))
        try Files.sync(path)
    }

    /// Checks the file's integrity. Returns SQLite's messages; empty if nothing is damaged.
    public func integrityProblems() throws -> [String] {
        let found = try all("PRAGMA integrity_check(10)") { $0.text(0) }
        return found == ["ok"] ? [] : found
    }

    /// The file that ``keepCopy()`` writes.
    static func copyBeforeUpgrade(of path: String) -> String { path + ".before-upgrade" }

    /// Copies the store before a migration, so that the previous version can be restored. Replaces
    /// the copy of the previous upgrade.
    func copyBeforeMigration() throws(StoreError) {
        guard path != ":memory:" else { return }
        let kept = Database.copyBeforeUpgrade(of: path)
        let draft = kept + ".new"
        do {
            try Files.remove(draft)
            try copy(to: draft)
            try Files.move(draft, to: kept)
        } catch {
            unlink(draft)
            let full = StoreError(
                (error as? StoreError)?.code ?? (error as? SystemError)?.code ?? "io",
                "copy \(path) before it is upgraded", "\(error)",
                hint: "Free space for a second copy of the store, and start again. The store is "
                    + "unchanged.")
            throw full
        }
    }
}
