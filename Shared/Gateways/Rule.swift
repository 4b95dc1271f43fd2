import Model
import Parsing
import Web

/// One line that says what an answer means: a verdict, statuses, and what the body must have.
///
///     RULE=misconfigured 403 "Authorization failed"
///     RULE=refused 400 code=21211,21614
///     RULE=unknown 5xx
struct Rule: Hashable, Sendable {
    /// Something that the body must have.
    enum Condition: Hashable, Sendable {
        /// The text, in any case.
        case contains(String)
        /// A member of a JSON body, `error.code`, with one of these values.
        case member([String], [String])
    }

    /// A verdict's name, or `opted-out`.
    var verdict: String
    /// Digits, `x` for any.
    var statuses: [String]
    var conditions: [Condition]

    /// The words of a rule; a condition in quotes is one word.
    ///
    /// - Returns: nil when this is no rule.
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

    /// As it stands in the file, but for the case of what it looks for.
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

    func fits(_ answer: ReadAnswer) -> Bool {
        statuses.contains { Rule.fits($0, answer.status) }
            && conditions.allSatisfy { condition in
                switch condition {
                case .contains(let text): answer.lowercasedText.contains(text)
                case .member(let path, let values):
                    answer.member(path).map(values.contains) ?? false
                }
            }
    }

    private static func fits(_ pattern: String, _ status: Int) -> Bool {
        let digits = String(status)
        guard digits.utf8.count == pattern.utf8.count else { return false }
        return zip(pattern, digits).allSatisfy { $0 == "x" || $0 == $1 }
    }
}

/// A word of a line, or what stood in quotes.
struct Word: Hashable, Sendable {
    var text: String
    var isQuoted: Bool

    /// The words of a line; nil when a quote is not closed.
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

    /// `name=value,value`
    var nameAndValues: (name: String, values: [String])? {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        let values = text[text.index(after: equals)...].split(separator: ",").map(String.init)
        return values.isEmpty ? nil : (String(text[..<equals]), values)
    }
}

/// An answer prepared for rules.
struct ReadAnswer {
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

    /// A member of a JSON body as text; nil where there is none. A number in the path counts the
    /// elements of an array from 0.
    func member(_ path: [String]) -> String? {
        var value = json
        for name in path {
            if let items = value?.array {
                value = OutsideNumber.integer(name, in: 0...OutsideNumber.most)
                    .flatMap { items.indices.contains($0) ? items[$0] : nil }
            } else {
                value = value?[name]
            }
        }
        return value?.scalarText
    }
}

extension JSON {
    /// A text, number or truth value as text; nil for everything else.
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
