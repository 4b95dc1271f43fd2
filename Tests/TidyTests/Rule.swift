import Testing

/// A place where the source breaks a rule.
struct Finding: Hashable, CustomStringConvertible {
    let path: String
    /// From 1.
    let line: Int
    let text: String

    var description: String { "\(path):\(line): \(text)" }
}

/// Something that holds everywhere in the repository.
struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    /// Looks at all files at once, as some rules compare them.
    let findings: @Sendable ([SourceFile]) -> [Finding]

    var testDescription: String { name }

    /// A rule that looks at one file after the other.
    static func each(
        _ name: String, _ findings: @escaping @Sendable (SourceFile) -> [Finding]
    ) -> Rule {
        Rule(name: name) { files in files.flatMap(findings) }
    }

    /// A rule that looks at one line of code after the other; the closure says what is wrong.
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
        .lineLength, .fileLength, .functionLength, .unfinishedWork, .bannedCalls, .pureCores,
        .pureGeometry, .importsGoDown, .servicesMeetInModel, .orderedIteration, .noMachinePaths,
        .settingsAreDocumented, .linksLead, .apiIsDescribed, .apiHasAllWords,
        .alertsAreFounded, .boundedNumbers,
    ]
}

/// Columns where the word stands by itself: neither part of a longer name nor, unless it begins
/// with a dot, a member of something.
func columns(of word: String, in line: Substring) -> [Int] {
    let text = Array(line.utf8)
    let wanted = Array(word.utf8)
    guard text.count >= wanted.count, let first = wanted.first, let last = wanted.last else {
        return []
    }
    func isName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte >= 0x80
            || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
            || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
    }
    return (0...text.count - wanted.count).filter { start in
        let end = start + wanted.count
        guard text[start..<end].elementsEqual(wanted) else { return false }
        let before = start > 0 ? text[start - 1] : UInt8(ascii: " ")
        if isName(first), isName(before) || before == UInt8(ascii: ".") { return false }
        return !(isName(last) && end < text.count && isName(text[end]))
    }
}
