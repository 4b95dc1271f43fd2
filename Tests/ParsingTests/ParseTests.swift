import Parsing
import TestSupport
import Testing

@Suite struct `A JSON text` {
    @Test func `every kind of value is read in its order`() throws {
        let json = try JSON.parse(
            #" {"b":[1,-2.5,true,false,null,"é\u0041\n\ud83d\ude00"],"a":{},"c":[]} "#)
        #expect(
            json == [
                "b": [1, -2.5, true, false, nil, "éA\n😀"], "a": .object([]), "c": .array([]),
            ])
    }

    @Test(arguments: [
        ("9223372036854775807", JSON.integer(.max)),
        ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)),
        ("-9223372036854775809", .number(-9_223_372_036_854_775_808)),
        ("18446744073709551616", .number(18_446_744_073_709_551_616)),
        ("123456789012345678901234567890", .number(1.2345678901234568e29)),
        ("1.0", .number(1)), ("1e3", .number(1000)), ("5e-324", .number(.leastNonzeroMagnitude)),
        ("0.1", .number(0.1)), ("-0", .integer(0)), ("7", .integer(7)),
        ("true", .bool(true)), ("null", .null), (#""text""#, .string("text")),
    ])
    func `top-level values and array elements are read alike`(text: String, value: JSON) throws {
        #expect(try JSON.parse(text) == value)
        #expect(try JSON.parse("[\(text)]") == .array([value]))
        #expect(try JSON.parse("{\"k\": \(text) }")["k"] == value)
    }

    @Test(arguments: [
        "", " ", "{", "[", "]", "}", "[1,]", "[,1]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
        "{1:2}", "[1 2]", #"{"a" 1}"#, "01", "-", "+1", "1.", ".5", "1e", "0x10", "NaN", "Infinity",
        "tru", "truex", "nul", "nulls", "falsey", "[tru]", "[nulx]", "'a'", #""a"#, #""\x""#,
        #""\u12""#, #""\ud800""#, "\"a\u{1}b\"", "1 2", "{} {}", "[] []", "null null", "[1}", "{]",
        #"{"a":1]"#, "// c\n1", "1e999", "[1e999]", "[[1]", #"{"a":{"b":1}"#, #"["a" "b"]"#,
        "\"a\"x",
        "12a", "[12a]", "[1]]", "1,", "1,2", "1],[2", "][", "],[", "\u{FEFF}[1]x",
    ])
    func `text that is not JSON is rejected`(text: String) {
        #expect(throws: ParseError.self) { try JSON.parse(text) }
    }

    @Test(arguments: [
        ("[1,NaN]", "NaN is not allowed in JSON", 3),
        (#"{"NaN":"Infinity","a":nan}"#, "NaN is not allowed in JSON", 22),
        ("[-Infinity]", "infinity is not allowed in JSON", 1),
        (#"["a\"b", +inf]"#, "infinity is not allowed in JSON", 9),
        (#"{"x":-1e999}"#, "a number exceeds the range of a double", 5),
        ("9" + String(repeating: "0", count: 350), "a number exceeds the range of a double", 0),
    ])
    func `a number that JSON does not allow is reported with its offset`(
        text: String, message: String, offset: Int
    ) {
        let error = #expect(throws: ParseError.self) { try JSON.parse(text) }
        #expect(error?.code == .inexpressible && error?.hint == "Send a finite number.")
        #expect(error?.message == message && error?.offset == offset)
    }

    @Test(arguments: ["[1,]", #"{"NaN":}"#, #"["Infinity" 1]"#, "nano", "-", "[1e5x]", #"["NaN"#])
    func `other errors are reported as malformed`(text: String) {
        let error = #expect(throws: ParseError.self) { try JSON.parse(text) }
        #expect(error?.code == .malformed)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xC3, 0x22], [0x5B, 0x31, 0x5D, 0x00],
        ] as [[UInt8]])
    func `invalid UTF-8 is rejected`(bytes: [UInt8]) {
        #expect(throws: ParseError.self) { try JSON.parse(bytes) }
    }

    @Test func `values may be nested at most 64 deep`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSON.parse(nested(JSON.depthMax))
        #expect(throws: ParseError.self) { try JSON.parse(nested(JSON.depthMax + 1)) }
        let objects =
            String(repeating: #"{"a":"#, count: 65) + "1" + String(repeating: "}", count: 65)
        #expect(throws: ParseError.self) { try JSON.parse(objects) }
        #expect(throws: ParseError.self) { try JSON.parse(nested(100_000)) }
    }

    @Test(arguments: [
        ("1", 1), ("[]", 1), ("[1,2]", 3), (#"{"a":{"b":[null,"x"]},"c":true}"#, 6),
    ])
    func `text with too many values is rejected`(text: String, count: Int) throws {
        let bytes = Array(text.utf8)
        #expect(try JSON.parse(bytes, valuesMax: count) == JSON.parse(text))
        let error = #expect(throws: ParseError.self) {
            try JSONView.read(bytes, valuesMax: count - 1) { _ in }
        }
        #expect(error?.code == .tooMany && error?.hint == "Send smaller batches.")
        #expect(error?.message == "the text has more than \(count - 1) values")
        // The next text is not affected.
        #expect(try JSON.parse("[7]") == [7])
    }

    @Test func `an error has an offset and no part of the text`() {
        do {
            _ = try JSON.parse(#"{"secret": 12, "x": tru}"#)
            Issue.record("must be rejected")
        } catch {
            #expect(error.code == .malformed)
            #expect(error.offset == 20)
            #expect(!error.description.contains("secret"))
        }
    }

    @Test func `texts of many sizes are read completely`() throws {
        for count in [0, 1, 31, 32, 33, 63, 64, 65, 1000, 70_000] {
            let text = String(repeating: "x", count: count)
            #expect(try JSON.parse(#"["\#(text)", 5]"#) == .array([.string(text), 5]))
        }
    }

    /// A phone's report with random bytes changed, removed or duplicated.
    @Test func `that was damaged is rejected or survives a round trip`() {
        let whole = Array(
            #"{"_type":"location","lat":3.14,"lon":-1.5e2,"t":[null,true,"\u00e9\n"],"n":{"a":[]}}"#
                .utf8)
        var generator = SeededGenerator(seed: 11)
        var accepted = 0
        for _ in 0..<30_000 {
            var bytes = whole
            for _ in 0..<(1 + generator.next(upperBound: UInt(3))) where !bytes.isEmpty {
                let index = Int(generator.next(upperBound: UInt(bytes.count)))
                switch generator.next(upperBound: UInt(4)) {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(bytes[index], at: index)
                default: bytes.removeSubrange(index...)
                }
            }
            guard let json = try? JSON.parse(bytes) else { continue }
            accepted += 1
            #expect((try? JSON.parse(json.serialized())) == json)
        }
        #expect(accepted > 100)
    }
}
