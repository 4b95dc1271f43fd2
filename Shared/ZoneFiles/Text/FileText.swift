/// Decodes the text of a file.
enum FileText {
    /// The text in UTF-8 without byte order mark. Accepts UTF-8, UTF-16 with a byte order mark, and
    /// Windows-1252 for all other bytes.
    static func utf8(_ bytes: [UInt8], _ operation: String) throws(FileError) -> [UInt8] {
        if bytes.starts(with: [0xFF, 0xFE]) {
            return try utf16(bytes.dropFirst(2), low: 0, operation)
        }
        if bytes.starts(with: [0xFE, 0xFF]) {
            return try utf16(bytes.dropFirst(2), low: 1, operation)
        }
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let body = isMarked ? Array(bytes.dropFirst(3)) : bytes
        if String(validating: body, as: UTF8.self) != nil { return body }
        guard !isMarked else {
            throw FileError(
                .malformed, operation, "the file has a UTF-8 byte order mark, but is not UTF-8",
                hint: "Save it as UTF-8.")
        }
        return try windows1252(body, operation)
    }

    /// Converts UTF-16.
    ///
    /// - Parameter low: offset of the low byte in a code unit
    private static func utf16(
        _ bytes: ArraySlice<UInt8>, low: Int, _ operation: String
    ) throws(FileError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var line = 1
        var lead: UInt16?
        func broken() -> FileError {
            FileError(
                .malformed, operation, at: .line(line), "this is not UTF-16",
                hint: "Check that the file is complete, and save it as UTF-8.")
        }
        guard bytes.count % 2 == 0 else { throw broken() }
        for index in stride(from: bytes.startIndex, to: bytes.endIndex, by: 2) {
            let unit = UInt16(bytes[index + low]) | UInt16(bytes[index + 1 - low]) << 8
            if unit == 0x0A { line += 1 }
            let scalar: Unicode.Scalar?
            if let first = lead {
                guard (0xDC00...0xDFFF).contains(unit) else { throw broken() }
                scalar = Unicode.Scalar(
                    0x10000 + (UInt32(first - 0xD800) << 10 | UInt32(unit - 0xDC00)))
                lead = nil
            } else if (0xD800...0xDBFF).contains(unit) {
                lead = unit
                continue
            } else {
                scalar = Unicode.Scalar(UInt32(unit))
            }
            guard let scalar else { throw broken() }
            text += UTF8.encode(scalar)!
        }
        guard lead == nil else { throw broken() }
        return text
    }

    /// Scalars of the bytes 0x80 to 0x9F; 0 if Windows-1252 does not define the byte.
    private static let windowsScalars: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]

    private static func windows1252(
        _ bytes: [UInt8], _ operation: String
    ) throws(FileError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 8)
        var line = 1
        for byte in bytes {
            if byte == 0x0A { line += 1 }
            let number =
                (0x80...0x9F).contains(byte) ? windowsScalars[Int(byte) - 0x80] : UInt32(byte)
            guard number != 0, let scalar = Unicode.Scalar(number) else {
                throw FileError(
                    .malformed, operation, at: .line(line),
                    "this is neither UTF-8 nor Windows-1252", hint: "Save the file as UTF-8.")
            }
            text += UTF8.encode(scalar)!
        }
        return text
    }

    /// The lines of a text, terminated by LF, CRLF or CR.
    static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        var index = 0
        while index < text.count {
            defer { index += 1 }
            guard text[index] == 0x0A || text[index] == 0x0D else { continue }
            lines.append(text[start..<index])
            if text[index] == 0x0D, index + 1 < text.count, text[index + 1] == 0x0A { index += 1 }
            start = index + 1
        }
        if start < text.count { lines.append(text[start...]) }
        return lines
    }

    /// The cells of a line without surrounding blanks.
    static func cells(
        _ line: ArraySlice<UInt8>, separator: UInt8 = UInt8(ascii: ",")
    ) -> [String] {
        line.split(separator: separator, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self).withoutBlanks
        }
    }
}

extension String {
    /// The text without blanks at both ends.
    var withoutBlanks: String {
        let text = unicodeScalars
        guard let first = text.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = text.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }

    /// Whether the text contains a control character.
    var hasControlCharacter: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
