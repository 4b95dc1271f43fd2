import CSQLite
import Glibc
import Model
import Runtime

/// An SQLite database, used by one thread.
///
/// Uses a write-ahead log with `synchronous=FULL`: committed transactions survive a power cut.
/// Deleted data is overwritten with zeros.
///
/// ```swift
/// let database = try Database(path: home + "/timer/store.sqlite", migrations: Tables.migrations)
/// try database.begin()
/// let sql = "INSERT INTO deadline (id, due) VALUES (?, ?)"
/// try database.run(sql, .id(deadline.id), .time(deadline.due))
/// try database.commit()
/// ```
public final class Database {
    /// Path of the file; `:memory:` for a database in memory.
    public let path: String
    private let connection: Connection
    private var statements: [String: Statement] = [:]
    private var truncatesLog = false
    private var checkpointer: Checkpointer?
    private let log = LogLength()

    /// How long to wait for a lock held by another process, milliseconds.
    static let busyMilliseconds = 1000
    /// Length of the write-ahead log that starts a checkpoint, in pages of 4 KiB …
    static let checkpointPages = 1000
    /// … and its size in bytes after being truncated.
    static let journalBytesMax = 16 * 1024 * 1024
    /// The maximum number of cached statements; statement texts are constants.
    static let statementsMax = 500
    /// Application id that marks a file as a store of Jaga: the letters `Jaga`.
    static let applicationID: Int64 = 0x4A61_6761

    /// Opens or creates the store and applies missing migrations.
    ///
    /// - Parameters:
    ///   - path: a file in an existing folder, or `:memory:`
    ///   - migrations: all migrations, ascending within each component; nil = apply none
    /// - Throws: `cannot-open`, `corrupt`, `newer`, `foreign`, `locked`, `disk-full` …
    public init(path: String, migrations: [Migration]?) throws(StoreError) {
        self.path = path
        connection = try Connection(path: path)
        sqlite3_busy_timeout(connection.pointer, Int32(Database.busyMilliseconds))
        try checkOwner()
        try execute(
            """
            PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON;
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
            PRAGMA wal_autocheckpoint = \(Database.checkpointPages);
            PRAGMA journal_size_limit = \(Database.journalBytesMax); PRAGMA temp_store = MEMORY;
            PRAGMA application_id = \(Database.applicationID)
            """)
        if let migrations { try migrate(migrations) }
    }

    /// Opens a store for reading, while its service may run.
    ///
    /// - Parameters:
    ///   - path: an existing store of any version
    ///   - isImmutable: whether nobody can write to it, such as a backup; then no files are created
    ///     beside it
    /// - Throws: `cannot-open`, `corrupt`, `foreign`, `locked`
    public init(reading path: String, isImmutable: Bool = false) throws(StoreError) {
        self.path = path
        connection = try Connection(reading: path, isImmutable: isImmutable)
        sqlite3_busy_timeout(connection.pointer, Int32(Database.busyMilliseconds))
        try checkOwner()
    }

    /// Rejects a database of another application before anything is written to it.
    private func checkOwner() throws(StoreError) {
        let owner: Value?
        let tables: Value?
        do {
            owner = try scalar("PRAGMA application_id")
            tables = try scalar("SELECT count(*) FROM sqlite_schema")
        } catch {
            // For the first statement, the file's path says more than the statement.
            var error = error
            error.operation = "open store \(path)"
            throw error
        }
        if owner == .integer(Database.applicationID) || tables == .integer(0) { return }
        throw StoreError(
            "foreign", "open store \(path)", "this database was not created by Jaga",
            hint: "Move it away, or choose another folder with --home.")
    }

    // MARK: Transactions

    /// Begins a write transaction, acquiring the lock immediately.
    public func begin() throws(StoreError) {
        invariant(!isInTransaction, "a transaction is open already")
        try run("BEGIN IMMEDIATE")
    }

    /// Commits the transaction. After an error call ``rollback()``.
    public func commit() throws(StoreError) {
        invariant(isInTransaction, "there is no transaction to commit")
        try run("COMMIT")
        if truncatesLog { truncateLog() }
        checkpointer?.committed(log.frames)
    }

    /// Moves checkpoints of the write-ahead log to their own thread, for stores with constant
    /// writes and waiting clients. See ``Checkpointer``.
    public func startCheckpointThread() throws(StoreError) {
        guard path != ":memory:", case .integer(let pageBytes) = try scalar("PRAGMA page_size")
        else { return }
        try execute("PRAGMA wal_autocheckpoint = 0")
        checkpointer = try Checkpointer(connection, path: path, pageBytes: Int(pageBytes))
        sqlite3_wal_hook(
            connection.pointer,
            { context, _, _, frames in
                Unmanaged<LogLength>.fromOpaque(context!).takeUnretainedValue().frames = Int(frames)
                return SQLITE_OK
            }, Unmanaged.passUnretained(log).toOpaque())
    }

    /// Truncates the write-ahead log after the next commit, so that no deleted data is left in it.
    /// If a reader prevents it, each further commit tries again.
    public func truncateLogAfterCommit() { truncatesLog = true }

    private func truncateLog() {
        sqlite3_busy_timeout(connection.pointer, 0)
        defer { sqlite3_busy_timeout(connection.pointer, Int32(Database.busyMilliseconds)) }
        let result = sqlite3_wal_checkpoint_v2(
            connection.pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        truncatesLog = result != SQLITE_OK
    }

    /// Rolls back the transaction. Does nothing without one: SQLite may end it after a disk error.
    public func rollback() {
        if isInTransaction { sqlite3_exec(connection.pointer, "ROLLBACK", nil, nil, nil) }
        invariant(!isInTransaction, "a rollback cannot fail")
    }

    public var isInTransaction: Bool { sqlite3_get_autocommit(connection.pointer) == 0 }

    /// Runs the body in a transaction; rolls back if it throws.
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try begin()
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    // MARK: Statements

    /// Runs a statement; its rows are discarded.
    ///
    /// - Parameters:
    ///   - sql: a constant text with `?` for each value; the prepared statement is cached
    ///   - values: in the order of their placeholders
    public func run(_ sql: String, _ values: Value...) throws(StoreError) {
        try forEachRow(sql, values) { _ in }
    }

    /// The number of rows that the last statement inserted, changed or deleted.
    public var lastChanges: Int { Int(sqlite3_changes64(connection.pointer)) }

    /// Calls the closure for each row; the closure may run other statements.
    public func rows(
        _ sql: String, _ values: Value..., each: (Row) throws -> Void
    ) throws {
        try query(sql, values) { row in
            try each(row)
            return true
        }
    }

    /// Calls the closure for each row until it returns false; the closure may run other statements.
    public func rowsWhile(
        _ sql: String, _ values: Value..., goesOn: (Row) throws -> Bool
    ) throws {
        try query(sql, values, goesOn)
    }

    /// All rows, decoded by the closure.
    public func all<Result>(
        _ sql: String, _ values: Value..., as read: (Row) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try query(sql, values) { row in
            results.append(try read(row))
            return true
        }
        return results
    }

    /// The first row, decoded by the closure; nil if there is none.
    public func first<Result>(
        _ sql: String, _ values: Value..., as read: (Row) throws -> Result
    ) throws -> Result? {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step().map { try read($0) }
    }

    /// The first column of the first row; nil if there is none.
    public func scalar(_ sql: String, _ values: Value...) throws(StoreError) -> Value? {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step()?.value(0)
    }

    /// Runs several statements separated by semicolons, without values.
    public func execute(_ script: String) throws(StoreError) {
        guard sqlite3_exec(connection.pointer, script, nil, nil, nil) == SQLITE_OK else {
            throw StoreError(connection.pointer, "run script on \(path)")
        }
    }

    /// Prepares a statement that inserts or changes one row thousands of times a second.
    ///
    /// - Parameter sql: one statement without result rows, with `?` for each value
    public func preparedStatement(_ sql: String) throws(StoreError) -> PreparedStatement {
        PreparedStatement(
            try Statement(sql, on: connection.pointer, isCached: true), of: connection)
    }

    private func query(
        _ sql: String, _ values: [Value], _ goesOn: (Row) throws -> Bool
    ) throws {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while let row = try statement.step(), try goesOn(row) {}
    }

    /// Calls a closure that does not throw for each row.
    func forEachRow(
        _ sql: String, _ values: [Value], _ each: (Row) -> Void
    ) throws(StoreError) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while let row = try statement.step() { each(row) }
    }

    private func prepared(_ sql: String) throws(StoreError) -> Statement {
        if let known = statements[sql] {
            if !known.isRunning { return known }
            return try Statement(sql, on: connection.pointer, isCached: false)
        }
        if statements.count >= Database.statementsMax { statements.removeAll() }
        let statement = try Statement(sql, on: connection.pointer, isCached: true)
        statements[sql] = statement
        return statement
    }
}

/// Number of frames in the write-ahead log after the last commit.
private final class LogLength { var frames = 0 }

/// Owns an SQLite connection, which closes after its last statement.
final class Connection {
    let pointer: OpaquePointer

    /// Configures SQLite once per process.
    private static let configured: Void = csqlite_count_no_memory()

    /// Opens a store whose files only their owner can access, regardless of umask and folder:
    /// SQLite creates the other files with the rights of the store.
    convenience init(path: String) throws(StoreError) {
        if path != ":memory:" {
            let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if made >= 0 { close(made) }
            for end in ["", "-wal", "-shm"] { Files.restrictToOwner(path + end) }
        }
        try self.init(path, named: path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    }

    convenience init(reading path: String, isImmutable: Bool) throws(StoreError) {
        var name = "file:"
        for byte in path.utf8 {
            let isPlain = byte > 32 && byte < 127 && !"%?#".utf8.contains(byte)
            let hex = String(byte, radix: 16)
            name += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
        }
        if isImmutable { name += "?immutable=1" }
        try self.init(path, named: name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }

    private init(_ path: String, named name: String, _ flags: Int32) throws(StoreError) {
        _ = Connection.configured
        var pointer: OpaquePointer?
        let result = sqlite3_open_v2(name, &pointer, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard result == SQLITE_OK, let pointer else {
            let error = StoreError(pointer, "open store \(path)")
            sqlite3_close_v2(pointer)
            throw error
        }
        sqlite3_extended_result_codes(pointer, 1)
        self.pointer = pointer
    }

    deinit { sqlite3_close_v2(pointer) }
}
