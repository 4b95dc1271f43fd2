import Model

/// A value for a placeholder or of a column.
public enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Null for nil.
    @inlinable public static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    /// Null for nil.
    @inlinable public static func blob(_ bytes: [UInt8]?) -> Value {
        bytes.map { .blob($0) } ?? .null
    }
    /// Null for nil. Values outside of Int64 are clamped; comparisons with stored values stay
    /// correct.
    @inlinable public static func integer(_ number: (some BinaryInteger)?) -> Value {
        number.map { .integer(Int64(clamping: $0)) } ?? .null
    }
    /// 0 or 1.
    @inlinable public static func flag(_ value: Bool) -> Value { .integer(value ? 1 : 0) }
    /// Microseconds since 1970; null for nil.
    @inlinable public static func time(_ time: Timestamp?) -> Value {
        time.map { .integer($0.microseconds) } ?? .null
    }
    /// Sixteen bytes; null for nil.
    @inlinable public static func id(_ id: ID128?) -> Value { id.map { .blob($0.bytes) } ?? .null }
    /// Sixteen bytes; null for nil.
    @inlinable public static func id<Kind>(_ id: Identifier<Kind>?) -> Value { .id(id?.raw) }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(nilLiteral: ()) { self = .null }
}
