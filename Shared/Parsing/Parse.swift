import CSimdjson
import Model

extension JSON {
    /// Maximum nesting of arrays and objects.
    public static let depthMax = 64
    /// Maximum values of an external text, including arrays and objects: 128 for each of the 2,000
    /// reports in one body. Apps send about 40. Parsing time grows with the number of values, and 8
    /// MiB have room for four million.
    public static let bodyValuesMax = 256_000

    /// Parses one JSON text (RFC 8259) in UTF-8.
    ///
    /// Integers that do not fit `Int64` become ``number(_:)``. Numbers beyond the range of a double
    /// are rejected. All members with equal keys are kept.
    ///
    /// - Parameter valuesMax: maximum number of values, such as ``bodyValuesMax``
    /// - Throws: ``ParseError`` if the text is malformed or has too many values
    public static func parse(
        _ bytes: [UInt8], valuesMax: Int = .max
    ) throws(ParseError) -> JSON {
        JSON(try tokens(of: bytes, valuesMax: valuesMax))
    }

    /// Builds the tree of one value.
    init(_ tokens: UnsafeBufferPointer<csimdjson_token>) {
        var reader = TokenReader(tokens: tokens)
        self = reader.value()
    }

    /// The tokens of a text, valid until the next text is parsed.
    static func tokens(
        of bytes: [UInt8], valuesMax: Int
    ) throws(ParseError) -> UnsafeBufferPointer<csimdjson_token> {
        let result = bytes.withUnsafeBufferPointer { buffer in
            csimdjson_parse(buffer.baseAddress, buffer.count, depthMax, valuesMax)
        }
        if result.is_over {
            throw ParseError(
                code: .tooMany, operation: "parse",
                message: "the text has more than \(valuesMax) values")
        }
        if let error = result.error {
            if let number = InvalidNumber(in: bytes) { throw number.error }
            throw ParseError(
                code: .malformed, operation: "parse", message: sentence(String(cString: error)),
                offset: result.offset < 0 ? nil : Int(result.offset))
        }
        return UnsafeBufferPointer(start: result.tokens, count: result.count)
    }

    /// Parses one JSON text.
    public static func parse(_ text: String) throws(ParseError) -> JSON {
        try parse(Array(text.utf8))
    }

    /// The first sentence of simdjson's message, in lower case.
    private static func sentence(_ message: String) -> String {
        let first = message.prefix { $0 != "." && $0 != ":" }
        return first.prefix(1).lowercased() + first.dropFirst()
    }
}

/// Builds a tree from the tokens of a text, which are complete and balanced.
private struct TokenReader {
    let tokens: UnsafeBufferPointer<csimdjson_token>
    var index = 0

    mutating func value() -> JSON {
        let token = tokens[index]
        index += 1
        switch csimdjson_kind(token.kind) {
        case CSIMDJSON_NULL: return .null
        case CSIMDJSON_FALSE: return .bool(false)
        case CSIMDJSON_TRUE: return .bool(true)
        case CSIMDJSON_INTEGER: return .integer(token.integer)
        case CSIMDJSON_NUMBER: return .number(token.number)
        case CSIMDJSON_STRING: return .string(text(token))
        case CSIMDJSON_ARRAY: return array(count: Int(token.length))
        case CSIMDJSON_OBJECT: return object(count: Int(token.length))
        default: fatalError("broken invariant: unknown token kind")
        }
    }

    private mutating func array(count: Int) -> JSON {
        var values: [JSON] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(value()) }
        return .array(values)
    }

    private mutating func object(count: Int) -> JSON {
        var members: [JSON.Member] = []
        members.reserveCapacity(count)
        for _ in 0..<count {
            let key = text(tokens[index])
            index += 1
            members.append(JSON.Member(key, value()))
        }
        return .object(members)
    }

    private func text(_ token: csimdjson_token) -> String {
        String(
            decoding: UnsafeBufferPointer(start: token.text, count: Int(token.length)),
            as: UTF8.self)
    }
}
