import Model
import Runtime

/// Whether texts have the form of an address, a language or a time zone. Whether somebody is there
/// only a message can tell.
enum Addresses {
    /// `+`, country code and number (E.164), without the blanks and signs that people put between
    /// digits; nil when it is none.
    static func phone(_ text: String) -> String? {
        let digits = text.filter { !" -().\u{A0}".contains($0) }
        guard digits.hasPrefix("+") else { return nil }
        let number = digits.dropFirst()
        guard (7...15).contains(number.utf8.count), number.first != "0",
            number.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return digits
    }

    /// `name@domain` as mail servers take it (RFC 5321, without quoted names); nil when it is none.
    static func mail(_ text: String) -> String? {
        let text = text.trimmed
        guard text.utf8.count <= 254, let at = text.lastIndex(of: "@") else { return nil }
        let name = text[..<at]
        let domain = text[text.index(after: at)...]
        guard (1...64).contains(name.utf8.count), isDotted(name, isNameByte),
            isDotted(domain, { isAlphanumeric($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        let labels = domain.split(separator: ".")
        guard labels.allSatisfy({ $0.utf8.count <= 63 && $0.first != "-" && $0.last != "-" })
        else { return nil }
        return text
    }

    /// An http or https endpoint that a push service gave out; nil when it is none.
    static func push(_ text: String) -> String? {
        let text = text.trimmed
        guard text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }), text.utf8.count <= 2048,
            let scheme = ["https://", "http://"].first(where: text.hasPrefix),
            text.utf8.count > scheme.utf8.count + 3
        else { return nil }
        return text
    }

    /// A language tag such as `en` or `ms-MY` (BCP 47); nil when it has another form.
    static func locale(_ text: String) -> String? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count),
            language.utf8.allSatisfy({ isAlphanumeric($0) && !(48...57).contains($0) }),
            parts.dropFirst().allSatisfy({
                (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(isAlphanumeric)
            }), text.utf8.count <= 35
        else { return nil }
        return text
    }

    /// A name of the IANA time zone database as this machine has it; nil when it is none. Without a
    /// database the form decides.
    static func timeZone(_ text: String, in folder: TimeZoneFolder) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let isKnown =
            Files.exists(folder.path)
            ? folder.rules(of: text) != nil
            : text == "UTC" || text.contains("/") && folder.isName(text)
        return isKnown ? text : nil
    }

    /// Parts between dots, none empty, of bytes that are allowed.
    private static func isDotted(_ text: Substring, _ isAllowed: (UInt8) -> Bool) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy(isAllowed)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }
}
