import Foundation
import Synchronization

/// Searches logs for personal data: positions, numbers, addresses, names and secrets.
///
/// Some are recognised by their form; names and tokens must be given.
public struct PersonalData: Sendable {
    /// A line with personal data.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        public let kind: String
        /// The `msg` of the line, otherwise its beginning without digits.
        public let event: String
        /// The whole line.
        public let line: String

        public var description: String { "\(kind) in a line '\(event)':\n\(line)" }
    }

    private let words: [(kind: String, text: String)]

    /// - Parameters:
    ///   - names: of people, circles and zones; names shorter than three letters are ignored
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

    /// Dropped lines were not searched, which is a finding, too.
    private func kinds(in line: Substring) -> [String] {
        let separators = Set(" \"'=,;()[]{}<>/?&|".utf8)
        var kinds = line.utf8.split(whereSeparator: separators.contains).compactMap { word in
            PersonalData.kind(of: PersonalData.trimmed(word))
        }
        for word in words where PersonalData.has(word.text, in: line) { kinds.append(word.kind) }
        if line.contains("log lines dropped") { kinds.append("a gap") }
        return kinds
    }

    private typealias Word = Substring.UTF8View.SubSequence

    /// Without punctuation around values.
    private static func trimmed(_ word: Word) -> Word {
        let marks = Set(":.!".utf8)
        var rest = word.drop(while: marks.contains)
        while let last = rest.last, marks.contains(last) { rest = rest.dropLast() }
        return rest
    }

    /// Data that is recognised by its form.
    private static func kind(of word: Word) -> String? {
        if word.count == 43,
            word.allSatisfy({ isDigit($0) || isLetter($0) || $0 == 45 || $0 == 95 })
        {
            // 256 bits in base64url; hexadecimal hashes are longer.
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

    /// Up to three digits, a point, and four or more digits: a position within about ten metres.
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

    /// Whether a text occurs in a line as whole words.
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
    /// The data of a suite, from its store of people and its secrets.
    ///
    /// - Parameter home: home of a stopped suite
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

    /// Names of people, circles, zones and recipients in membership's store.
    private static func names(home: String) -> Set<String> {
        let store = home + "/membership/store.sqlite"
        guard FileManager.default.fileExists(atPath: store) else { return [] }
        let recipients =
            ["person", "circle", "zone", "zone_set"].map { ($0, "name") }
            + [("message", "recipientName"), ("message", "line")]
        let sql = recipients.map { table, member in
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
    /// Findings in the logs of suites that stopped since the last ``take()``.
    private static let found = Mutex<[Finding]>([])

    static func note(_ findings: [Finding]) {
        found.withLock { $0 += findings }
    }

    /// Returns the findings, once.
    public static func take() -> [Finding] {
        found.withLock { all in
            defer { all = [] }
            return all
        }
    }
}
