import Foundation

/// A delivered message.
struct Message: Hashable {
    let summary: NotificationSummary
    /// The complete text.
    let text: String
    /// Identifies repetitions: the Message-ID of a mail; nil for an SMS.
    var id: String?

    init(way: NotificationSummary.Way, to: String, text: String, id: String? = nil) {
        summary = NotificationSummary(way: way, to: to, text: text)
        self.text = text
        self.id = id
    }

    /// Parses a mail of a maildir.
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

    /// Decodes quoted-printable; non-ASCII text does not matter to the tests.
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
