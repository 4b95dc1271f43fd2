import Parsing
import Testing

@Suite struct `Plain text` {
    @Test(arguments: [
        "Anna", "Zoë", "李雷", "Café 7", "O’Brien", "Ñandú", "עדן", "نور", "می‌خواهم", "क्‍ष",
        "श्री",
        "👨‍👩‍👧", "🏳️‍🌈", "❤️", "👩🏽‍🚒", "1️⃣", "Sekolah – Rumah",
    ]) func `keeps natural text`(text: String) {
        #expect(PlainText.firstHidden(in: text) == nil)
        #expect(PlainText.escaped(text) == text)
    }

    @Test(
        arguments: [
            0x00, 0x07, 0x08, 0x0A, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0x9D, 0xAD, 0x61C, 0x180E, 0x200B,
            0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0x3164,
            0xFE0F, 0xFEFF, 0xFFF9, 0xE0041, 0xE0100,
        ] as [UInt32]) func `rejects and escapes hidden characters`(value: UInt32) throws
    {
        let scalar = try #require(Unicode.Scalar(value))
        for text in ["\(scalar)ab", "a\(scalar)b", "ab\(scalar)", "\(scalar)"] {
            #expect(PlainText.firstHidden(in: text) == scalar)
            let escaped = PlainText.escaped(text)
            #expect(PlainText.firstHidden(in: escaped) == nil)
            #expect(escaped.contains("\\u"))
        }
    }

    @Test func `uses the escapes of JSON`() throws {
        #expect(
            PlainText.escaped("a\u{1B}[2J\u{202E}\u{E0041}")
                == #"a\u001b[2J\u202e\udb40\udc41"#)
        #expect(PlainText.escaped("a\n\tb", keepingLines: true) == "a\n\tb")
        #expect(PlainText.escaped("a\r\n", keepingLines: true) == "a\\u000d\n")
        #expect(PlainText.name(of: "\u{9B}") == "U+009B")
        // Escaped JSON stays on one line and keeps its meaning.
        let line = JSON.object([.init("name", .string("a\u{202E}b\u{9B}c\u{1B}"))])
        let text = String(decoding: line.serialized(), as: UTF8.self)
        #expect(try JSON.parse(Array(PlainText.escaped(text).utf8)) == line)
    }

    @Test func `finds joiners hidden in words`() {
        for text in ["pay\u{200D}pal", "👨\u{200D}x", "x\u{200D}👨", "👨\u{200D}", "a\u{200C}b"] {
            #expect(PlainText.firstHidden(in: text) != nil, "\(text)")
        }
    }
}
