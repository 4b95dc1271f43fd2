import Model
import Parsing
import Web

/// One line that maps a status and conditions on the body to a verdict.
///
///     RULE=misconfigured 403 "Authorization failed"
///     RULE=rejected 400 code=21211,21614
///     RULE=unknown 5xx
struct Rule: Hashable, Sendable {
    /// A condition on the body.
    enum Condition: Hashable, Sendable {
        /// The body contains this text, ignoring case.
        case contains(String)
        /// A member of the JSON body, such as `error.code`, has one of these values.
        case member([String], [String])
    }

    /// Raw value of an ``AttemptOutcome``, or `opted-out`.
    var verdict: String
    /// Status patterns of three characters; `x` matches any digit.
    var statuses: [String]
    var conditions: [Condition]

    /// Parses the words of a rule. A quoted condition is one word.
    ///
    /// - Returns: nil if the words are not a rule
    init?(_ words: [Word], verdicts: [String]) {
        guard words.count >= 2, verdicts.contains(words[0].text), !words[0].isQuoted else {
            return nil
        }
        verdict = words[0].text
        statuses = words[1].text.split(separator: ",").map(String.init)
        let areStatuses = statuses.allSatisfy { status in
            status.utf8.count == 3 && status.allSatisfy { $0 == "x" || $0.isNumber }
        }
        guard areStatuses, !statuses.isEmpty, !words[1].isQuoted else { return nil }
        conditions = []
        for word in words.dropFirst(2) {
            guard let condition = Rule.condition(word) else { return nil }
            conditions.append(condition)
        }
    }

    private static func condition(_ word: Word) -> Condition? {
        if word.isQuoted { return word.text.isEmpty ? nil : .contains(word.text.lowercased()) }
        guard let (name, values) = word.nameAndValues else { return nil }
        return .member(name.split(separator: ".").map(String.init), values)
    }

    /// The rule in the syntax of the file, with search texts in lower case.
    var line: String {
        let words = conditions.map { condition in
            switch condition {
            case .contains(let text): "\"\(text)\""
            case .member(let path, let values):
                "\(path.joined(separator: "."))=\(values.joined(separator: ","))"
            }
        }
        return "RULE="
            + ([verdict, statuses.joined(separator: ",")] + words).joined(separator: " ")
    }

    func matches(_ answer: DecodedAnswer) -> Bool {
        statuses.contains { Rule.matches($0, answer.status) }
            && conditions.allSatisfy { condition in
                switch condition {
                case .contains(let text): answer.lowercasedText.contains(text)
                case .member(let path, let values):
                    answer.member(path).map(values.contains) ?? false
                }
            }
    }

    private static func matches(_ pattern: String, _ status: Int) -> Bool {
        let digits = String(status)
        guard digits.utf8.count == pattern.utf8.count else { return false }
        return zip(pattern, digits).allSatisfy { $0 == "x" || $0 == $1 }
    }
}

/// A word of a line, or a quoted text.
struct Word: Hashable, Sendable {
    var text: String
    var isQuoted: Bool

    /// Splits a line into words. Returns nil if a quote is not closed.
    static func all(in line: String) -> [Word]? {
        var words: [Word] = []
        var rest = line[...]
        while let first = rest.first {
            if first == " " || first == "\t" {
                rest = rest.dropFirst()
            } else if first == "\"" {
                let inner = rest.dropFirst()
                guard let end = inner.firstIndex(of: "\"") else { return nil }
                words.append(Word(text: String(inner[..<end]), isQuoted: true))
                rest = inner[inner.index(after: end)...]
            } else {
                let word = rest.prefix { $0 != " " && $0 != "\t" }
                words.append(Word(text: String(word), isQuoted: false))
                rest = rest[word.endIndex...]
            }
        }
        return words
    }

    /// The parts of `name=value,value`, or nil if the word has another form.
    var nameAndValues: (name: String, values: [String])? {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        let values = text[text.index(after: equals)...].split(separator: ",").map(String.init)
        return values.isEmpty ? nil : (String(text[..<equals]), values)
    }
}

/// An answer, decoded for matching by rules.
struct DecodedAnswer {
    let status: Int
    let text: String
    let lowercasedText: String
    private let json: JSON?

    init(_ answer: TransferAnswer) {
        status = answer.status
        text = String(decoding: answer.body, as: UTF8.self)
        lowercasedText = text.lowercased()
        json = try? JSON.parse(answer.body)
    }

    /// A member of the JSON body as text, or nil. A number in the path is an array index from 0.
    func member(_ path: [String]) -> String? {
        var value = json
        for name in path {
            if let items = value?.array {
                value = UntrustedNumber.integer(name, in: 0...UntrustedNumber.most)
                    .flatMap { items.indices.contains($0) ? items[$0] : nil }
            } else {
                value = value?[name]
            }
        }
        return value?.scalarText
    }
}

extension JSON {
    /// The text of a string, number or truth value; nil for all other values.
    var scalarText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let truth): String(truth)
        default: nil
        }
    }
}
