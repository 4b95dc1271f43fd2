extension Problem {
    /// The JSON object of RFC 9457, with the members `field` and `hint` where they are set.
    public func serialized() -> [UInt8] {
        var members = [
            #""type":"about:blank""#, #""title":"# + quoted(title), #""status":\#(status)"#,
            #""detail":"# + quoted(detail),
        ]
        if let field { members.append(#""field":"# + quoted(field)) }
        if let hint { members.append(#""hint":"# + quoted(hint)) }
        return Array(("{" + members.joined(separator: ",") + "}").utf8)
    }
}

/// A JSON string.
private func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": out += "\\\""
        case "\\": out += "\\\\"
        case _ where scalar.value < 32:
            let hex = String(scalar.value, radix: 16)
            out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        default: out.unicodeScalars.append(scalar)
        }
    }
    return out + "\""
}
