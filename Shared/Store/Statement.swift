import CSQLite
import Model

/// Owns a prepared statement.
final class Statement {
    let pointer: OpaquePointer
    private let connection: OpaquePointer
    let operation: String
    /// Whether it is between its first step and its reset: a nested use needs another statement.
    private(set) var isRunning = false

    /// - Parameter sql: one statement
    init(
        _ sql: String, on connection: OpaquePointer, isCached: Bool
    ) throws(StoreError) {
        self.connection = connection
        operation = Statement.summary(sql)
        var pointer: OpaquePointer?
        let flags = isCached ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let result = sqlite3_prepare_v3(connection, sql, -1, flags, &pointer, nil)
        guard result == SQLITE_OK, let pointer else {
            throw StoreError(connection, operation)
        }
        self.pointer = pointer
    }

    deinit { sqlite3_finalize(pointer) }

    func bind(_ values: [Value]) throws(StoreError) {
        invariant(
            values.count == Int(sqlite3_bind_parameter_count(pointer)),
            "as many values as placeholders: \(operation)")
        for (index, value) in values.enumerated() {
            guard bind(value, at: Int32(index + 1)) == SQLITE_OK else {
                throw StoreError(connection, operation)
            }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(pointer, index)
        case .integer(let number): return sqlite3_bind_int64(pointer, index, number)
        case .real(let number): return sqlite3_bind_double(pointer, index, number)
        case .text(var text):
            return text.withUTF8 {
                csqlite_bind_text(pointer, index, $0.baseAddress, Int32($0.count))
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes {
                csqlite_bind_blob(pointer, index, $0.baseAddress, Int32($0.count))
            }
        }
    }

    /// The next row; nil at the end.
    func step() throws(StoreError) -> Row? {
        isRunning = true
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return Row(statement: pointer)
        case SQLITE_DONE: return nil
        default: throw StoreError(connection, operation)
        }
    }

    /// Resets the statement and releases the bound values.
    func reset() {
        rewind()
        sqlite3_clear_bindings(pointer)
    }

    /// Resets the statement; the caller binds every value again.
    func rewind() {
        sqlite3_reset(pointer)
        isRunning = false
    }

    /// The start of the statement on one line.
    private static func summary(_ sql: String) -> String {
        let words = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count > 72 ? words.prefix(72) + "…" : words
    }
}
