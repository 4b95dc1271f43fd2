import Model

/// Result of one attempt to send a message.
public struct GatewayAnswer: Hashable, Sendable {
    public var verdict: AttemptOutcome
    /// Short description for operators, without the address and the text of the message.
    public var detail: String
    /// The message's id at the gateway.
    public var messageID: String?
    /// How long the gateway asks us to wait before the next attempt.
    public var retryAfter: Duration?
    /// Whether the recipient opted out at the gateway. Set together with
    /// ``AttemptOutcome/rejected``.
    public var isOptOut: Bool

    public init(
        _ verdict: AttemptOutcome, _ detail: String, messageID: String? = nil,
        retryAfter: Duration? = nil, isOptOut: Bool = false
    ) {
        self.verdict = verdict
        self.detail = detail
        self.messageID = messageID
        self.retryAfter = retryAfter
        self.isOptOut = isOptOut
    }
}

/// Delivery report for a message, received by callback.
public struct GatewayReceipt: Hashable, Sendable {
    public var kind: ReceiptKind
    /// The recipient's address, or nil if the gateway does not report it.
    public var address: String?
    /// Short description for operators, without the address and the text of the message.
    public var detail: String
    /// Whether the recipient opted out at the gateway. Set together with ``ReceiptKind/failed``.
    public var isOptOut: Bool

    public init(
        _ kind: ReceiptKind, address: String? = nil, detail: String = "", isOptOut: Bool = false
    ) {
        self.kind = kind
        self.address = address
        self.detail = detail
        self.isOptOut = isOptOut
    }
}

/// The first line of a foreign text, without mail addresses and long numbers, for logs and lists.
func redactedLine(_ text: String, charactersMax: Int = 120) -> String {
    let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    let words = line.split(separator: " ").map { word in
        word.contains("@") ? "…" : withoutNumbers(word)
    }
    return String(words.joined(separator: " ").prefix(charactersMax))
}

/// Replaces runs of five or more digits, which may be phone numbers, with one character.
private func withoutNumbers(_ word: Substring) -> String {
    var out = ""
    var digits = ""
    for character in word + "\n" {
        if character.isASCII, character.isNumber {
            digits.append(character)
            continue
        }
        out += digits.utf8.count < 5 ? digits : "…"
        digits = ""
        out.append(character)
    }
    return String(out.dropLast())
}
