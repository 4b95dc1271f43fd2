import CSQLite
import Model

/// A prepared statement without result rows, which avoids the cost of an array of ``Value``.
///
/// ```swift
/// let insert = try database.preparedStatement("INSERT INTO deadline (id, due) VALUES (?, ?)")
/// insert.bind(deadline.id.raw)
/// insert.bind(deadline.due.microseconds)
/// try insert.run()
/// ```
public final class PreparedStatement {
    private let statement: Statement
    /// Keeps the connection open.
    private let connection: Connection
    /// The number of bound placeholders.
    private var bound: Int32 = 0
    /// The first failed binding's result.
    private var failure = SQLITE_OK

    init(_ statement: Statement, of connection: Connection) {
        self.statement = statement
        self.connection = connection
    }

    private func check(_ result: Int32) {
        if result != SQLITE_OK, failure == SQLITE_OK { failure = result }
    }

    private var next: Int32 {
        bound += 1
        return bound
    }

    /// Binds the next placeholder; nil = null.
    public func bind(_ number: Int64?) {
        if let number {
            check(sqlite3_bind_int64(statement.pointer, next, number))
        } else {
            check(sqlite3_bind_null(statement.pointer, next))
        }
    }

    /// Binds the next placeholder; nil = null.
    public func bind(_ number: Int32?) { bind(number.map { Int64($0) }) }

    /// Binds the next placeholder to sixteen bytes.
    public func bind(_ id: ID128) {
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bind($0) }
    }

    /// Binds the next placeholder.
    public func bind(_ bytes: [UInt8]) { bytes.withUnsafeBytes { bind($0) } }

    /// Binds the next placeholder to a copy of the bytes.
    public func bind(_ bytes: UnsafeRawBufferPointer) {
        check(
            csqlite_bind_blob(
                statement.pointer, next, bytes.baseAddress, Int32(bytes.count)))
    }

    /// Runs the statement with the bound values.
    public func run() throws(StoreError) {
        invariant(
            bound == sqlite3_bind_parameter_count(statement.pointer),
            "as many values as placeholders: \(statement.operation)")
        bound = 0
        defer {
            failure = SQLITE_OK
            statement.rewind()
        }
        guard failure == SQLITE_OK else {
            throw StoreError(connection.pointer, statement.operation)
        }
        _ = try statement.step()
    }

    /// The number of rows that the last statement of the store inserted, changed or deleted.
    public var lastChanges: Int { Int(sqlite3_changes64(connection.pointer)) }
}
