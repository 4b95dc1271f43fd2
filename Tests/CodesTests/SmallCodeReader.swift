/// Reads a QR code of version 1 (21 × 21) in byte mode. Written from the standard, independent of
/// the library that creates the codes. Does not correct errors.
enum SmallCodeReader {
    typealias Modules = (_ column: Int, _ row: Int) -> Bool

    /// The text; nil if the code has another size or mode or is not UTF-8.
    static func text(size: Int, isDark: Modules) -> String? {
        guard size == 21 else { return nil }
        var bits = dataBits(isDark)[...]
        func number(_ count: Int) -> Int {
            defer { bits = bits.dropFirst(count) }
            return bits.prefix(count).reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
        guard number(4) == 0b0100 else { return nil }
        let length = number(8)
        return String(validating: (0..<length).map { _ in UInt8(number(8)) }, as: UTF8.self)
    }

    /// The mask pattern: bits 10 to 12 of the format information beside the top left finder.
    private static func mask(_ isDark: Modules) -> Int {
        let masked = [2, 3, 4].reduce(0) { $0 << 1 | (isDark($1, 8) ? 1 : 0) }
        return masked ^ 0b101
    }

    private static func isFlipped(_ mask: Int, column x: Int, row y: Int) -> Bool {
        switch mask {
        case 0: (y + x) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (y + x) % 3 == 0
        case 4: (y / 2 + x / 3) % 2 == 0
        case 5: y * x % 2 + y * x % 3 == 0
        case 6: (y * x % 2 + y * x % 3) % 2 == 0
        default: ((y + x) % 2 + y * x % 3) % 2 == 0
        }
    }

    /// Finders with their separators and format information, and the timing patterns.
    private static func isFunction(column x: Int, row y: Int) -> Bool {
        x == 6 || y == 6 || x < 9 && y < 9 || x > 12 && y < 9 || x < 9 && y > 12
    }

    /// Pairs of columns from the right, alternately upwards and downwards.
    private static func dataBits(_ isDark: Modules) -> [Bool] {
        let mask = mask(isDark)
        var bits: [Bool] = []
        for (turn, right) in [20, 18, 16, 14, 12, 10, 8, 5, 3, 1].enumerated() {
            for step in 0..<21 {
                let row = turn % 2 == 0 ? 20 - step : step
                for column in [right, right - 1] where !isFunction(column: column, row: row) {
                    bits.append(isDark(column, row) != isFlipped(mask, column: column, row: row))
                }
            }
        }
        return bits
    }
}
