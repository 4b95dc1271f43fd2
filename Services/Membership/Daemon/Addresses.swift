import Model
import Runtime

/// Validates phone numbers, mail addresses, push endpoints, languages and time zones by their form.
enum Addresses {
    /// Returns the number in E.164 form without separators; nil if it is invalid.
    static func phone(_ text: String) -> String? {
        let digits = text.filter { !" -().\u{A0}".contains($0) }
        guard digits.hasPrefix("+") else { return nil }
        let number = digits.dropFirst()
        guard (7...15).contains(number.utf8.count), number.first != "0",
            number.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return digits
    }

    /// Returns `name@domain` (RFC 5321 without quoted names); nil if it is invalid.
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

    /// Returns the http or https endpoint of a push service; nil if it is invalid.
    static func push(_ text: String) -> String? {
        let text = text.trimmed
        guard text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }), text.utf8.count <= 2048,
            let scheme = ["https://", "http://"].first(where: text.hasPrefix),
            text.utf8.count > scheme.utf8.count + 3
        else { return nil }
        return text
    }

    /// Returns a language tag such as `en` or `ms-MY` (BCP 47); nil if its form is invalid.
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

    /// Returns a name in the machine's IANA time zone database; nil if it is unknown. Without a
    /// database only the form is checked.
    static func timeZone(_ text: String, in folder: TimeZoneFolder) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let isKnown =
            Files.exists(folder.path)
            ? folder.rules(of: text) != nil
            : text == "UTC" || text.contains("/") && folder.isName(text)
        return isKnown ? text : nil
    }

    /// Whether the parts between dots are not empty and have only allowed bytes.
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
