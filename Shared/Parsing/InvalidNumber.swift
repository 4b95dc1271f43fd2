/// A number that JSON does not allow, such as NaN. It is the usual cause of malformed JSON.
struct InvalidNumber {
    private let message: String
    private let offset: Int

    /// Finds the first such number in a malformed text, or returns nil.
    init?(in bytes: [UInt8]) {
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") {
                index = InvalidNumber.end(ofStringAt: index, in: bytes)
                continue
            }
            let start = index
            while index < bytes.count, InvalidNumber.isWordCharacter(bytes[index]) { index += 1 }
            if start == index {
                index += 1
            } else if let message = InvalidNumber.message(bytes[start..<index]) {
                (self.message, offset) = (message, start)
                return
            }
        }
        return nil
    }

    var error: ParseError {
        ParseError(code: .inexpressible, operation: "parse", message: message, offset: offset)
    }

    /// Why a word is not allowed, or nil if it may be correct or is another kind of error.
    private static func message(_ word: ArraySlice<UInt8>) -> String? {
        // Words beyond this length are not plausible numbers.
        guard word.count <= 400, let first = word.first else { return nil }
        let isSigned = first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        let text = String(decoding: word, as: UTF8.self)
        switch (isSigned ? String(text.dropFirst()) : text).lowercased() {
        case "nan": return "NaN is not allowed in JSON"
        case "inf", "infinity": return "infinity is not allowed in JSON"
        default: break
        }
        let digit = isSigned ? word.dropFirst().first : first
        guard let digit, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit),
            let number = Double(text), number.isInfinite
        else { return nil }
        return "a number exceeds the range of a double"
    }

    private static func end(ofStringAt start: Int, in bytes: [UInt8]) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }

    private static func isWordCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
