import CSQLite
import Model

/// A row of a result; valid only within the closure that receives it.
///
/// Columns are counted from 0. SQLite converts between numbers and texts; null reads as 0 or empty
/// unless the function's name says optional.
public struct Row {
    let statement: OpaquePointer

    public func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
    }

    public func int64(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }

    public func int(_ column: Int) -> Int { Int(int64(column)) }

    public func real(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(column)) }

    public func flag(_ column: Int) -> Bool { int64(column) != 0 }

    public func text(_ column: Int) -> String {
        guard let bytes = sqlite3_column_text(statement, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    public func blob(_ column: Int) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(statement, Int32(column)) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Microseconds since 1970, as written by ``Value/time(_:)``.
    public func time(_ column: Int) -> Timestamp { Timestamp(microseconds: int64(column)) }

    /// Sixteen bytes, as written by ``Value/id(_:)-(ID128?)``. Any other length stops the process,
    /// since table constraints exclude it.
    public func id(_ column: Int) -> ID128 {
        guard sqlite3_column_bytes(statement, Int32(column)) == 16,
            let bytes = sqlite3_column_blob(statement, Int32(column))
        else { fatalError("broken invariant: column \(column) holds an id of 16 bytes") }
        return ID128(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// An id of the type that the caller expects: `let person: PersonID = row.id(0)`.
    public func id<Kind>(_ column: Int) -> Identifier<Kind> { Identifier(id(column) as ID128) }

    public func optionalInt64(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
    public func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    public func optionalTime(_ column: Int) -> Timestamp? { isNull(column) ? nil : time(column) }
    public func optionalID(_ column: Int) -> ID128? { isNull(column) ? nil : id(column) }
    public func optionalID<Kind>(_ column: Int) -> Identifier<Kind>? {
        isNull(column) ? nil : Identifier(id(column) as ID128)
    }

    /// The value as stored.
    public func value(_ column: Int) -> Value {
        switch sqlite3_column_type(statement, Int32(column)) {
        case SQLITE_INTEGER: .integer(int64(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }
}
