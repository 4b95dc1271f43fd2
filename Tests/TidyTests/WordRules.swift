extension Rule {
    /// Markers of unfinished work, concatenated so that this file does not contain them.
    static let unfinishedWords = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]

    static let unfinishedWork = Rule.each("no unfinished work is marked") { file in
        let words = file.among(unfinishedWords, codeOnly: false)
        return words.isEmpty
            ? []
            : file.lines.enumerated().flatMap { index, line in
                words.filter { !columns(of: $0, in: line).isEmpty }.map {
                    Finding(path: file.path, line: index + 1, text: "\($0): finish it")
                }
            }
    }

    /// A call that is forbidden in some files, with its replacement.
    struct BannedCall: Sendable {
        let word: String
        let instead: String
        let applies: @Sendable (SourceFile) -> Bool
    }

    static let bannedCallList: [BannedCall] = [
        .init(word: "print(", instead: "Log, or standard output by write(2)", applies: isService),
        .init(word: "Date()", instead: "the turn's time, or SystemClock", applies: isOurs),
        .init(word: "Date.now", instead: "the turn's time, or SystemClock", applies: isOurs),
        .init(word: ".random(", instead: "SecureRandom", applies: isOurs),
        .init(word: "Task {", instead: "the loop of the process", applies: isOurs),
        .init(word: "DispatchQueue", instead: "the loop of the process", applies: isOurs),
        .init(word: "NSLock", instead: "the one thread", applies: isOurs),
        .init(word: "@unchecked", instead: "a value, or the one thread", applies: isOurs),
        .init(word: "try!", instead: "a typed error", applies: isOurs),
        .init(word: "as!", instead: "a typed error", applies: isOurs),
        .init(word: "precondition(", instead: "invariant(_:_:)", applies: isOurs),
        .init(word: "assert(", instead: "invariant(_:_:)", applies: isOurs),
        .init(word: "import Foundation", instead: "Glibc or a shared module", applies: isOurs),
        .init(word: "ISO8601DateFormatter", instead: "Timestamp", applies: isOurs),
        .init(word: "DateFormatter", instead: "Timestamp", applies: isOurs),
    ]

    static let bannedCalls = Rule.each("banned calls are not used") { file in
        guard file.isSwift else { return [] }
        let here = file.among(bannedCallList.map(\.word))
        let banned = bannedCallList.filter { here.contains($0.word) && $0.applies(file) }
        return banned.isEmpty
            ? []
            : file.code.enumerated().flatMap { index, line in
                banned.filter { !columns(of: $0.word, in: line).isEmpty }.map {
                    Finding(
                        path: file.path, line: index + 1, text: "\($0.word): use \($0.instead)")
                }
            }
    }

    /// Product code, without tests.
    @Sendable static func isOurs(_ file: SourceFile) -> Bool {
        file.path.hasPrefix("Services/") || file.path.hasPrefix("Shared/")
    }

    /// Code that runs in a service: product code without the command line tool.
    @Sendable static func isService(_ file: SourceFile) -> Bool {
        isOurs(file) && !file.path.hasPrefix("Services/CLI/")
    }

    static let noMachinePaths = Rule.each("no paths of a developer's machine") { file in
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

    /// The column, from 0, at which an absolute path below `/name/` starts; nil if there is none.
    private static func absolute(_ folder: String, in line: Substring) -> Int? {
        let text = Array(line.utf8)
        let name = Array(folder.utf8)
        guard text.count >= name.count else { return nil }
        let before = Array(" \t\"'`=:(,>[<".utf8)
        return (0...text.count - name.count).first { start in
            text[start..<start + name.count].elementsEqual(name)
                && (start == 0 || before.contains(text[start - 1]))
        }
    }
}
