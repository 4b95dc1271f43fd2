import CQREncode

/// A QR code: a square of dark and light modules that encodes a text.
///
///     let code = try QRCode("owntracks:///config?inline=…")
///     for line in code.lines(colors: true) { … }
public struct QRCode: Hashable, Sendable {
    /// Modules per side, 21 to 177, without the quiet zone.
    public let size: Int
    /// Modules row by row from the top left; true = dark.
    private let modules: [Bool]

    /// Creates the smallest code for a text.
    ///
    /// Uses error correction level L (7 %), which suffices for screens.
    ///
    /// - Throws: ``CodeError`` if the text is empty, contains NUL or exceeds 2,953 bytes
    public init(_ text: String) throws(CodeError) {
        guard !text.isEmpty, !text.utf8.contains(0) else { throw CodeError.unusable }
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else {
            throw CodeError.tooLong(bytes: text.utf8.count)
        }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        modules = (0..<size * size).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// Whether a module is dark; false outside the code.
    public func isDark(column: Int, row: Int) -> Bool {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
        return modules[row * size + column]
    }

    /// The code as terminal lines, two rows of modules per line, with quiet zone.
    ///
    /// Only light modules are drawn, which fits dark terminals. With colours it fits all terminals.
    public func lines(colors: Bool) -> [String] {
        let quiet = QRCode.quietZone
        return stride(from: -quiet, to: size + quiet, by: 2).map { row in
            var line = colors ? "\u{1B}[40;97m" : ""
            for column in -quiet..<size + quiet {
                let upper = !isDark(column: column, row: row)
                let lower = row + 1 < size + quiet && !isDark(column: column, row: row + 1)
                switch (upper, lower) {
                case (true, true): line += "█"
                case (true, false): line += "▀"
                case (false, true): line += "▄"
                case (false, false): line += " "
                }
            }
            return line + (colors ? "\u{1B}[0m" : "")
        }
    }

    /// The code as an SVG image, black on white with quiet zone, one unit per module.
    public var svg: String {
        let side = size + 2 * QRCode.quietZone
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while isDark(column: column, row: row) { column += 1 }
                if column > start {
                    let x = start + QRCode.quietZone
                    let length = column - start
                    path += "M\(x) \(row + QRCode.quietZone)h\(length)v1h-\(length)z"
                }
                column += 1
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" \
            shape-rendering="crispEdges"><rect width="\(side)" height="\(side)" fill="#fff"/>\
            <path d="\(path)"/></svg>
            """
    }

    /// Width of the light border that the standard requires, in modules.
    static let quietZone = 4
}
