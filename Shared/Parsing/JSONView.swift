import CSimdjson
import Model

/// A value of a parsed JSON text that refers to the text's tokens without copying them.
///
/// Use it for frequent messages, where building a ``JSON`` tree would dominate the cost.
///
/// ```swift
/// let count = try JSONView.read(body) { $0["locations"]?.elements?.count ?? 0 }
/// ```
///
/// A view is valid only while the closure passed to ``read(_:valuesMax:_:)`` runs, and only until
/// another text is parsed.
public struct JSONView {
    private let token: UnsafePointer<csimdjson_token>

    private init(_ token: UnsafePointer<csimdjson_token>) { self.token = token }

    /// Parses one JSON text and passes its value to a closure.
    ///
    /// - Throws: ``ParseError`` as ``JSON/parse(_:valuesMax:)``
    public static func read<Result>(
        _ bytes: [UInt8], valuesMax: Int = .max, _ body: (JSONView) -> Result
    ) throws(ParseError) -> Result {
        let tokens = try JSON.tokens(of: bytes, valuesMax: valuesMax)
        guard let first = tokens.baseAddress else {
            fatalError("broken invariant: a parsed text has a value")
        }
        return body(JSONView(first))
    }

    private var kind: csimdjson_kind { csimdjson_kind(token.pointee.kind) }
    private var length: Int { Int(token.pointee.length) }

    public var isNull: Bool { kind == CSIMDJSON_NULL }
    public var isObject: Bool { kind == CSIMDJSON_OBJECT }

    /// The value of an object's key, or nil. If the key occurs several times, the first counts.
    public subscript(key: StaticString) -> JSONView? {
        guard isObject else { return nil }
        var position = token + 1
        for _ in 0..<length {
            if position.pointee.length == key.utf8CodeUnitCount, JSONView(position).isText(key) {
                return JSONView(position + 1)
            }
            position = JSONView(position + 1).end
        }
        return nil
    }

    /// The elements of an array, or nil for other values.
    public var elements: Elements? {
        kind == CSIMDJSON_ARRAY ? Elements(count: length, position: token + 1) : nil
    }

    /// A number, or a numeric text.
    public var number: Double? {
        switch kind {
        case CSIMDJSON_INTEGER: Double(token.pointee.integer)
        case CSIMDJSON_NUMBER: token.pointee.number
        case CSIMDJSON_STRING: json.numberOrNumericString
        default: nil
        }
    }

    /// A number; nil for a numeric text.
    public var double: Double? {
        switch kind {
        case CSIMDJSON_INTEGER: Double(token.pointee.integer)
        case CSIMDJSON_NUMBER: token.pointee.number
        default: nil
        }
    }

    public var bool: Bool? {
        switch kind {
        case CSIMDJSON_TRUE: true
        case CSIMDJSON_FALSE: false
        default: nil
        }
    }

    public var string: String? { text.map { String(decoding: $0, as: UTF8.self) } }

    /// The time of an RFC 3339 text, parsed without copying the text.
    public var time: Timestamp? { text.flatMap { Timestamp(utf8: $0) } }

    /// The bytes of a text, not copied.
    private var text: UnsafeBufferPointer<UInt8>? {
        guard kind == CSIMDJSON_STRING else { return nil }
        return UnsafeBufferPointer(start: token.pointee.text, count: length)
    }

    /// Whether the value is this text.
    public func isText(_ text: StaticString) -> Bool {
        guard kind == CSIMDJSON_STRING, length == text.utf8CodeUnitCount else { return false }
        guard let own = token.pointee.text else { return length == 0 }
        let other = text.utf8Start
        for index in 0..<length where own[index] != other[index] { return false }
        return true
    }

    /// A copy of the value as a tree.
    public var json: JSON {
        JSON(UnsafeBufferPointer(start: token, count: end - token))
    }

    /// The token after the value.
    private var end: UnsafePointer<csimdjson_token> {
        switch kind {
        case CSIMDJSON_ARRAY, CSIMDJSON_OBJECT: token + Int(token.pointee.integer)
        default: token + 1
        }
    }

    /// The elements of an array, in order.
    public struct Elements: Sequence, IteratorProtocol {
        /// Number of remaining elements.
        public private(set) var count: Int
        fileprivate var position: UnsafePointer<csimdjson_token>

        public mutating func next() -> JSONView? {
            guard count > 0 else { return nil }
            let value = JSONView(position)
            position = value.end
            count -= 1
            return value
        }
    }
}
