import Gateways
import NotifierCore
import Runtime

/// Settings of the notifier. Gateways, map link and replies change without a restart.
struct NotifierSettings {
    private(set) var registry: GatewayRegistry
    /// Map link of messages, with `{lat}` and `{lon}`.
    private(set) var map: String
    /// Whether replies by SMS are received.
    private(set) var hasReplies: Bool
    /// Whether guardians are notified when a phone may stop reporting.
    var notifiesGuardiansOfImpairment = true
    /// Base URL of links in messages; nil = none.
    var publicURL: String?

    init(
        registry: GatewayRegistry, map: String, hasReplies: Bool,
        notifiesGuardiansOfImpairment: Bool = true, publicURL: String? = nil
    ) {
        self.registry = registry
        self.map = map
        self.hasReplies = hasReplies
        self.notifiesGuardiansOfImpairment = notifiesGuardiansOfImpairment
        self.publicURL = publicURL
    }

    /// Applies new settings. In-flight messages keep their gateway.
    mutating func apply(_ configuration: Configuration, _ new: GatewayRegistry) {
        let old = registry.drivers
        registry = new
        registry.retired = old.filter { new.driver($0.name) == nil }
        map = configuration.text("JAGA_MAP_URL")
        hasReplies = configuration.flag("JAGA_SMS_REPLIES")
    }

    /// - Parameter secret: key of the tokens of receipts and links
    func coreConfiguration(secret: [UInt8]) -> NotifierConfiguration {
        NotifierConfiguration(
            gateways: registry.gateways, tokenSecret: secret, map: map, hasReplies: hasReplies,
            notifiesGuardiansOfImpairment: notifiesGuardiansOfImpairment, publicURL: publicURL)
    }
}
