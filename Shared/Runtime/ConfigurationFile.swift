/// Parser of `jaga.conf`: one `KEY=value` per line; `#` starts a comment line.
enum ConfigurationFile {
    struct Line {
        var name: String
        var value: String
        /// File and line number, for error messages.
        var origin: String
    }

    static func read(_ path: String) throws(ConfigurationError) -> [Line] {
        let bytes: [UInt8]
        do { bytes = try Files.read(path, bytesMax: 1024 * 1024) } catch {
            throw ConfigurationError(
                "file-unreadable", error.message, hint: error.hint, operation: error.operation)
        }
        return try parse(String(decoding: bytes, as: UTF8.self), path: path)
    }

    static func parse(_ text: String, path: String) throws(ConfigurationError) -> [Line] {
        var lines: [Line] = []
        for (index, raw) in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).enumerated() {
            let line = trimmed(raw)
            if line.isEmpty || line.hasPrefix("#") { continue }
            let origin = "\(path) line \(index + 1)"
            guard let equals = line.firstIndex(of: "=") else {
                throw ConfigurationError(
                    "file-malformed", "\(origin) has no \"=\"",
                    hint: "Write KEY=value, or # in front.")
            }
            let name = String(trimmed(line[..<equals]))
            if let earlier = lines.first(where: { $0.name == name }) {
                throw ConfigurationError(
                    "setting-twice", "\(name) is set in \(origin) and in \(earlier.origin)",
                    hint: "Remove one of them.")
            }
            let value = unquoted(trimmed(line[line.index(after: equals)...]))
            lines.append(Line(name: name, value: value, origin: origin))
        }
        return lines
    }

    private static func trimmed(_ text: Substring) -> Substring {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return text[first...last]
    }

    /// Removes enclosing quotes, which people write out of habit from shells.
    private static func unquoted(_ text: Substring) -> String {
        for quote in ["\"", "'"] where text.count > 1 && text.hasPrefix(quote) {
            if text.hasSuffix(quote) { return String(text.dropFirst().dropLast()) }
        }
        return String(text)
    }
}
