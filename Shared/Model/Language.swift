/// Languages of messages.
public enum Language: String, Hashable, Sendable, Codable, CaseIterable {
    case english = "en"
    case malay = "ms"
    case indonesian = "id"

    /// The language of a BCP 47 tag; English for languages without a translation.
    public init(locale: String) {
        let primary = locale.lowercased().prefix { $0 != "-" && $0 != "_" }
        switch primary {
        case "ms", "zsm", "zlm": self = .malay
        case "id", "in", "ind": self = .indonesian
        default: self = .english
        }
    }
}
