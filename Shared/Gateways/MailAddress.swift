/// A mail address with an optional name: `ada@example.org`, `Ada <ada@example.org>`.
struct MailAddress: Hashable, Sendable {
    var name: String
    var address: String

    /// Returns nil if the text is not a valid mail address.
    init?(_ text: String) {
        var address = text
        name = ""
        if text.hasSuffix(">"), let open = text.lastIndex(of: "<") {
            name = String(text[..<open].reversed().drop { $0 == " " }.reversed())
            address = String(text[text.index(after: open)...].dropLast())
        }
        self.address = address
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        let isPlain = address.utf8.allSatisfy { byte in
            byte > 32 && byte != 127 && !#"<>"(),:;[]\"#.utf8.contains(byte)
        }
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), isPlain,
            address.utf8.count <= 254, name.utf8.allSatisfy({ $0 >= 32 && $0 != 127 })
        else { return nil }
    }

    /// The part after the `@`.
    var domain: Substring { address.drop { $0 != "@" }.dropFirst() }
}
