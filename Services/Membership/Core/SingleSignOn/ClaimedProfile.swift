import Model
import Parsing
import SignOn

/// What a provider says about a person.
struct ClaimedProfile {
    /// Nil if there is none that can be shown.
    let name: String?
    let contacts: [Contact]
    let groups: Set<String>

    struct Contact: Hashable {
        var channel: Channel
        /// As normalised by the channel.
        var address: String
        /// Whether the provider has verified it, and is trusted for that.
        var isVerified: Bool
    }

    /// The claims of each channel that has them.
    private static let claims: [(channel: Channel, address: String, verified: String)] = [
        (.email, "email", "email_verified"), (.sms, "phone_number", "phone_number_verified"),
    ]

    init(_ claims: JSON, of provider: SignInProvider) {
        name =
            ["name", "preferred_username", "email"].lazy
            .compactMap { claims[$0]?.string.flatMap(ClaimedProfile.name) }.first
        contacts = ClaimedProfile.claims.compactMap { channel, address, verified in
            guard let text = claims[address]?.string, let address = channel.rules.address(text)
            else { return nil }
            return Contact(
                channel: channel, address: address,
                isVerified: provider.trustedChannels.contains(channel)
                    && ClaimedProfile.isTrue(claims[verified]))
        }
        let groups = claims[provider.groupsClaim]
        self.groups = Set(
            groups?.array?.compactMap(\.string) ?? [groups?.string].compactMap(\.self))
    }

    private static func name(_ text: String) -> String? {
        let text = text.trimmed
        guard !text.isEmpty, text.unicodeScalars.count <= Limits.nameCharactersMax,
            PlainText.firstHidden(in: text) == nil
        else { return nil }
        return text
    }

    /// Some providers write flags as texts.
    private static func isTrue(_ value: JSON?) -> Bool {
        value?.bool ?? (value?.string == "true")
    }
}
