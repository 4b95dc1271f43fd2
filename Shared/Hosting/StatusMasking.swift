import Parsing

/// Hides in what a service says of itself what is not known to be harmless, for whoever has the
/// monitoring token.
enum StatusMasking {
    /// Members of ``Service/statusDetails`` whose texts are shown: words, times, ids and names of
    /// parts of the suite. Whoever adds a member with a text decides here. Numbers are counts.
    static let harmless: Set<String> = [
        "at", "channel", "heard", "lane", "lastAccepted", "lastAnswered", "lastOutcome",
        "lastSent", "member", "name", "owner", "received", "since", "state", "stateHash",
        "successor", "undelivered",
    ]

    /// The same with `***` in the place of texts that are hidden.
    static func mask(_ details: JSON) -> JSON { mask(details, isShown: false) }

    private static func mask(_ json: JSON, isShown: Bool) -> JSON {
        switch json {
        case .object(let members):
            .object(
                members.map {
                    .init($0.key, mask($0.value, isShown: harmless.contains($0.key)))
                })
        case .array(let values): .array(values.map { mask($0, isShown: isShown) })
        case .string: isShown ? json : .string("***")
        case .null, .bool, .integer, .number: json
        }
    }

    /// A sentence about what is wrong, up to its first colon: what stands behind may be the words
    /// of a gateway, a library or a record.
    static func mask(sentence: String) -> String {
        guard let colon = sentence.firstRange(of: ": ") else { return sentence }
        return sentence[..<colon.upperBound] + "***"
    }
}
