/// Variants of a valid input in which one number is replaced by an extreme value.
///
/// A reader must reject or handle all of them: arithmetic on numbers from outside must not trap.
public enum ExtremeValues {
    /// Decimal numbers at and beyond the bounds of the common types.
    public static let texts = [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "18446744073709551616", "4294967296", "2147483648", "-2147483649", "1e308", "-1e308",
        "1e999", "0.0000000000000000000001", "-0", "nan", "inf",
    ]

    /// Variants in which one decimal number of a text is replaced.
    ///
    /// - Parameter skipped: number of leading bytes that stay
    public static func variants(ofText input: [UInt8], skipped: Int = 0) -> [[UInt8]] {
        var found: [Range<Int>] = []
        var start: Int?
        for index in skipped...input.count {
            let isPart = index < input.count && isNumeric(input[index])
            if isPart, start == nil { start = index }
            if !isPart, let from = start {
                found.append(from..<index)
                start = nil
            }
        }
        return found.flatMap { range in
            texts.map { text in
                Array(input[..<range.lowerBound]) + Array(text.utf8) + input[range.upperBound...]
            }
        }
    }

    /// Variants in which an integer of 1, 2, 4 or 8 bytes at one offset has all bits clear or set,
    /// or the highest or lowest signed value in either byte order.
    ///
    /// - Parameters:
    ///   - skipped: number of leading bytes that stay
    ///   - limit: offsets at or after this one stay
    public static func variants(
        ofBytes input: [UInt8], skipped: Int = 0, limit: Int = .max
    ) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for width in [1, 2, 4, 8] {
            let end = min(input.count, limit) - width
            guard end >= skipped else { continue }
            let middle = [UInt8](repeating: 0xFF, count: width - 1)
            let zeros = [UInt8](repeating: 0, count: width - 1)
            let values = Set([
                [0xFF] + middle, [0] + zeros, [0x7F] + middle, middle + [0x7F], [0x80] + zeros,
                zeros + [0x80],
            ])
            for offset in skipped...end {
                for value in values {
                    var changed = input
                    changed.replaceSubrange(offset..<offset + width, with: value)
                    all.append(changed)
                }
            }
        }
        return all
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "-")
    }
}
