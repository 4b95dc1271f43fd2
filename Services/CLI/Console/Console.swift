import Glibc
import Parsing

/// Standard output and standard error of the command.
enum Console {
    static let isTerminal = isatty(1) == 1
    /// Whether to use escape sequences: the terminal supports them, and NO_COLOR is not set.
    static let hasColors = isTerminal && getenv("NO_COLOR") == nil && term != "dumb"

    private static var term: String { getenv("TERM").map { String(cString: $0) } ?? "" }

    /// Writes a line to standard output.
    static func print(_ line: String = "") { write(line + "\n", to: 1) }

    /// Writes a line to standard error.
    static func printError(_ line: String) { write(line + "\n", to: 2) }

    /// Writes text with hidden characters escaped. Names of people, zones and phones are untrusted
    /// and must not control the terminal.
    static func write(_ text: String, to descriptor: Int32 = 1) {
        writeAsIs(harmless(text, hasColors: hasColors), to: descriptor)
    }

    /// Writes the content of a file: unchanged to a file or pipe, escaped to a terminal.
    static func writeFile(_ text: String) {
        if isTerminal { write(text) } else { writeAsIs(text) }
    }

    /// The text with hidden characters escaped, except line breaks and supported colours.
    static func harmless(_ text: String, hasColors: Bool) -> String {
        guard hasColors else { return PlainText.escaped(text, keepingLines: true) }
        var result = ""
        var rest = text[...]
        while let escape = rest.firstIndex(of: "\u{1B}") {
            result += PlainText.escaped(String(rest[..<escape]), keepingLines: true)
            rest = rest[escape...]
            let known = colorSequences.first { rest.hasPrefix($0) }
            result += known ?? PlainText.escaped("\u{1B}")
            rest = rest.dropFirst(known?.count ?? 1)
        }
        return result + PlainText.escaped(String(rest), keepingLines: true)
    }

    /// All escape sequences that ``paint(_:_:if:)`` writes.
    private static let colorSequences =
        ["\u{1B}[0m"] + Color.allCases.map { "\u{1B}[\($0.rawValue)m" }

    /// Writes text unchanged. Output that cannot be written, such as to a closed pipe, is dropped.
    static func writeAsIs(_ text: String, to descriptor: Int32 = 1) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// The text in a colour, if colours are enabled.
    static func paint(_ text: String, _ color: Color, if isEnabled: Bool = hasColors) -> String {
        isEnabled ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Visible width of a text, without escape sequences.
    static func width(of text: String) -> Int {
        var isEscape = false
        var count = 0
        for character in text {
            if character == "\u{1B}" { isEscape = true }
            if !isEscape { count += 1 }
            if isEscape, character == "m" { isEscape = false }
        }
        return count
    }

    /// Columns of the terminal; 80 if there is none.
    static var columns: Int {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Reads a line of input; nil at the end of input.
    static func readLine() -> String? { Swift.readLine(strippingNewline: true) }
}

/// Colours that are readable on dark and light terminals.
enum Color: Int, CaseIterable {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34
    case magenta = 35
    case cyan = 36
}

extension String {
    /// The text with line breaks, tabs and hidden characters escaped.
    ///
    /// Names, notes and gateways' responses are untrusted: a line break could forge a line of
    /// output.
    var onOneLine: String {
        // Fast path: most text is plain ASCII.
        if utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return PlainText.escaped(text)
    }
}
