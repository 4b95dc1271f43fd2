/// How an SMS carries a text, and how long it may be.
public enum SMSEncoding: String, Hashable, Sendable, Codable {
    /// Seven bits a character, GSM 03.38 with its extension table.
    case gsm7 = "gsm-7"
    /// Sixteen bits a unit, for everything else.
    case ucs2 = "ucs-2"

    /// Units that a text of one part may have.
    public var singlePartMax: Int { self == .gsm7 ? 160 : 70 }
    /// Units that each of several parts may have.
    public var partMax: Int { self == .gsm7 ? 153 : 67 }
}

/// A text measured as an SMS.
public struct SMSText: Hashable, Sendable {
    public var encoding: SMSEncoding
    /// Septets, or 16-bit units.
    public var units: Int
    public var segments: Int

    public init(_ text: String) {
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

    /// Units that a text takes in an encoding; characters outside GSM 03.38 count as one there.
    public static func units(_ text: String, in encoding: SMSEncoding) -> Int {
        guard encoding == .gsm7 else { return text.utf16.count }
        return text.unicodeScalars.reduce(0) { $0 + (extended.contains($1) ? 2 : 1) }
    }

    /// Whether every character is one of GSM 03.38.
    public static func isGSM(_ text: String) -> Bool { septets(text) != nil }

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
