/// A coding key that is a name or an array index.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ index: Int) {
        stringValue = String(index)
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}

/// Formats a coding path, such as `members[1].role`.
func pathText(_ path: [any CodingKey]) -> String {
    var text = ""
    for key in path {
        if let index = key.intValue {
            text += "[\(index)]"
        } else {
            text += text.isEmpty ? key.stringValue : "." + key.stringValue
        }
    }
    return text
}

extension ParseError {
    init(encoding error: EncodingError) {
        guard case .invalidValue(_, let context) = error else {
            self.init(code: .inexpressible, operation: "encode", message: "value not encodable")
            return
        }
        self.init(
            code: .inexpressible, operation: "encode", message: context.debugDescription,
            path: pathText(context.codingPath))
    }

    init(decoding error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(
                code: .missing, operation: "decode", message: "member is missing",
                path: pathText(context.codingPath + [key]))
        case .valueNotFound(_, let context):
            self.init(
                code: .missing, operation: "decode", message: "value is missing",
                path: pathText(context.codingPath))
        case .typeMismatch(_, let context), .dataCorrupted(let context):
            self.init(
                code: .mismatch, operation: "decode", message: context.debugDescription,
                path: pathText(context.codingPath))
        @unknown default:
            self.init(code: .mismatch, operation: "decode", message: "value not decodable")
        }
    }
}
