/// National emergency numbers.
public enum EmergencyNumber {
    /// Looks the number up by the calling code of an E.164 number. The default is 112, which every
    /// GSM phone knows.
    public static func number(forPhone address: String) -> String {
        byCallingCode.first { address.hasPrefix($0.code) }?.number ?? "112"
    }

    private static let byCallingCode: [(code: String, number: String)] = [
        ("+60", "999"),  // Malaysia
        ("+65", "999"),  // Singapore
        ("+673", "993"),  // Brunei
        ("+66", "191"),  // Thailand
        ("+63", "911"),  // Philippines
        ("+84", "113"),  // Vietnam
        ("+852", "999"),  // Hong Kong
        ("+44", "999"),  // United Kingdom
        ("+61", "000"),  // Australia
        ("+64", "111"),  // New Zealand
        ("+81", "110"),  // Japan
        ("+82", "112"),  // Korea
        ("+86", "110"),  // China
        ("+880", "999"),  // Bangladesh
        ("+94", "119"),  // Sri Lanka
        ("+1", "911"),  // North America
    ]
}
