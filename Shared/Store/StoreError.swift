import CSQLite
import Glibc
import Runtime

/// An error of a store.
public struct StoreError: ExplainedError, Hashable {
    /// `disk-full`, `io`, `locked`, `corrupt`, `newer`, `foreign`, `read-only`, `constraint`,
    /// `cannot-open`, `sql`.
    public var code: String
    /// The failed operation, such as `commit` or the start of a statement, which has placeholders
    /// but never data.
    public var operation: String
    public var message: String
    public var hint: String
    /// SQLite's extended result code; 0 if SQLite was not involved.
    public var result: Int32

    /// Whether the store is at fault rather than the request, so that repeating may succeed.
    public var isStoreFailure: Bool { !["constraint", "sql", "foreign", "newer"].contains(code) }

    init(_ code: String, _ operation: String, _ message: String, hint: String) {
        self.code = code
        self.operation = operation
        self.message = message
        self.hint = hint
        result = 0
    }

    /// Captures result, text and system error of a connection's last call.
    init(_ connection: OpaquePointer?, _ operation: String) {
        // SQLite records the system's error of a failed write, but not of a failed COMMIT.
        let last = errno
        let kept = sqlite3_system_errno(connection)
        let system = kept != 0 ? kept : last
        self.operation = operation
        result = sqlite3_extended_errcode(connection)
        message = String(cString: sqlite3_errmsg(connection))
        code = StoreError.code(for: result, system: system)
        hint = StoreError.hint(for: code)
        if result & 0xFF == SQLITE_IOERR, system != 0 {
            message += " (\(String(cString: strerror(system))))"
        }
    }

    private static func code(for result: Int32, system: Int32) -> String {
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
        case "disk-full": "Free space on the store's file system; the service recovers by itself."
        case "io": "Check the disk and the kernel log."
        case "locked": "Stop the other program that writes to this store."
        case "no-memory": "Give the process more memory; it recovers by itself."
        case "corrupt":
            "Restore the last backup: jaga restore DIR --service NAME --force. The damaged file is "
                + "kept."
        case "read-only", "cannot-open":
            "Make the user of this program the owner of the store's folder and files."
        default: ""
        }
    }
}
