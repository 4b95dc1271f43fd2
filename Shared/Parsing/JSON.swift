import Model

/// A JSON value as a tree. Members keep their order.
///
/// ```swift
/// let json = try JSON.parse(body)
/// let latitude = json["lat"]?.double
/// let answer: JSON = ["items": .array(items), "next": .null]
/// ```
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A signed 64-bit integer, written without decimal point and exponent.
    case integer(Int64)
    /// Any other number, rounded to the nearest double.
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A key and its value.
    public struct Member: Hashable, Sendable {
        public var key: String
        public var value: JSON

        public init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }
}

extension JSON {
    /// The value of an object's key, or nil. If the key occurs several times, the first counts.
    public subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// An element of an array, or nil if the index is out of range.
    public subscript(index: Int) -> JSON? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }

    public var isNull: Bool { self == .null }

    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// An integer, also if written as `5.0` or `5e3`. Nil beyond ±2⁵³, because JSON readers
    /// disagree on such numbers (RFC 8259, section 6) and sums of smaller ones cannot overflow.
    public var int: Int? {
        let number: Int? =
            switch self {
            case .integer(let value): Int(value)
            case .number(let value): Int(exactly: value)
            default: nil
            }
        guard let number, number.magnitude <= UntrustedNumber.most.magnitude else { return nil }
        return number
    }

    /// The value of any number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    public var array: [JSON]? {
        if case .array(let values) = self { values } else { nil }
    }

    public var object: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// A number, or a numeric text: some phones send `"lat": "3.14"`.
    public var numberOrNumericString: Double? {
        guard case .string(let text) = self else { return double }
        let isPlain = text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        guard isPlain, let value = Double(text), value.isFinite else { return nil }
        return value
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member($0, $1) })
    }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
}
