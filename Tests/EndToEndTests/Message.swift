import Foundation

/// A message as it arrived.
struct Message: Hashable {
    let told: Told
    /// The whole text.
    let text: String
    /// What makes a repetition known as one: the Message-ID of a mail; nil for an SMS.
    var id: String?

    init(way: Told.Way, to: String, text: String, id: String? = nil) {
        told = Told(way: way, to: to, text: text)
        self.text = text
        self.id = id
    }

    /// A mail as it lies in a maildir.
    init(mail: String, to: String) {
        let parts = mail.split(separator: "\n\n", maxSplits: 1)
        let lines = (parts.first ?? "").split(separator: "\n")
        let name = "message-id:"
        let id = lines.first { $0.lowercased().hasPrefix(name) }.map {
            $0.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
        }
        self.init(
            way: .mail, to: to, text: parts.count > 1 ? Message.decoded(parts[1]) : "", id: id)
    }

    /// Quoted-printable; what is not ASCII does not matter to the tests.
    private static func decoded(_ body: Substring) -> String {
        var text = ""
        var rest = Substring(body.replacing("=\n", with: ""))
        while let sign = rest.firstIndex(of: "=") {
            text += rest[..<sign]
            rest = rest[rest.index(after: sign)...]
            let byte = UInt8(rest.prefix(2), radix: 16) ?? 63
            text.unicodeScalars.append(Unicode.Scalar(byte))
            rest = rest.dropFirst(2)
        }
        return text + rest
    }
}
