import Glibc

/// Standard output and standard error of the command.
enum Console {
    static let isTerminal = isatty(1) == 1
    /// Escape sequences are wanted: a terminal that knows them, and no NO_COLOR.
    static let hasColors = isTerminal && getenv("NO_COLOR") == nil && term != "dumb"

    private static var term: String { getenv("TERM").map { String(cString: $0) } ?? "" }

    /// Writes a line to standard output.
    static func say(_ line: String = "") { write(line + "\n", to: 1) }

    /// Writes a line to standard error.
    static func complain(_ line: String) { write(line + "\n", to: 2) }

    /// Writes text as it is; what cannot be written (a pipe whose reader left) is dropped.
    static func write(_ text: String, to descriptor: Int32 = 1) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// The text in a colour, where colours are wanted.
    static func paint(_ text: String, _ color: Color, if wanted: Bool = hasColors) -> String {
        wanted ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Characters of a text that take room: escape sequences of colours do not.
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

    /// Columns of the terminal; 80 where there is none.
    static var columns: Int {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// A line that was typed, without its end; nil at the end of input.
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
