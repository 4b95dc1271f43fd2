import Foundation
import Synchronization

/// What must never stand in a log: places, numbers, addresses, names and secrets.
///
/// Some have a form of their own; names and tokens have none and are told by whoever made them.
public struct PersonalData: Sendable {
    /// A line with something that does not belong there.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        public let kind: String
        /// The `msg` of the line, else its beginning without figures.
        public let event: String
        /// The whole line.
        public let line: String

        public var description: String { "\(kind) in a line '\(event)':\n\(line)" }
    }

    private let words: [(kind: String, text: String)]

    /// - Parameters:
    ///   - names: of people, circles and zones; shorter ones than three letters are left out
    ///   - secrets: tokens, passwords and keys
    public init(names: Set<String> = [], secrets: Set<String> = []) {
        words =
            names.filter { $0.count >= 3 }.map { ("a name", $0) }
            + secrets.filter { $0.count >= 8 }.map { ("a secret", $0) }
    }

    public func findings(in log: String) -> [Finding] {
        log.split(separator: "\n").flatMap { line in
            Set(kinds(in: line)).sorted().map { kind in
                Finding(kind: kind, event: PersonalData.event(of: line), line: String(line))
            }
        }
    }

    /// Lines that were left out were looked through by nobody: that is a finding, too.
    private func kinds(in line: Substring) -> [String] {
        let separators = Set(" \"'=,;()[]{}<>/?&|".utf8)
        var kinds = line.utf8.split(whereSeparator: separators.contains).compactMap { word in
            PersonalData.kind(of: PersonalData.trimmed(word))
        }
        for word in words where PersonalData.has(word.text, in: line) { kinds.append(word.kind) }
        if line.contains("lines were left out: nobody took them") { kinds.append("a gap") }
        return kinds
    }

    private typealias Word = Substring.UTF8View.SubSequence

    /// Without what ends a sentence or begins a value.
    private static func trimmed(_ word: Word) -> Word {
        let marks = Set(":.!".utf8)
        var rest = word.drop(while: marks.contains)
        while let last = rest.last, marks.contains(last) { rest = rest.dropLast() }
        return rest
    }

    /// What has a form of its own.
    private static func kind(of word: Word) -> String? {
        if word.count == 43,
            word.allSatisfy({ isDigit($0) || isLetter($0) || $0 == 45 || $0 == 95 })
        {
            // 256 bits in base64url; digests in hexadecimal digits are longer.
            return "a token"
        }
        if word.first == UInt8(ascii: "+") {
            let digits = word.dropFirst()
            return (7...15).contains(digits.count) && digits.allSatisfy(isDigit)
                ? "a number" : nil
        }
        if let at = word.firstIndex(of: UInt8(ascii: "@")) {
            let domain = word[at...].dropFirst()
            return at > word.startIndex && domain.contains(UInt8(ascii: "."))
                ? "a mail address" : nil
        }
        return isCoordinate(word) ? "a coordinate" : nil
    }

    /// Up to three digits, a point, and four or more: a place within some ten metres.
    private static func isCoordinate(_ word: Word) -> Bool {
        let parts = (word.first == UInt8(ascii: "-") ? word.dropFirst() : word)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...3).contains(parts[0].count), parts[1].count >= 4,
            parts.allSatisfy({ $0.allSatisfy(isDigit) })
        else { return false }
        return (Int(String(Substring(parts[0]))) ?? 999) <= 180
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }

    /// Whether a text stands in a line as words of its own.
    private static func has(_ text: String, in line: Substring) -> Bool {
        line.ranges(of: text).contains { range in
            let before =
                range.lowerBound > line.startIndex
                ? line[line.index(before: range.lowerBound)] : " "
            let after = range.upperBound < line.endIndex ? line[range.upperBound] : " "
            return !isOfWord(before) && !isOfWord(after)
        }
    }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_-/".contains(character)
    }

    private static func event(of line: Substring) -> String {
        guard let start = line.firstRange(of: "msg=")?.upperBound else {
            return String(line.prefix(40).filter { !$0.isNumber })
        }
        let rest = line[start...]
        return rest.first == "\""
            ? String(rest.dropFirst().prefix { $0 != "\"" }) : String(rest.prefix { $0 != " " })
    }
}

extension PersonalData {
    /// What a suite was told: its own store of accounts and its own secrets say it.
    ///
    /// - Parameter home: of a suite that has ended
    public init(home: String) {
        var secrets: Set<String> = []
        let folder = home + "/secrets"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where !name.hasSuffix(".pub") {
            guard let text = try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            else { continue }
            for line in text.split(whereSeparator: \.isWhitespace) { secrets.insert(String(line)) }
        }
        self.init(names: PersonalData.names(home: home), secrets: secrets)
    }

    /// What people, circles, zones and receivers of messages are called, as membership keeps it.
    private static func names(home: String) -> Set<String> {
        let store = home + "/membership/store.sqlite"
        guard FileManager.default.fileExists(atPath: store) else { return [] }
        let told =
            ["person", "circle", "zone", "zone_set"].map { ($0, "name") }
            + [("message", "toMoniker"), ("message", "line")]
        let sql = told.map { table, member in
            "SELECT json_extract(CAST(data AS TEXT), '$.\(member)') FROM \(table)"
        }.joined(separator: " UNION ")
        guard
            let asked = try? Capture(Programs.installed("sqlite3"), ["-readonly", store, sql])
        else { return [] }
        while asked.process.reap() == nil {
            _ = asked.text
            usleep(1000)
        }
        return Set(asked.text.split(separator: "\n").map(String.init))
    }
}

extension PersonalData {
    /// What was found in the logs of suites that have ended since the last ``take()``.
    private static let found = Mutex<[Finding]>([])

    static func note(_ findings: [Finding]) {
        found.withLock { $0 += findings }
    }

    /// Gives what was found, once.
    public static func take() -> [Finding] {
        found.withLock { all in
            defer { all = [] }
            return all
        }
    }
}
