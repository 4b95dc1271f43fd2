import Testing

/// A place that breaks a rule.
struct Finding: Hashable, CustomStringConvertible {
    let path: String
    /// From 1.
    let line: Int
    let text: String

    var description: String { "\(path):\(line): \(text)" }
}

/// An invariant of the repository's text files.
struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    /// Checks all files at once, because some rules compare files.
    let findings: @Sendable ([SourceFile]) -> [Finding]

    var testDescription: String { name }

    /// A rule that checks each file by itself.
    static func each(
        _ name: String, _ findings: @escaping @Sendable (SourceFile) -> [Finding]
    ) -> Rule {
        Rule(name: name) { files in files.flatMap(findings) }
    }

    /// A rule that checks each line of code by itself; the closure returns what is wrong.
    static func eachLine(
        _ name: String, in files: @escaping @Sendable (SourceFile) -> Bool,
        _ fault: @escaping @Sendable (Substring) -> String?
    ) -> Rule {
        .each(name) { file in
            guard files(file) else { return [] }
            return file.code.enumerated().compactMap { index, line in
                fault(line).map { Finding(path: file.path, line: index + 1, text: $0) }
            }
        }
    }

    static let all: [Rule] = [
        .lineLength, .unfinishedWork, .bannedCalls, .retiredVocabulary, .pureCores, .pureGeometry,
        .importsGoDown, .coresStayInService, .orderedIteration, .noMachinePaths,
        .settingsAreDocumented, .linksResolve, .alertsUseKnownMetrics,
        .boundedNumbers,
    ]
}

/// The columns, from 0, at which a word occurs on its own: not as a part of a longer name and,
/// unless it starts with a dot, not as a member.
func columns(of word: String, in line: Substring) -> [Int] {
    let text = Array(line.utf8)
    let word = Array(word.utf8)
    guard text.count >= word.count, let first = word.first, let last = word.last else {
        return []
    }
    func isName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte >= 0x80
            || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
            || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
    }
    return (0...text.count - word.count).filter { start in
        let end = start + word.count
        guard text[start..<end].elementsEqual(word) else { return false }
        let before = start > 0 ? text[start - 1] : UInt8(ascii: " ")
        if isName(first), isName(before) || before == UInt8(ascii: ".") { return false }
        return !(isName(last) && end < text.count && isName(text[end]))
    }
}
