extension Rule {
    static let columnsMax = 100
    static let fileLinesMax = 400
    static let functionLinesMax = 60

    static let lineLength = Rule.each("lines have at most \(columnsMax) columns") { file in
        // What a phone sends is one line, however long.
        guard !file.folders.contains("Golden") else { return [] }
        guard !file.isProse, !file.path.hasSuffix(".yaml"), !file.path.hasSuffix(".svg") else {
            return []
        }
        return file.lines.enumerated().compactMap { index, line in
            guard line.count > columnsMax else { return nil }
            return Finding(path: file.path, line: index + 1, text: "\(line.count) columns")
        }
    }

    static let fileLength = Rule.each("files have at most \(fileLinesMax) lines") { file in
        guard file.isSwift, file.lines.count > fileLinesMax else { return [] }
        return [Finding(path: file.path, line: 1, text: "\(file.lines.count) lines")]
    }

    static let functionLength = Rule.each("functions have at most \(functionLinesMax) lines") {
        file in
        guard file.isSwift else { return [] }
        return Function.all(in: file).filter { $0.lines > functionLinesMax }.map {
            Finding(path: file.path, line: $0.firstLine, text: "\($0.name): \($0.lines) lines")
        }
    }
}

/// A function with a body, found by counting braces.
struct Function {
    let name: String
    /// From 1; where its `func` stands.
    let firstLine: Int
    /// From there to the closing brace.
    let lines: Int

    static func all(in file: SourceFile) -> [Function] {
        var found: [Function] = []
        for (index, line) in file.code.enumerated() {
            guard let name = declared(in: line), let end = lastLine(from: index, in: file) else {
                continue
            }
            found.append(Function(name: name, firstLine: index + 1, lines: end - index + 1))
        }
        return found
    }

    private static func declared(in line: Substring) -> String? {
        for (word, isNamed) in [("func", true), ("init", false), ("deinit", false)] {
            guard line.contains(word), let column = columns(of: word, in: line).first else {
                continue
            }
            let utf8 = line.utf8
            let rest = line[utf8.index(utf8.startIndex, offsetBy: column + word.utf8.count)...]
            if isNamed {
                return String(rest.drop { $0 == " " }.prefix { $0 != "(" && $0 != "<" })
            }
            if word == "deinit" || rest.first == "(" || rest.first == "?" || rest.first == "<" {
                return word
            }
        }
        return nil
    }

    /// The line with the brace that closes the body; nil for a requirement of a protocol, or a
    /// call.
    private static func lastLine(from first: Int, in file: SourceFile) -> Int? {
        var parentheses = 0
        var braces = 0
        var started = false
        for index in first..<file.code.count {
            let line = file.code[index]
            if index > first, !started, parentheses == 0, endsDeclaration(line) { return nil }
            for character in line.utf8 {
                switch character {
                case UInt8(ascii: "("): parentheses += 1
                case UInt8(ascii: ")"): parentheses -= 1
                case UInt8(ascii: "{") where parentheses == 0:
                    braces += 1
                    started = true
                case UInt8(ascii: "}") where parentheses == 0:
                    braces -= 1
                    if braces < 0 { return nil }
                default: break
                }
                if started, braces == 0 { return index }
            }
        }
        return nil
    }

    /// Whether a line without any brace of a body yet begins something else.
    private static func endsDeclaration(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " }
        if text.isEmpty { return true }
        return ["func ", "init", "var ", "let ", "case ", "static ", "public ", "private "]
            .contains { text.hasPrefix($0) }
    }
}
