/// Encoding of an SMS, with its maximum lengths.
package enum SMSEncoding: String, Hashable, Sendable, Codable {
    /// GSM 03.38 with its extension table, seven bits a character.
    case gsm7 = "gsm-7"
    /// UCS-2, sixteen bits a unit, for all other characters.
    case ucs2 = "ucs-2"

    /// Units in a single-part message.
    package var singlePartMax: Int { self == .gsm7 ? 160 : 70 }
    /// Units in each part of a multi-part message.
    package var partMax: Int { self == .gsm7 ? 153 : 67 }
}

/// SMS encoding and length of a text.
package struct SMSText: Hashable, Sendable {
    package var encoding: SMSEncoding
    /// Septets, or UTF-16 units.
    package var units: Int
    package var segments: Int

    package init(_ text: String) {
        if let septets = SMSText.septets(text) {
            encoding = .gsm7
            units = septets
        } else {
            encoding = .ucs2
            units = text.utf16.count
        }
        segments =
            units <= encoding.singlePartMax
            ? 1 : (units + encoding.partMax - 1) / encoding.partMax
    }

    /// Units of a text in an encoding; characters outside GSM 03.38 count as one.
    package static func units(_ text: String, in encoding: SMSEncoding) -> Int {
        guard encoding == .gsm7 else { return text.utf16.count }
        return text.unicodeScalars.reduce(0) { $0 + (extended.contains($1) ? 2 : 1) }
    }

    /// Whether all characters are in GSM 03.38.
    package static func isGSM(_ text: String) -> Bool { septets(text) != nil }

    private static func septets(_ text: String) -> Int? {
        var count = 0
        for scalar in text.unicodeScalars {
            if basic.contains(scalar) {
                count += 1
            } else if extended.contains(scalar) {
                count += 2
            } else {
                return nil
            }
        }
        return count
    }

    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
            + "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    private static let extended = Set("\u{0C}^{}\\[~]|€".unicodeScalars)
}
