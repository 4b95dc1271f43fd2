/// What the first word of a text that came in asks for.
///
/// Words are read in any case; whatever stands around them in signs is passed over.
public enum ReplyWord: Hashable, Sendable {
    /// No texts of zones any more.
    case stop
    /// They may come again.
    case start
    /// Takes the emergency of this reference.
    case acknowledge(reference: String)
    /// The sender needs help; what else they wrote.
    case help(note: String)
    /// None of these.
    case other

    public init(_ text: String) {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let rest = words.dropFirst()
        switch words.first?.uppercased() {
        case "STOP", "STOPALL", "UNSUBSCRIBE", "BERHENTI": self = .stop
        case "START", "UNSTOP", "MULA", "MULAI": self = .start
        case "SOS": self = .help(note: rest.joined(separator: " "))
        case "OK", "OKAY":
            self = .acknowledge(reference: rest.first.map(String.init) ?? "")
        // Some write it in one, as OK4711.
        case let word? where word.hasPrefix("OK") && word.dropFirst(2).allSatisfy(\.isNumber):
            self = .acknowledge(reference: String(word.dropFirst(2)))
        default: self = .other
        }
    }
}
