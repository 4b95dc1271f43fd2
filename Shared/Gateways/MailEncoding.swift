import Hashing

/// Encodes header text in ASCII (RFC 2047).
enum EncodedWord {
    /// Encodes a text for a header.
    ///
    /// Returns the text unchanged if it is printable ASCII and fits on the line, otherwise folded
    /// encoded words.
    ///
    /// - Parameter column: columns of the first line that are already used
    static func encode(_ text: String, after column: Int) -> String {
        let isPlain = text.utf8.allSatisfy { (32...126).contains($0) } && !text.contains("=?")
        if isPlain, column + text.utf8.count <= 76 { return text }
        var words: [String] = []
        var word: [UInt8] = []
        for character in text.unicodeScalars {
            let bytes = Array(String(character).utf8)
            // An encoded word has 12 characters of overhead; base64 needs four characters for three
            // bytes.
            let room = 75 - 12 - (words.isEmpty ? column : 0)
            if (word.count + bytes.count + 2) / 3 * 4 > room {
                words.append(encoded(word))
                word = []
            }
            word += bytes
        }
        words.append(encoded(word))
        return words.joined(separator: "\r\n ")
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        "=?utf-8?B?\(Base64.encode(bytes))?="
    }
}

/// Encodes body text as ASCII lines of at most 76 characters (RFC 2045).
enum QuotedPrintable {
    /// Encodes a text. Every line ends with CR LF, including the last.
    static func encode(_ text: String) -> [UInt8] {
        var out: [UInt8] = []
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines {
            let bytes = Array(line.utf8)
            var column = 0
            for (index, byte) in bytes.enumerated() {
                let piece = encoded(byte, isLast: index == bytes.count - 1)
                // Column 76 is reserved for the soft line break.
                if column + piece.count > 75 {
                    out += "=\r\n".utf8
                    column = 0
                }
                out += piece
                column += piece.count
            }
            out += "\r\n".utf8
        }
        return out
    }

    private static func encoded(_ byte: UInt8, isLast: Bool) -> [UInt8] {
        let isBlank = byte == 32 || byte == 9
        if (33...126).contains(byte) && byte != UInt8(ascii: "=") || isBlank && !isLast {
            return [byte]
        }
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}

/// Encodes bytes as base64 lines of at most 76 characters (RFC 2045).
enum Base64Lines {
    /// Encodes bytes. Every line ends with CR LF; no bytes give no line.
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 57).flatMap { start in
            Array(Base64.encode(Array(bytes[start..<min(start + 57, bytes.count)])).utf8)
                + [13, 10]
        }
    }
}
