import Model

/// Command in the first word of an incoming SMS.
///
/// Case and punctuation are ignored.
package enum ReplyWord: Hashable, Sendable {
    /// Opt out of zone texts.
    case stop
    /// Opt in again.
    case start
    /// Acknowledge the emergency with this reference.
    case acknowledge(reference: String)
    /// Withdraw the acknowledgement of the emergency with this reference: "that was not me".
    case withdraw(reference: String)
    /// SOS; the note is the rest of the text.
    case help(note: String)
    /// Extend the sender's watch; nil = no minutes were given.
    case extend(minutes: Int64?)
    /// The sender is safe; nil = no PIN was given.
    case safe(pin: String?)
    /// Send the last positions of the sender's circles.
    case positions
    /// None of these.
    case other

    package init(_ text: String) {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let rest = words.dropFirst()
        let rules = Channel.sms.rules
        switch words.first?.uppercased() {
        case let word? where rules.optOutWords.contains(word): self = .stop
        case let word? where rules.optInWords.contains(word): self = .start
        case let word? where ReplyWord.extensionWords.contains(word):
            self = .extend(minutes: rest.lazy.compactMap { Int64($0) }.first)
        case let word? where ReplyWord.safeWords.contains(word):
            self = .safe(pin: rest.lazy.map(String.init).first(where: PersonPIN.isValid))
        case let word? where ReplyWord.helpWords.contains(word):
            self = .help(note: rest.joined(separator: " "))
        // "Tolong" also means "please", so a longer text is no call.
        case "TOLONG" where rest.allSatisfy({ ReplyWord.tolongWords.contains($0.uppercased()) }):
            self = .help(note: "")
        case let word? where ReplyWord.positionWords.contains(word) && rest.isEmpty:
            self = .positions
        case "OK", "OKAY":
            self = .acknowledge(reference: rest.first.map(String.init) ?? "")
        // "Bukan" and "tidak" are Malay and Indonesian. A text that only begins so is none.
        case "NO", "NOT", "BUKAN", "TIDAK":
            let code = rest.first { $0.allSatisfy(\.isNumber) }
            self = code.map { .withdraw(reference: String($0)) } ?? .other
        // OK4711 without a space is accepted, too.
        case let word? where word.hasPrefix("OK") && word.dropFirst(2).allSatisfy(\.isNumber):
            self = .acknowledge(reference: String(word.dropFirst(2)))
        default: self = .other
        }
    }

    /// Words for ending a watch and answering a check-in, in each language.
    private static let safeWords: Set<String> = ["SAFE", "SELAMAT", "AMAN"]

    /// Words for calling for help, in each language. HELP is none: carriers answer it themselves.
    private static let helpWords: Set<String> = ["SOS", "KECEMASAN", "DARURAT"]
    /// Words that may follow "tolong" in a call for help: "help me", "help!".
    private static let tolongWords: Set<String> = ["SAYA", "AKU", "TOLONG"]
    /// Words for asking for positions, in each language.
    private static let positionWords: Set<String> = ["WHERE", "MANA", "DIMANA"]

    /// Words for extending a watch, in each language.
    private static let extensionWords: Set<String> = ["EXTEND", "LANJUT", "PERPANJANG"]
}
