import Gateways
import Model
import NotifierCore
import Web

/// The configured gateway drivers, and conversion of messages for them.
struct GatewayRegistry {
    /// In order of preference.
    let drivers: [GatewayDriver]
    /// Drivers of the previous settings, for answers that are still pending.
    var retired: [GatewayDriver] = []

    var gateways: [Gateway] {
        drivers.map { Gateway(name: $0.name, channels: Set($0.channels), kind: $0.stateKind) }
    }

    func driver(_ name: String) -> GatewayDriver? { drivers.first { $0.name == name } }

    /// The driver that reads answers for a gateway, including retired ones.
    func answering(_ name: String) -> GatewayDriver? {
        driver(name) ?? retired.first { $0.name == name }
    }

    /// Why messages stay on this machine; nil = an external gateway is configured.
    var sinkNotice: String? {
        let kinds = drivers.map(\.stateKind)
        if drivers.isEmpty || kinds.contains(.defaultSink) {
            return "nobody outside is reached: no gateway is configured"
        }
        guard kinds.contains(.chosenSink) else { return nil }
        return kinds.contains(.external)
            ? "nobody outside is reached by SMS: JAGA_SMS_GATEWAY is sink"
            : "nobody outside is reached: messages stay in the built-in sink"
    }

    /// Converts a message for the drivers.
    static func message(_ delivery: OutgoingMessage, at now: Timestamp) -> GatewayMessage {
        let measure = SMSText(delivery.text)
        return GatewayMessage(
            id: delivery.messageID, address: delivery.address, subject: delivery.subject,
            text: delivery.text, file: delivery.file, thread: delivery.thread,
            receiptToken: delivery.token,
            isGSM: measure.encoding == .gsm7, segments: measure.segments,
            isUrgent: delivery.isSafety, now: now, expires: delivery.expires)
    }
}
