import Parsing

extension JSON {
    /// A member as a cell of a table or line: texts on one line, nothing for null, else JSON.
    func cell(_ key: String) -> String {
        switch self[key] {
        case nil, .null: ""
        case .string(let text): text.onOneLine
        case .bool(let truth): truth ? "yes" : "no"
        case let other?: other.text
        }
    }
}
