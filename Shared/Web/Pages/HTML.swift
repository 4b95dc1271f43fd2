/// HTML in which every interpolated text is escaped.
///
/// Literals are markup; texts become text, in elements and in quoted attributes alike. HTML inserts
/// unchanged.
///
///     let name = "<Ben & Co>"
///     let item: HTML = "<li title=\"\(name)\">\(name)</li>"
public struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The markup.
    public private(set) var text: String

    public init(stringLiteral value: String) { text = value }

    public init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    /// Pieces, one after the other.
    public init(_ pieces: [HTML]) { text = pieces.map(\.text).joined(separator: "\n") }

    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        public mutating func appendLiteral(_ literal: String) { text += literal }
        public mutating func appendInterpolation(_ text: String) { self.text += HTML.escaped(text) }
        public mutating func appendInterpolation(_ html: HTML) { text += html.text }
        public mutating func appendInterpolation(_ pieces: [HTML]) { text += HTML(pieces).text }
        public mutating func appendInterpolation(_ number: Int) { text += String(number) }
    }

    /// The text without the characters that markup needs, and without control characters.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case "\0"..<" ", "\u{7F}"..<"\u{A0}": escaped += " "
            // Marks that change the direction of the text after them.
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
