import Glibc
import Model
import Runtime

// Whole copies of a store, made by SQLite: a file that is copied while its service writes to it may
// be malformed.
extension Database {
    /// Writes a copy of the store as of now, without its gaps, while others may write to the store.
    ///
    /// Once this returns, the copy is on the disk. What is left after an error is no store.
    ///
    /// - Parameter path: of a file that does not exist yet; it is made with rights 0600
    /// - Throws: `disk-full`, `corrupt`, `io`, `cannot-open` …
    public func copy(to path: String) throws {
        // SQLite fills an empty file, and would make a new one for everybody to read.
        try Files.write([], to: path, mode: 0o600)
        try run("VACUUM INTO ?", .text(path))
        try Files.sync(path)
    }

    /// What is damaged in the file, in SQLite's words; empty if nothing is.
    public func damages() throws -> [String] {
        let found = try all("PRAGMA integrity_check(10)") { $0.text(0) }
        return found == ["ok"] ? [] : found
    }

    /// The file that ``keepCopy()`` writes.
    static func copyBeforeUpgrade(of path: String) -> String { path + ".before-upgrade" }

    /// Keeps the store as it is now, before its layout changes: the way back to the version that
    /// wrote it. The copy of the upgrade before goes.
    func keepCopy() throws(StoreError) {
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
                hint: "Make room for a second copy of the store, and start again: nothing of the "
                    + "store was changed.")
            throw full
        }
    }
}
