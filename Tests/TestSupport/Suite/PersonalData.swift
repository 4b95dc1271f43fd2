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
            kinds(in: line).map { kind in
                Finding(kind: kind, event: PersonalData.event(of: line), line: String(line))
            }
        }
    }

    private func kinds(in line: Substring) -> [String] {
        var kinds: [String] = []
        let degrees = line.matches(of: /(?<![\w.:+])-?[0-9]{1,3}\.[0-9]{4,}(?![\w.])/)
        if degrees.contains(where: { Double($0.output).map { abs($0) <= 180 } ?? false }) {
            kinds.append("a coordinate")
        }
        if line.contains(/(?<![\w.])\+[1-9][0-9]{6,14}(?!\w)/) { kinds.append("a number") }
        if line.contains(/[\w.%+-]+@[\w-]+\.[a-zA-Z]{2,}/) { kinds.append("a mail address") }
        // Tokens are 256 bits in base64url; digests in hexadecimal digits are longer.
        if line.contains(/(?<![\w\/.-])[\w-]{43}(?![\w\/.-])/) { kinds.append("a token") }
        for word in words where PersonalData.has(word.text, in: line) { kinds.append(word.kind) }
        return kinds
    }

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
        if let match = line.firstMatch(of: /msg=(?:"([^"]*)"|(\S+))/) {
            return String(match.output.1 ?? match.output.2 ?? "")
        }
        return String(line.prefix(40).filter { !$0.isNumber })
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
