import Model

/// A gateway's answer to one attempt.
public struct GatewayAnswer: Hashable, Sendable {
    public var verdict: AttemptOutcome
    /// In short, for people, without address and text of the message.
    public var words: String
    /// The gateway's own id of the message.
    public var messageID: String?
    /// What the gateway wants to be waited.
    public var retryAfter: Duration?
    /// The recipient has told the gateway to stop; with ``AttemptOutcome/refused``.
    public var isOptOut: Bool

    public init(
        _ verdict: AttemptOutcome, _ words: String, messageID: String? = nil,
        retryAfter: Duration? = nil, isOptOut: Bool = false
    ) {
        self.verdict = verdict
        self.words = words
        self.messageID = messageID
        self.retryAfter = retryAfter
        self.isOptOut = isOptOut
    }
}

/// What a gateway's callback says of a message.
public struct GatewayReceipt: Hashable, Sendable {
    public var kind: ReceiptKind
    /// The recipient as the gateway tells it; nil where it does not.
    public var address: String?
    /// In short, for people, without address and text of the message.
    public var words: String
    /// The recipient has told the gateway to stop; with ``ReceiptKind/failed``.
    public var isOptOut: Bool

    public init(
        _ kind: ReceiptKind, address: String? = nil, words: String = "", isOptOut: Bool = false
    ) {
        self.kind = kind
        self.address = address
        self.words = words
        self.isOptOut = isOptOut
    }
}

/// A text of somebody else made fit for logs and lists: one line, no address, no number.
func presentable(_ text: String, charactersMax: Int = 120) -> String {
    let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    let words = line.split(separator: " ").map { word in
        word.contains("@") ? "…" : withoutNumbers(word)
    }
    return String(words.joined(separator: " ").prefix(charactersMax))
}

/// Five digits or more in a row become one character: they may be a phone number.
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
