import CSQLite
import Model

/// One prepared statement that gives no rows, without what an array of ``Value`` costs.
///
/// ```swift
/// let insert = try database.preparedStatement("INSERT INTO clock (id, due) VALUES (?, ?)")
/// insert.bind(clock.id.raw)
/// insert.bind(clock.due.microseconds)
/// try insert.run()
/// ```
public final class PreparedStatement {
    private let statement: Statement
    /// Stays open as long as this does.
    private let connection: Connection
    /// Placeholders that have their value.
    private var bound: Int32 = 0
    /// What SQLite said to the first value that it did not take.
    private var failure = SQLITE_OK

    init(_ statement: Statement, of connection: Connection) {
        self.statement = statement
        self.connection = connection
    }

    private func note(_ result: Int32) {
        if result != SQLITE_OK, failure == SQLITE_OK { failure = result }
    }

    private var next: Int32 {
        bound += 1
        return bound
    }

    /// The value of the next placeholder; null for nil.
    public func bind(_ number: Int64?) {
        if let number {
            note(sqlite3_bind_int64(statement.pointer, next, number))
        } else {
            note(sqlite3_bind_null(statement.pointer, next))
        }
    }

    /// The value of the next placeholder; null for nil.
    public func bind(_ number: Int32?) { bind(number.map { Int64($0) }) }

    /// The value of the next placeholder: sixteen bytes.
    public func bind(_ id: ID128) {
        withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bind($0) }
    }

    /// The value of the next placeholder.
    public func bind(_ bytes: [UInt8]) { bytes.withUnsafeBytes { bind($0) } }

    /// The value of the next placeholder; the bytes are copied.
    public func bind(_ bytes: UnsafeRawBufferPointer) {
        note(
            csqlite_bind_blob(
                statement.pointer, next, bytes.baseAddress, Int32(bytes.count)))
    }

    /// Runs it with what was bound since the last time.
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

    /// Rows that the last statement of the store inserted, changed or deleted.
    public var lastChanges: Int { Int(sqlite3_changes64(connection.pointer)) }
}
