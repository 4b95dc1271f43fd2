/// Command in the first word of an incoming SMS.
///
/// Case and punctuation are ignored.
public enum ReplyWord: Hashable, Sendable {
    /// Opt out of zone texts.
    case stop
    /// Opt in again.
    case start
    /// Acknowledge the emergency with this reference.
    case acknowledge(reference: String)
    /// SOS; the note is the rest of the text.
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
        // OK4711 without a space is accepted, too.
        case let word? where word.hasPrefix("OK") && word.dropFirst(2).allSatisfy(\.isNumber):
            self = .acknowledge(reference: String(word.dropFirst(2)))
        default: self = .other
        }
    }
}
