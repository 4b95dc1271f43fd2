import CSQLite
import Glibc
import Runtime

/// What the store could not do.
public struct StoreError: ExplainedError, Hashable {
    /// `disk-full`, `io`, `locked`, `corrupt`, `newer`, `foreign`, `read-only`, `constraint`,
    /// `cannot-open`, `sql`.
    public var code: String
    /// Such as `commit` or the beginning of a statement, which holds placeholders, never data.
    public var operation: String
    public var message: String
    public var hint: String
    /// SQLite's extended result code; 0 where SQLite was not asked.
    public var result: Int32

    /// Whether the store itself is to blame, so that the same may work later: nothing that was
    /// asked of it was wrong.
    public var isOfTheStore: Bool { !["constraint", "sql", "foreign", "newer"].contains(code) }

    init(_ code: String, _ operation: String, _ message: String, hint: String) {
        self.code = code
        self.operation = operation
        self.message = message
        self.hint = hint
        result = 0
    }

    /// Reads result, text and system error of the last call on a connection.
    init(_ connection: OpaquePointer?, _ operation: String) {
        // SQLite keeps the system's error of a failed write, but not that of a failed COMMIT.
        let last = errno
        let kept = sqlite3_system_errno(connection)
        let system = kept != 0 ? kept : last
        self.operation = operation
        result = sqlite3_extended_errcode(connection)
        message = String(cString: sqlite3_errmsg(connection))
        code = StoreError.word(for: result, system: system)
        hint = StoreError.hint(for: code)
        if result & 0xFF == SQLITE_IOERR, system != 0 {
            message += " (\(String(cString: strerror(system))))"
        }
    }

    private static func word(for result: Int32, system: Int32) -> String {
        switch result & 0xFF {
        case SQLITE_FULL: "disk-full"
        case SQLITE_IOERR: [ENOSPC, EDQUOT, EFBIG].contains(system) ? "disk-full" : "io"
        case SQLITE_BUSY, SQLITE_LOCKED: "locked"
        case SQLITE_CORRUPT, SQLITE_NOTADB: "corrupt"
        case SQLITE_READONLY, SQLITE_PERM: "read-only"
        case SQLITE_CONSTRAINT: "constraint"
        case SQLITE_CANTOPEN: "cannot-open"
        case SQLITE_NOMEM, SQLITE_TOOBIG: "no-memory"
        case SQLITE_INTERRUPT: "interrupted"
        default: "sql"
        }
    }

    private static func hint(for code: String) -> String {
        switch code {
        case "disk-full": "Free space on the file system of the store; work goes on by itself."
        case "io": "Check the disk and the kernel's log."
        case "locked": "Another program writes to this store; stop it."
        case "no-memory": "Give the process more memory; work goes on by itself."
        case "corrupt":
            "Put the last backup in its place: jaga restore DIR --service NAME --force. It keeps "
                + "the damaged file."
        case "read-only", "cannot-open":
            "Let the user who runs this program own the store's folder and files."
        default: ""
        }
    }
}
