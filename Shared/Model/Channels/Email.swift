extension ChannelRules {
    /// Mails to addresses of the form `name@domain`.
    static let email = ChannelRules(
        address: mailbox, addressRequirement: "be a mail address",
        addressHint: "use name@domain without a display name, such as name@example.org",
        form: .letter, optOutWords: [], optInWords: [], carriesFiles: true, hasGateways: true,
        rings: false)

    /// Returns `name@domain` (RFC 5321 without quoted names); nil if it is invalid.
    @Sendable private static func mailbox(_ text: String) -> String? {
        let text = String(text.withoutBlanks)
        guard text.utf8.count <= 254, let at = text.lastIndex(of: "@") else { return nil }
        let name = text[..<at]
        let domain = text[text.index(after: at)...]
        guard (1...64).contains(name.utf8.count), isDotted(name, isNameByte),
            isDotted(domain, { AddressByte.isAlphanumeric($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        let labels = domain.split(separator: ".")
        guard labels.allSatisfy({ $0.utf8.count <= 63 && $0.first != "-" && $0.last != "-" })
        else { return nil }
        return text
    }

    /// Whether the parts between dots are not empty and have only allowed bytes.
    private static func isDotted(_ text: Substring, _ isAllowed: (UInt8) -> Bool) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy(isAllowed)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        AddressByte.isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }
}
