import CSQLite
import Glibc
import Model
import Runtime

/// One SQLite store, used by the one thread of its process.
///
/// Write-ahead log, `synchronous=FULL`: what ``commit()`` returned from survives a power cut. What
/// is deleted is written over with zeros.
///
/// ```swift
/// let database = try Database(path: home + "/timer/store.sqlite", migrations: Tables.migrations)
/// try database.begin()
/// try database.run("INSERT INTO clock (id, due) VALUES (?, ?)", .id(clock.id), .time(clock.due))
/// try database.commit()
/// ```
public final class Database {
    /// Where the store is; `:memory:` for none.
    public let path: String
    private let connection: Connection
    private var statements: [String: Statement] = [:]
    private var isLogToBeCut = false
    private var checkpointer: Checkpointer?
    private let log = LogLength()

    /// Waits so long for another program's lock.
    static let busyMilliseconds = 1000
    /// The write-ahead log is emptied into the store after so many pages of 4 KiB …
    static let checkpointPages = 1000
    /// … and cut back to this size afterwards.
    static let journalBytesMax = 16 * 1024 * 1024
    /// Statement texts are constants; more of them than this are somebody's built strings.
    static let statementsMax = 500
    /// Marks a file as a store of Jaga: the letters `Jaga`.
    static let applicationID: Int64 = 0x4A61_6761

    /// Opens or makes the store and brings its layout up to date.
    ///
    /// - Parameters:
    ///   - path: a file in a folder that exists, or `:memory:`
    ///   - migrations: all steps ever, ascending within each component; nil leaves the layout of
    ///     a store as it is, for tools that know none
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

    /// Opens a store to read it, while its service may run; nothing of it is changed.
    ///
    /// - Parameters:
    ///   - path: a store that exists, of any version
    ///   - isStill: nobody can be writing to it, as to a backup: no file beside it is made
    /// - Throws: `cannot-open`, `corrupt`, `foreign`, `locked`
    public init(reading path: String, isStill: Bool = false) throws(StoreError) {
        self.path = path
        connection = try Connection(reading: path, isStill: isStill)
        sqlite3_busy_timeout(connection.pointer, Int32(Database.busyMilliseconds))
        try checkOwner()
    }

    /// Refuses a database of somebody else before anything is written to it.
    private func checkOwner() throws(StoreError) {
        let owner: Value?
        let tables: Value?
        do {
            owner = try scalar("PRAGMA application_id")
            tables = try scalar("SELECT count(*) FROM sqlite_schema")
        } catch {
            // The first that is read: which file it was says more than which statement.
            var error = error
            error.operation = "open store \(path)"
            throw error
        }
        if owner == .integer(Database.applicationID) || tables == .integer(0) { return }
        throw StoreError(
            "foreign", "open store \(path)", "this database was not made by Jaga",
            hint: "Move it away, or choose another folder with --home.")
    }

    // MARK: Transactions

    /// Begins a transaction that writes, taking the lock at once.
    public func begin() throws(StoreError) {
        invariant(!isInTransaction, "a transaction is open already")
        try run("BEGIN IMMEDIATE")
    }

    /// Makes the transaction last. After an error nothing of it is there; call ``rollback()``.
    public func commit() throws(StoreError) {
        invariant(isInTransaction, "there is no transaction to commit")
        try run("COMMIT")
        if isLogToBeCut { cutLog() }
        checkpointer?.committed(log.frames)
    }

    /// From now on a thread of its own empties the write-ahead log into the store: for one that is
    /// written to all the time, by somebody who is waited for. See ``Checkpointer``.
    public func checkpointAside() throws(StoreError) {
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

    /// Empties the write-ahead log after the next commit, so that nothing of what was deleted is
    /// left in it; deleted rows themselves are written over with zeros. Where somebody reads the
    /// store just then, it is tried after each further commit.
    public func cutLogAfterCommit() { isLogToBeCut = true }

    private func cutLog() {
        sqlite3_busy_timeout(connection.pointer, 0)
        defer { sqlite3_busy_timeout(connection.pointer, Int32(Database.busyMilliseconds)) }
        let result = sqlite3_wal_checkpoint_v2(
            connection.pointer, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        isLogToBeCut = result != SQLITE_OK
    }

    /// Undoes the transaction. Harmless without one: SQLite ends one by itself when the disk fails.
    public func rollback() {
        if isInTransaction { sqlite3_exec(connection.pointer, "ROLLBACK", nil, nil, nil) }
        invariant(!isInTransaction, "a rollback cannot fail")
    }

    public var isInTransaction: Bool { sqlite3_get_autocommit(connection.pointer) == 0 }

    /// Runs the body in a transaction; rolls back when it throws.
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

    /// Runs one statement; rows that it gives are dropped.
    ///
    /// - Parameters:
    ///   - sql: a constant text with `?` for each value; it is prepared once and kept
    ///   - values: in the order of their placeholders
    public func run(_ sql: String, _ values: Value...) throws(StoreError) {
        try visit(sql, values) { _ in }
    }

    /// Rows that the last statement inserted, changed or deleted.
    public var lastChanges: Int { Int(sqlite3_changes64(connection.pointer)) }

    /// Gives each row to the closure, which may run other statements.
    public func rows(
        _ sql: String, _ values: Value..., each: (Row) throws -> Void
    ) throws {
        try query(sql, values, each)
    }

    /// All rows, each as the closure reads it.
    public func all<Result>(
        _ sql: String, _ values: Value..., as read: (Row) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try query(sql, values) { results.append(try read($0)) }
        return results
    }

    /// The first row as the closure reads it; nil without one.
    public func first<Result>(
        _ sql: String, _ values: Value..., as read: (Row) throws -> Result
    ) throws -> Result? {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step().map { try read($0) }
    }

    /// First column of the first row; nil without one.
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

    /// A statement that inserts or changes one row and is run thousands of times a second.
    ///
    /// - Parameter sql: one statement that gives no rows, with `?` for each value
    public func preparedStatement(_ sql: String) throws(StoreError) -> PreparedStatement {
        PreparedStatement(try Statement(sql, on: connection.pointer, isKept: true), of: connection)
    }

    private func query(
        _ sql: String, _ values: [Value], _ each: (Row) throws -> Void
    ) throws {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while let row = try statement.step() { try each(row) }
    }

    /// As ``query(_:_:_:)`` for closures that cannot fail.
    func visit(
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
            return try Statement(sql, on: connection.pointer, isKept: false)
        }
        if statements.count >= Database.statementsMax { statements.removeAll() }
        let statement = try Statement(sql, on: connection.pointer, isKept: true)
        statements[sql] = statement
        return statement
    }
}

/// Frames in the write-ahead log, as SQLite tells after each commit.
private final class LogLength { var frames = 0 }

/// Owns the connection; it closes once the last statement is gone.
final class Connection {
    let pointer: OpaquePointer

    /// What holds for all connections of the process, once.
    private static let configured: Void = csqlite_count_no_memory()

    /// The files are for their owner alone, whatever the process or the folder would allow: SQLite
    /// gives those beside the store the rights of the store.
    convenience init(path: String) throws(StoreError) {
        if path != ":memory:" {
            let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if made >= 0 { close(made) }
            for end in ["", "-wal", "-shm"] { Files.restrictToOwner(path + end) }
        }
        try self.init(path, named: path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    }

    convenience init(reading path: String, isStill: Bool) throws(StoreError) {
        var name = "file:"
        for byte in path.utf8 {
            let isPlain = byte > 32 && byte < 127 && !"%?#".utf8.contains(byte)
            let hex = String(byte, radix: 16)
            name += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
        }
        if isStill { name += "?immutable=1" }
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
