import Parsing

/// Parses the subset of YAML that docs/openapi.yaml uses.
///
/// The subset: block mappings and sequences, flow collections, block texts (`|`, `>`, with or
/// without `-`), plain and quoted scalars, comments on their own lines. Everything else is an
/// error, so that no content is skipped silently.
public struct YAML {
    /// Parses a document.
    ///
    /// - Throws: ``TestFailure`` with the line that cannot be parsed
    public static func parse(_ text: String) throws -> JSON {
        var reader = YAML(text)
        reader.skipBlank()
        guard let first = reader.line else { return .null }
        let value = try reader.block(at: first.indent)
        if reader.line != nil { throw reader.failure("does not belong to what stands before it") }
        return value
    }

    private struct Line {
        /// Indentation in columns.
        var indent: Int
        /// Trimmed.
        var text: [UInt8]
        var isBlank: Bool { text.isEmpty || text.first == UInt8(ascii: "#") }
    }

    private var lines: [Line] = []
    private var place = 0

    private init(_ text: String) {
        lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false).map { raw in
            let text = raw.drop { $0 == 32 }
            let end = text.lastIndex { $0 != 32 }.map { text.index(after: $0) } ?? text.startIndex
            return Line(indent: raw.count - text.count, text: Array(text[..<end]))
        }
    }

    private var line: Line? { place < lines.count ? lines[place] : nil }

    private mutating func skipBlank() {
        while let line, line.isBlank { place += 1 }
    }

    private func failure(_ problem: String) -> TestFailure {
        TestFailure("YAML, line \(min(place, lines.count) + 1): \(problem)")
    }

    // MARK: Blocks

    /// The mapping, sequence or scalar that starts at the current line.
    private mutating func block(at indent: Int) throws -> JSON {
        guard let line else { return .null }
        if Self.isItem(line.text) { return try sequence(at: indent) }
        if try key(of: line.text) != nil { return try mapping(at: indent) }
        return try scalar(line.text, deeperThan: indent - 1)
    }

    private static func isItem(_ text: [UInt8]) -> Bool {
        text.first == UInt8(ascii: "-") && (text.count == 1 || text[1] == 32)
    }

    private mutating func sequence(at indent: Int) throws -> JSON {
        var items: [JSON] = []
        while let line, line.indent == indent, Self.isItem(line.text) {
            // The text after the dash is a block of its own, as if the dash were a blank.
            let rest = line.text.dropFirst().drop { $0 == 32 }
            if rest.isEmpty {
                place += 1
                items.append(try nested(in: indent))
            } else {
                let column = indent + line.text.count - rest.count
                lines[place] = Line(indent: column, text: Array(rest))
                items.append(try block(at: column))
            }
            skipBlank()
        }
        return .array(items)
    }

    private mutating func mapping(at indent: Int) throws -> JSON {
        var members: [JSON.Member] = []
        while let line, line.indent == indent, let (key, rest) = try key(of: line.text) {
            if members.contains(where: { $0.key == key }) { throw failure("\(key) stands twice") }
            let value: JSON
            if rest.isEmpty {
                place += 1
                value = try nested(in: indent, takesItems: true)
            } else {
                value = try scalar(Array(rest), deeperThan: indent)
            }
            members.append(.init(key, value))
            skipBlank()
        }
        return .object(members)
    }

    /// The block below a key or a dash; null if there is none.
    private mutating func nested(in indent: Int, takesItems: Bool = false) throws -> JSON {
        skipBlank()
        guard let line else { return .null }
        if line.indent > indent { return try block(at: line.indent) }
        guard takesItems, line.indent == indent, Self.isItem(line.text) else { return .null }
        return try sequence(at: indent)
    }

    /// The key at the start of a line and the text after its colon; nil for other lines.
    private func key(of text: [UInt8]) throws -> (String, ArraySlice<UInt8>)? {
        var flow = Flow(text)
        let key: String
        switch text.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return nil
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            key = try flow.quoted()
        default:
            guard let end = text.indices.first(where: { Self.endsKey(text, $0) }) else {
                return nil
            }
            key = String(decoding: text[..<end], as: UTF8.self)
            flow.place = end
        }
        guard flow.place < text.count, Self.endsKey(text, flow.place) else { return nil }
        return (key, text[(flow.place + 1)...].drop { $0 == 32 })
    }

    private static func endsKey(_ text: [UInt8], _ place: Int) -> Bool {
        text[place] == UInt8(ascii: ":") && (place + 1 == text.count || text[place + 1] == 32)
    }

    // MARK: Scalars and flow collections

    /// The value that starts with `text` on the current line and may continue in deeper lines.
    private mutating func scalar(_ text: [UInt8], deeperThan indent: Int) throws -> JSON {
        place += 1
        switch text.first {
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            return try blockText(String(decoding: text, as: UTF8.self), deeperThan: indent)
        case UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "!"), UInt8(ascii: "?"),
            UInt8(ascii: "%"), UInt8(ascii: "@"), UInt8(ascii: "`"):
            throw failure("anchors, tags and the like are not read")
        default: break
        }
        var whole = text
        let isPlain = !"[{\"'".utf8.contains(text[0])
        while let line, !line.text.isEmpty, line.indent > indent {
            if !isPlain, (try? Flow.value(whole)) != nil { break }
            whole += [32] + line.text
            place += 1
        }
        do { return isPlain ? Flow.plain(whole[...]) : try Flow.value(whole) } catch {
            throw failure("\(error)")
        }
    }

    private mutating func blockText(_ form: String, deeperThan indent: Int) throws -> JSON {
        guard ["|", "|-", ">", ">-"].contains(form) else { throw failure("\(form) is not read") }
        var found: [String] = []
        var column: Int?
        while let line, line.text.isEmpty || line.indent > indent {
            let margin = column ?? line.indent
            if !line.text.isEmpty { column = margin }
            let deeper = line.text.isEmpty ? 0 : max(0, line.indent - margin)
            found.append(
                String(repeating: " ", count: deeper) + String(decoding: line.text, as: UTF8.self))
            place += 1
        }
        while found.last == "" { found.removeLast() }
        let end = form.hasSuffix("-") ? "" : "\n"
        if form.hasPrefix("|") { return .string(found.joined(separator: "\n") + end) }
        let paragraphs = found.split(separator: "", omittingEmptySubsequences: false)
            .map { $0.joined(separator: " ") }
        return .string(paragraphs.joined(separator: "\n") + end)
    }
}

/// Parses a flow collection or a quoted scalar within one line.
private struct Flow {
    let text: [UInt8]
    var place = 0

    init(_ text: [UInt8]) { self.text = text }

    static func value(_ text: [UInt8]) throws -> JSON {
        var flow = Flow(text)
        let value = try flow.value()
        flow.skipBlanks()
        guard flow.place == text.count else { throw TestFailure("more follows a value") }
        return value
    }

    private var next: UInt8? { place < text.count ? text[place] : nil }

    private mutating func skipBlanks() {
        while next == 32 { place += 1 }
    }

    private mutating func value() throws -> JSON {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"):
            var members: [JSON.Member] = []
            try items(until: UInt8(ascii: "}")) { flow in
                let key: JSON = try flow.value()
                flow.skipBlanks()
                guard flow.next == UInt8(ascii: ":") else { throw TestFailure("a key has no :") }
                flow.place += 1
                members.append(.init(key.string ?? "", try flow.value()))
            }
            return .object(members)
        case UInt8(ascii: "["):
            var values: [JSON] = []
            try items(until: UInt8(ascii: "]")) { values.append(try $0.value()) }
            return .array(values)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try quoted())
        default:
            let start = place
            while let byte = next, !",]}".utf8.contains(byte) {
                let following = place + 1 < text.count ? text[place + 1] : 32
                if byte == UInt8(ascii: ":"), following == 32 { break }
                place += 1
            }
            return Flow.plain(text[start..<place])
        }
    }

    private mutating func items(
        until end: UInt8, _ read: (inout Flow) throws -> Void
    ) throws {
        place += 1
        while true {
            skipBlanks()
            if next == end { break }
            try read(&self)
            skipBlanks()
            if next == UInt8(ascii: ",") { place += 1 } else { break }
        }
        guard next == end else { throw TestFailure("a collection has no end") }
        place += 1
    }

    mutating func quoted() throws -> String {
        let quote = text[place]
        place += 1
        var bytes: [UInt8] = []
        while let byte = next {
            place += 1
            if byte == quote {
                guard quote == UInt8(ascii: "'"), next == quote else {
                    return String(decoding: bytes, as: UTF8.self)
                }
                place += 1
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                bytes += try escaped()
                continue
            }
            bytes.append(byte)
        }
        throw TestFailure("a quoted text has no end")
    }

    private mutating func escaped() throws -> [UInt8] {
        guard let byte = next else { throw TestFailure("a text ends with \\") }
        place += 1
        switch byte {
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "u"):
            let digits = String(decoding: text[place...].prefix(4), as: UTF8.self)
            guard let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code) else {
                throw TestFailure("\\u\(digits) is no character")
            }
            place += 4
            return Array(String(scalar).utf8)
        default: throw TestFailure("\\ before what is not escaped")
        }
    }

    /// A plain scalar: null, a boolean, a number or a text.
    static func plain(_ bytes: ArraySlice<UInt8>) -> JSON {
        let text = String(decoding: bytes, as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        switch text {
        case "", "~", "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: break
        }
        if let integer = Int64(text) { return .integer(integer) }
        if let first = text.utf8.first, "+-.0123456789".utf8.contains(first),
            let number = Double(text), number.isFinite
        {
            return .number(number)
        }
        return .string(text)
    }
}
