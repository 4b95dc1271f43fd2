import Parsing

extension JSON {
    /// A member as one line of text for tables: strings without line breaks, empty for null, other
    /// values as JSON.
    func cell(_ key: String) -> String {
        switch self[key] {
        case nil, .null: ""
        case .string(let text): text.onOneLine
        case .bool(let truth): truth ? "yes" : "no"
        case let other?: other.text
        }
    }
}
