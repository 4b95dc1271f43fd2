import CSimdjson
import Model

extension JSON {
    /// Arrays and objects of a text may be nested this deep.
    public static let depthMax = 64
    /// Values of a text that comes from outside, arrays and objects included: 128 for each of the
    /// 2,000 reports that one body may carry, of which apps make some forty. Each costs time of
    /// whoever reads it, however short it is, and 8 MiB have room for four million.
    public static let bodyValuesMax = 256_000

    /// Reads one JSON text (RFC 8259) in UTF-8.
    ///
    /// Whole numbers beyond 64 bits with sign become ``number(_:)``; a number beyond the range of
    /// a double is refused. Equal keys of an object are all kept.
    ///
    /// - Parameter valuesMax: more values than these are refused, such as ``bodyValuesMax``
    public static func parse(
        _ bytes: [UInt8], valuesMax: Int = .max
    ) throws(ParseError) -> JSON {
        JSON(try tokens(of: bytes, valuesMax: valuesMax))
    }

    /// Makes the tree of one value.
    init(_ tokens: UnsafeBufferPointer<csimdjson_token>) {
        var reader = TokenReader(tokens: tokens)
        self = reader.value()
    }

    /// The tokens of a text; they live until the next text is read.
    static func tokens(
        of bytes: [UInt8], valuesMax: Int
    ) throws(ParseError) -> UnsafeBufferPointer<csimdjson_token> {
        let result = bytes.withUnsafeBufferPointer { buffer in
            csimdjson_parse(buffer.baseAddress, buffer.count, depthMax, valuesMax)
        }
        if result.is_over {
            throw ParseError(
                code: .tooMany, operation: "parse",
                message: "there are more than \(valuesMax) values in it")
        }
        if let error = result.error {
            if let number = UnspeakableNumber(in: bytes) { throw number.error }
            throw ParseError(
                code: .malformed, operation: "parse", message: sentence(String(cString: error)),
                offset: result.offset < 0 ? nil : Int(result.offset))
        }
        return UnsafeBufferPointer(start: result.tokens, count: result.count)
    }

    /// Reads one JSON text.
    public static func parse(_ text: String) throws(ParseError) -> JSON {
        try parse(Array(text.utf8))
    }

    /// simdjson's words without a capital at the beginning and what comes after the first sentence.
    private static func sentence(_ message: String) -> String {
        let first = message.prefix { $0 != "." && $0 != ":" }
        return first.prefix(1).lowercased() + first.dropFirst()
    }
}

/// Makes a tree of the tokens of a text, which are complete and balanced.
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
        default: fatalError("a token has one of the kinds of csimdjson.h")
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
