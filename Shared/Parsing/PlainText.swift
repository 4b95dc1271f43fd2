/// Detects and escapes invisible characters, terminal controls and bidirectional controls.
///
/// A name with such characters can imitate another name or control the terminal that displays it.
/// Names with them are rejected (``firstHidden(in:)``); other displayed text is escaped
/// (``escaped(_:keepingLines:)``). Joiners are kept where scripts need them: between parts of an
/// emoji, and beside letters in Indic and Arabic scripts (RFC 5892, appendix A).
public enum PlainText {
    /// The first character that is not allowed in names, or nil.
    public static func firstHidden(in text: String) -> Unicode.Scalar? {
        let scalars = Array(text.unicodeScalars)
        return scalars.indices.first { isHidden(at: $0, of: scalars) }.map { scalars[$0] }
    }

    /// The conventional notation of a character: `U+202E`.
    public static func name(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Replaces hidden characters with JSON escapes: `\u202e`.
    ///
    /// - Parameter keepingLines: whether line feeds and tabs are kept
    public static func escaped(_ text: String, keepingLines: Bool = false) -> String {
        // Fast path: nearly all text is printable ASCII.
        if text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return text }
        let scalars = Array(text.unicodeScalars)
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for index in scalars.indices {
            let scalar = scalars[index]
            let isKept = keepingLines && (scalar == "\n" || scalar == "\t")
            if isKept || !isHidden(at: index, of: scalars) {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result
    }

    private static func isHidden(at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        switch scalars[index].value {
        case 0x200D: !joinsEmoji(at: index, of: scalars) && !isBesideLetters(index, scalars)
        case 0x200C: !isBesideLetters(index, scalars)
        // C0, delete, C1; soft hyphen; combining grapheme joiner.
        case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x34F: true
        // Bidirectional controls: Arabic letter mark, marks, embeddings, overrides, isolates.
        case 0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x206F: true
        // Zero-width characters: spaces, invisible operators, byte order mark, fillers, separators.
        case 0x180B...0x180F, 0x200B, 0x2028...0x2029, 0x2060...0x2065, 0xFEFF: true
        case 0x115F...0x1160, 0x17B4...0x17B5, 0x3164, 0xFFA0, 0xFFF0...0xFFFB: true
        // Noncharacters, tags, variation selectors of ideographs, musical controls.
        case 0xFDD0...0xFDEF, 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true
        case 0xFE00...0xFE0F: !variesCharacter(at: index, of: scalars)
        case let value: value & 0xFFFE == 0xFFFE
        }
    }

    /// Whether a variation selector follows a visible character that it can modify.
    private static func variesCharacter(at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0 else { return false }
        let before = scalars[index - 1]
        return before.properties.isEmoji || before.value > 0x2000 && !isSelector(before)
    }

    private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
        (0xFE00...0xFE0F).contains(scalar.value) || scalar.value == 0x200D
    }

    /// Whether a zero-width joiner connects two parts of an emoji, such as a family.
    private static func joinsEmoji(at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0, index + 1 < scalars.count else { return false }
        let before = scalars[index - 1]
        let isAfterEmoji =
            isPictograph(before)
            || before.value == 0xFE0F && index > 1
                && isPictograph(scalars[index - 2])
        return isAfterEmoji && isPictograph(scalars[index + 1])
    }

    private static func isPictograph(_ scalar: Unicode.Scalar) -> Bool {
        // Digits and `#` have the emoji property, too.
        scalar.properties.isEmoji && scalar.value > 0x2000
    }

    /// Whether a joiner follows a virama or is between two Arabic letters.
    private static func isBesideLetters(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0, index + 1 < scalars.count else { return false }
        let (before, after) = (scalars[index - 1], scalars[index + 1])
        if before.properties.canonicalCombiningClass == .virama { return isVisible(after) }
        return isArabic(before) && isArabic(after)
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic
    }

    private static func isArabic(_ scalar: Unicode.Scalar) -> Bool {
        let isInScript = [0x620...0x6FF, 0x750...0x77F, 0x8A0...0x8FF].contains {
            $0.contains(Int(scalar.value))
        }
        return isInScript && scalar.properties.isAlphabetic
    }
}
