/// Writes JSON directly into bytes, for the answers to reports.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends text that is valid JSON.
    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func integer(_ value: Int64) {
        if value < 0 { bytes.append(0x2D) }
        digits(value.magnitude, atLeast: 1)
    }

    /// Appends units of 10⁻⁷ degrees as a decimal fraction without trailing zeros.
    mutating func degrees(_ value: Int32) {
        if value < 0 { bytes.append(0x2D) }
        let whole = value.magnitude / 10_000_000
        var rest = value.magnitude % 10_000_000
        digits(UInt64(whole), atLeast: 1)
        guard rest > 0 else { return }
        bytes.append(0x2E)
        var width = 7
        while rest % 10 == 0 {
            rest /= 10
            width -= 1
        }
        digits(UInt64(rest), atLeast: width)
    }

    /// Appends a quoted string and escapes control characters, quotes and backslashes.
    ///
    /// - Parameter prefix: precedes the text; must not need escaping
    mutating func string(_ text: String, after prefix: StaticString = "") {
        bytes.append(0x22)
        raw(prefix)
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
        if isPlain {
            bytes.append(contentsOf: text.utf8)
            bytes.append(0x22)
            return
        }
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C:
                bytes.append(0x5C)
                bytes.append(byte)
            case 0..<0x20:
                raw("\\u00")
                bytes.append(hex(byte >> 4))
                bytes.append(hex(byte & 15))
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }

    private func hex(_ digit: UInt8) -> UInt8 { digit < 10 ? 48 + digit : 87 + digit }

    private mutating func digits(_ value: UInt64, atLeast width: Int) {
        // 20 digits fit any 64-bit number. Digits are filled in from the last one.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            var rest = value
            var index = 20
            while rest > 0 || 20 - index < width {
                index -= 1
                buffer[index] = 48 + UInt8(rest % 10)
                rest /= 10
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[index...]))
        }
    }
}
