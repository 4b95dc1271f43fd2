extension ChannelRules {
    /// Push messages to endpoints of push services. No gateway sends them yet.
    static let push = ChannelRules(
        address: endpoint, addressRequirement: "be the address of a push service",
        addressHint: "use the endpoint of the push service", form: .line,
        optOutWords: [], optInWords: [], carriesFiles: false, hasGateways: false, rings: true)

    /// Returns an http or https address; nil if it is invalid.
    @Sendable private static func endpoint(_ text: String) -> String? {
        let text = String(text.withoutBlanks)
        guard text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }), text.utf8.count <= 2048,
            let scheme = ["https://", "http://"].first(where: text.hasPrefix),
            text.utf8.count > scheme.utf8.count + 3
        else { return nil }
        return text
    }
}
