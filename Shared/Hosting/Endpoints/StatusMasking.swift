import Parsing

/// Masks texts in a service's status for holders of the monitoring token, unless they are known to
/// be harmless.
enum StatusMasking {
    /// Members of ``Service/statusDetails`` whose texts are shown: states, times, ids and names of
    /// components. Unlisted texts stay masked. Numbers are counts and are always shown.
    static let harmless: Set<String> = [
        "acknowledgedAt", "at", "channel", "lane", "lastAccepted", "lastAnswered", "lastOutcome",
        "lastSeen",
        "received",
        "lastSent", "member", "name", "owner", "received", "since", "state", "stateHash",
        "successor", "undelivered",
    ]

    /// Replaces masked texts by `***`.
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

    /// Masks a sentence of ``Service/healthProblems`` after its first colon, where texts of
    /// gateways, libraries and records stand.
    static func mask(sentence: String) -> String {
        guard let colon = sentence.firstRange(of: ": ") else { return sentence }
        return sentence[..<colon.upperBound] + "***"
    }
}
