import Model

/// Configuration of the notifier's core.
package struct NotifierConfiguration: Hashable, Sendable {
    /// In order of preference.
    package var gateways: [Gateway]
    /// 32 secret bytes from which callback tokens are derived.
    package var tokenSecret: [UInt8]
    /// Link to a map with `{lat}` and `{lon}`.
    package var map: String
    /// Whether SMS replies are received; texts then say how to reply.
    package var hasReplies: Bool
    /// Whether guardians and admins, not only the person, are notified when a phone may stop
    /// reporting.
    package var notifiesGuardiansOfImpairment: Bool
    /// Base URL of links in messages, without a slash at its end; nil = messages have no links.
    package var publicURL: String?

    package init(
        gateways: [Gateway], tokenSecret: [UInt8], map: String = Reader.openStreetMap,
        hasReplies: Bool = false, notifiesGuardiansOfImpairment: Bool = true,
        publicURL: String? = nil
    ) {
        self.publicURL = publicURL
        self.notifiesGuardiansOfImpairment = notifiesGuardiansOfImpairment
        self.gateways = gateways
        self.tokenSecret = tokenSecret
        self.map = map
        self.hasReplies = hasReplies
    }

    /// Channels with at least one gateway.
    var channels: [Channel] {
        Channel.allCases.filter { channel in
            gateways.contains { $0.channels.contains(channel) }
        }
    }

    /// Whether every gateway is a sink, so no message leaves this machine.
    var isSinkOnly: Bool { gateways.allSatisfy(\.kind.isSink) }
}
