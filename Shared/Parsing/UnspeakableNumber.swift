/// A number that JSON cannot say, though some programs write it: the usual reason why what looks
/// like JSON is none.
struct UnspeakableNumber {
    private let message: String
    private let offset: Int

    /// The first one of a text that is no JSON; nil if it has none.
    init?(in bytes: [UInt8]) {
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") {
                index = UnspeakableNumber.end(ofStringAt: index, in: bytes)
                continue
            }
            let start = index
            while index < bytes.count, UnspeakableNumber.isOfWord(bytes[index]) { index += 1 }
            if start == index {
                index += 1
            } else if let message = UnspeakableNumber.message(bytes[start..<index]) {
                (self.message, offset) = (message, start)
                return
            }
        }
        return nil
    }

    var error: ParseError {
        ParseError(code: .inexpressible, operation: "parse", message: message, offset: offset)
    }

    /// What is wrong with a word; nil for one that may be right. Digits are nobody else's business.
    private static func message(_ word: ArraySlice<UInt8>) -> String? {
        // No number that anybody means is longer.
        guard word.count <= 400, let first = word.first else { return nil }
        let isSigned = first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        let text = String(decoding: word, as: UTF8.self)
        switch (isSigned ? String(text.dropFirst()) : text).lowercased() {
        case "nan": return "NaN is no number in JSON"
        case "inf", "infinity": return "an infinite number is none in JSON"
        default: break
        }
        let digit = isSigned ? word.dropFirst().first : first
        guard let digit, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit),
            let number = Double(text), number.isInfinite
        else { return nil }
        return "a number is too large to be one"
    }

    private static func end(ofStringAt start: Int, in bytes: [UInt8]) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
