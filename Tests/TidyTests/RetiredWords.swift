extension Rule {
    /// A word of the project's former vocabulary, with its replacement.
    struct RetiredWord: Sendable {
        let word: String
        let instead: String
    }

    /// Words that must not come back, neither as a part of a name nor in prose, in any case.
    static let retiredWords: [RetiredWord] = [
        .init(word: "anew", instead: "again"),
        .init(word: "blind", instead: "impaired"),
        .init(word: "courier", instead: "HTTPClient"),
        .init(word: "deafness", instead: "intake outage"),
        .init(word: "diary", instead: "device log"),
        .init(word: "doorkeeper", instead: "CurveAuthenticator"),
        .init(word: "farewell", instead: "drain, shutdown"),
        .init(word: "heard", instead: "received, seen"),
        .init(word: "hindrance", instead: "impairment"),
        .init(word: "hindrances", instead: "impairments"),
        .init(word: "judge", instead: "evaluate"),
        .init(word: "judged", instead: "evaluated"),
        .init(word: "judging", instead: "applicable, evaluating"),
        .init(word: "ladder", instead: "escalation"),
        .init(word: "ladders", instead: "escalations"),
        .init(word: "moniker", instead: "senderName, recipientName"),
        .init(word: "poison", instead: "dead letter"),
        .init(word: "standstill", instead: "exhausted"),
        .init(word: "tenancy", instead: "lease, assignment"),
        .init(word: "tenure", instead: "assignment"),
        .init(word: "trouble", instead: "problem"),
        .init(word: "troubles", instead: "problems"),
        .init(word: "vigil", instead: "delivery watchdog"),
        .init(word: "vigils", instead: "delivery watchdogs"),
        .init(word: "whoever", instead: "who, a person who, anybody who"),
    ]

    /// Names of former types and cases that are ordinary words in prose. A part of a name in camel
    /// case counts, too: `ReplayDesk`.
    static let retiredNames: [RetiredWord] = [
        .init(word: "Attendance", instead: "LastAlive"),
        .init(word: "Blindness", instead: "Impairment"),
        .init(word: "Calm", instead: "QuietFixFilter"),
        .init(word: "Desk", instead: "ReplayServer"),
        .init(word: "Meaning", instead: "DerivedID"),
        .init(word: "Surroundings", instead: "a Host protocol"),
        .init(word: "Telling", instead: "DeliveryPlan"),
    ]

    /// Phrases of the former vocabulary in comments, texts and documents.
    static let retiredPhrases: [RetiredWord] = [
        .init(word: "of whom", instead: "a relative clause, or two sentences"),
        .init(word: "put aside", instead: "dead-lettered, quarantined"),
        .init(word: "puts aside", instead: "dead-letters, quarantines"),
        .init(word: "taken back", instead: "rolled back, cancelled"),
        .init(word: "takes back", instead: "rolls back, cancels"),
    ]

    /// Files that name former words on purpose.
    private static let exemptFiles: Set<String> = [
        "CHANGELOG.md", "Tests/TidyTests/PlantedTests.swift", "Tests/TidyTests/RetiredWords.swift",
    ]

    static let retiredVocabulary = Rule.each("retired words are not used") { file in
        guard !exemptFiles.contains(file.path), !file.folders.contains("Golden") else { return [] }
        let text = file.text.lowercased()
        let words = retiredWords.filter { text.includes($0.word) }
        let phrases = retiredPhrases.filter { text.includes($0.word) }
        let names = file.isSwift ? retiredNames.filter { file.text.includes($0.word) } : []
        guard !(words.isEmpty && phrases.isEmpty && names.isEmpty) else { return [] }
        return file.lines.indices.flatMap { index in
            let parts = nameParts(of: file.lines[index])
            let line = file.lines[index].lowercased()
            let code = file.isSwift ? nameParts(of: file.code[index]) : []
            let found =
                words.filter { word in parts.contains { $0.lowercased() == word.word } }
                + names.filter { code.contains($0.word) }
                + phrases.filter { !columns(of: $0.word, in: line[...]).isEmpty }
            return found.map {
                Finding(
                    path: file.path, line: index + 1,
                    text: "\"\($0.word)\" is retired: write \($0.instead)")
            }
        }
    }

    /// The words of a line, names in camel case and snake case taken apart: `ReplayDesk` gives
    /// `Replay` and `Desk`.
    static func nameParts(of line: Substring) -> Set<String> {
        var parts: Set<String> = []
        var part = ""
        for character in line {
            if !character.isLetter || character.isUppercase {
                if !part.isEmpty { parts.insert(part) }
                part = ""
            }
            if character.isLetter { part.append(character) }
        }
        if !part.isEmpty { parts.insert(part) }
        return parts
    }
}
