extension Rule {
    /// Words that say that something is not finished. They are put together here so that this file
    /// does not contain them.
    static let unfinishedWords = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]

    static let unfinishedWork = Rule.each("nothing is left unfinished") { file in
        let words = file.among(unfinishedWords, codeOnly: false)
        return words.isEmpty
            ? []
            : file.lines.enumerated().flatMap { index, line in
                words.filter { !columns(of: $0, in: line).isEmpty }.map {
                    Finding(path: file.path, line: index + 1, text: "\($0): finish it")
                }
            }
    }

    /// A word that has a better replacement.
    struct BannedCall: Sendable {
        let word: String
        let instead: String
        let isWhere: @Sendable (SourceFile) -> Bool
    }

    static let bannedCallList: [BannedCall] = [
        .init(word: "print(", instead: "Log, or standard output by write(2)", isWhere: isService),
        .init(word: "Date()", instead: "the turn's time, or SystemClock", isWhere: isOurs),
        .init(word: "Date.now", instead: "the turn's time, or SystemClock", isWhere: isOurs),
        .init(word: ".random(", instead: "SecureRandom", isWhere: isOurs),
        .init(word: "Task {", instead: "the loop of the process", isWhere: isOurs),
        .init(word: "DispatchQueue", instead: "the loop of the process", isWhere: isOurs),
        .init(word: "NSLock", instead: "the one thread", isWhere: isOurs),
        .init(word: "@unchecked", instead: "a value, or the one thread", isWhere: isOurs),
        .init(word: "try!", instead: "a typed error", isWhere: isOurs),
        .init(word: "as!", instead: "a typed error", isWhere: isOurs),
        .init(word: "precondition(", instead: "invariant(_:_:)", isWhere: isOurs),
        .init(word: "assert(", instead: "invariant(_:_:)", isWhere: isOurs),
        .init(word: "import Foundation", instead: "Glibc or a shared module", isWhere: isOurs),
        .init(word: "ISO8601DateFormatter", instead: "Timestamp", isWhere: isOurs),
        .init(word: "DateFormatter", instead: "Timestamp", isWhere: isOurs),
    ]

    static let bannedCalls = Rule.each("words with a better replacement are not used") { file in
        guard file.isSwift else { return [] }
        let here = file.among(bannedCallList.map(\.word))
        let banned = bannedCallList.filter { here.contains($0.word) && $0.isWhere(file) }
        return banned.isEmpty
            ? []
            : file.code.enumerated().flatMap { index, line in
                banned.filter { !columns(of: $0.word, in: line).isEmpty }.map {
                    Finding(
                        path: file.path, line: index + 1, text: "\($0.word): use \($0.instead)")
                }
            }
    }

    /// Everything that runs, tests apart.
    @Sendable static func isOurs(_ file: SourceFile) -> Bool {
        file.path.hasPrefix("Services/") || file.path.hasPrefix("Shared/")
    }

    /// What runs inside a service: all but the command line.
    @Sendable static func isService(_ file: SourceFile) -> Bool {
        isOurs(file) && !file.path.hasPrefix("Services/CLI/")
    }

    static let noMachinePaths = Rule.each("no path of one machine") { file in
        let folders = file.among(
            ["work", "farm", "root", "home", "Users"].map { "/\($0)/" }, codeOnly: false)
        return folders.flatMap { folder in
            file.lines.enumerated().compactMap { index, line in
                absolute(folder, in: line).map {
                    Finding(
                        path: file.path, line: index + 1,
                        text: "column \($0 + 1): a path under \(folder)")
                }
            }
        }
    }

    /// Where `/name/` stands at the beginning of a path, from 0; nil if it does not.
    private static func absolute(_ folder: String, in line: Substring) -> Int? {
        let text = Array(line.utf8)
        let wanted = Array(folder.utf8)
        guard text.count >= wanted.count else { return nil }
        let before = Array(" \t\"'`=:(,>[<".utf8)
        return (0...text.count - wanted.count).first { start in
            text[start..<start + wanted.count].elementsEqual(wanted)
                && (start == 0 || before.contains(text[start - 1]))
        }
    }
}
