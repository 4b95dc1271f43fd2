import CSimdjson
import Model

/// A value of a JSON text, looked at where it lies: for what comes by the thousand, where a tree of
/// it costs more than all the rest.
///
/// ```swift
/// let count = try JSONView.read(body) { $0["locations"]?.elements?.count ?? 0 }
/// ```
///
/// It lives as long as the function that is given it runs, and only until another text is parsed.
public struct JSONView {
    private let token: UnsafePointer<csimdjson_token>

    private init(_ token: UnsafePointer<csimdjson_token>) { self.token = token }

    /// Reads one JSON text, as ``JSON/parse(_:valuesMax:)`` does, and shows its value.
    public static func read<Result>(
        _ bytes: [UInt8], valuesMax: Int = .max, _ look: (JSONView) -> Result
    ) throws(ParseError) -> Result {
        let tokens = try JSON.tokens(of: bytes, valuesMax: valuesMax)
        guard let first = tokens.baseAddress else {
            fatalError("broken invariant: a text that was read has a value")
        }
        return look(JSONView(first))
    }

    private var kind: csimdjson_kind { csimdjson_kind(token.pointee.kind) }
    private var length: Int { Int(token.pointee.length) }

    public var isNull: Bool { kind == CSIMDJSON_NULL }
    public var isObject: Bool { kind == CSIMDJSON_OBJECT }

    /// The value of a key of an object; of equal keys the first. Nil where there is none.
    public subscript(key: StaticString) -> JSONView? {
        guard isObject else { return nil }
        var place = token + 1
        for _ in 0..<length {
            if place.pointee.length == key.utf8CodeUnitCount, JSONView(place).isText(key) {
                return JSONView(place + 1)
            }
            place = JSONView(place + 1).end
        }
        return nil
    }

    /// The values of an array; nil for anything else.
    public var elements: Elements? {
        kind == CSIMDJSON_ARRAY ? Elements(count: length, place: token + 1) : nil
    }

    /// A number, or a text that is one.
    public var number: Double? {
        switch kind {
        case CSIMDJSON_INTEGER: Double(token.pointee.integer)
        case CSIMDJSON_NUMBER: token.pointee.number
        case CSIMDJSON_STRING: json.numberOrNumericString
        default: nil
        }
    }

    /// A number, and no text.
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

    /// A text that is a time of RFC 3339, read without a copy of it.
    public var time: Timestamp? { text.flatMap { Timestamp(utf8: $0) } }

    /// The bytes of a text, where they lie.
    private var text: UnsafeBufferPointer<UInt8>? {
        guard kind == CSIMDJSON_STRING else { return nil }
        return UnsafeBufferPointer(start: token.pointee.text, count: length)
    }

    /// Whether it is just this text.
    public func isText(_ text: StaticString) -> Bool {
        guard kind == CSIMDJSON_STRING, length == text.utf8CodeUnitCount else { return false }
        guard let own = token.pointee.text else { return length == 0 }
        let other = text.utf8Start
        for place in 0..<length where own[place] != other[place] { return false }
        return true
    }

    /// The tree of it, to keep.
    public var json: JSON {
        JSON(UnsafeBufferPointer(start: token, count: end - token))
    }

    /// Where what comes after it begins.
    private var end: UnsafePointer<csimdjson_token> {
        switch kind {
        case CSIMDJSON_ARRAY, CSIMDJSON_OBJECT: token + Int(token.pointee.integer)
        default: token + 1
        }
    }

    /// The values of an array, in order.
    public struct Elements: Sequence, IteratorProtocol {
        /// How many are still to come.
        public private(set) var count: Int
        fileprivate var place: UnsafePointer<csimdjson_token>

        public mutating func next() -> JSONView? {
            guard count > 0 else { return nil }
            let value = JSONView(place)
            place = value.end
            count -= 1
            return value
        }
    }
}
