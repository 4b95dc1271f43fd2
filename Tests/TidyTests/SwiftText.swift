/// Blanks out comments and string literals in Swift source. Lines and columns do not move.
struct SwiftText {
    private let source: [UInt8]
    private var code: [UInt8]
    private var index = 0

    /// The source text with comments and string literals blanked out.
    static func code(of text: String) -> String {
        var reader = SwiftText(text)
        reader.readCode(until: nil)
        return String(decoding: reader.code, as: UTF8.self)
    }

    private init(_ text: String) {
        source = Array(text.utf8)
        code = source
    }

    /// Bytes at which a comment, a literal or a nesting may start.
    private static let markers = Array("/\"#()".utf8)
    private static let lineComment = Array("//".utf8)
    private static let commentStart = Array("/*".utf8)
    private static let commentEnd = Array("*/".utf8)

    /// Reads code up to the end, or up to the closing parenthesis of an interpolation.
    private mutating func readCode(until closing: UInt8?) {
        var depth = 0
        while index < source.count {
            guard SwiftText.markers.contains(source[index]) else {
                index += 1
                continue
            }
            if starts(SwiftText.lineComment) {
                blank(toEndOfLine: ())
            } else if starts(SwiftText.commentStart) {
                blankComment()
            } else if let literal = openingOfString() {
                readString(hashes: literal.hashes, quotes: literal.quotes)
            } else {
                let byte = source[index]
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") {
                    if closing != nil, depth == 0 { return }
                    depth -= 1
                }
                index += 1
            }
        }
    }

    /// Whether these bytes are next. Called for every byte, so it allocates nothing.
    private func starts(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
        let start = index + offset
        guard start + bytes.count <= source.count else { return false }
        for index in bytes.indices where source[start + index] != bytes[index] { return false }
        return true
    }

    /// The number of equal bytes from an offset.
    private func count(of byte: UInt8, at offset: Int) -> Int {
        var end = index + offset
        while end < source.count, source[end] == byte { end += 1 }
        return end - index - offset
    }

    private mutating func blankOne() {
        if source[index] != UInt8(ascii: "\n") { code[index] = UInt8(ascii: " ") }
        index += 1
    }

    private mutating func blank(toEndOfLine: Void) {
        while index < source.count, source[index] != UInt8(ascii: "\n") { blankOne() }
    }

    private mutating func blankComment() {
        var depth = 0
        repeat {
            if starts(SwiftText.commentStart) {
                depth += 1
                blankOne()
            } else if starts(SwiftText.commentEnd) {
                depth -= 1
                blankOne()
            }
            blankOne()
        } while index < source.count && depth > 0
    }

    private func openingOfString() -> (hashes: Int, quotes: Int)? {
        let hashes = count(of: UInt8(ascii: "#"), at: 0)
        let quotes = count(of: UInt8(ascii: "\""), at: hashes)
        guard quotes > 0 else { return nil }
        return (hashes, quotes >= 3 ? 3 : 1)
    }

    /// Blanks the text between the quotes; interpolated code stays.
    private mutating func readString(hashes: Int, quotes: Int) {
        index += hashes + quotes
        let tail = String(repeating: "#", count: hashes)
        let closing = Array((String(repeating: "\"", count: quotes) + tail).utf8)
        let escape = Array(("\\" + tail).utf8)
        let interpolation = escape + [UInt8(ascii: "(")]
        while index < source.count {
            if starts(closing) {
                index += closing.count
                return
            }
            if starts(interpolation) {
                for _ in 0..<hashes + 2 { blankOne() }
                readCode(until: UInt8(ascii: ")"))
                if index < source.count { blankOne() }
            } else if starts(escape) {
                for _ in 0..<min(hashes + 2, source.count - index) { blankOne() }
            } else if quotes == 1, source[index] == UInt8(ascii: "\n") {
                return
            } else {
                blankOne()
            }
        }
    }
}
