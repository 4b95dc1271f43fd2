extension ChannelRules {
    /// Text messages to phone numbers in E.164 form.
    static let sms = ChannelRules(
        address: number, addressRequirement: "be a phone number",
        addressHint: "use + and the country code, such as +60123456789", form: .line,
        optOutWords: ["STOP", "STOPALL", "UNSUBSCRIBE", "BERHENTI"],
        optInWords: ["START", "UNSTOP", "MULA", "MULAI"], carriesFiles: false, hasGateways: true,
        rings: false)

    /// Returns the number in E.164 form without separators; nil if it is invalid.
    @Sendable private static func number(_ text: String) -> String? {
        let digits = text.filter { !" -().\u{A0}".contains($0) }
        guard digits.hasPrefix("+") else { return nil }
        let number = digits.dropFirst()
        guard (7...15).contains(number.utf8.count), number.first != "0",
            number.utf8.allSatisfy(AddressByte.isDigit)
        else { return nil }
        return digits
    }
}
