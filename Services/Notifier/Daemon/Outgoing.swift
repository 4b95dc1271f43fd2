import Gateways
import Model
import NotifierCore
import Web

/// The gateways of this process, and how the core's words and theirs go together.
struct Outgoing {
    /// In the order of preference.
    let drivers: [GatewayDriver]
    /// Those of the settings before, for answers that are still to come.
    var retired: [GatewayDriver] = []

    var gateways: [Gateway] {
        drivers.map { Gateway(name: $0.name, channels: Set($0.channels), kind: $0.stateKind) }
    }

    func driver(_ name: String) -> GatewayDriver? { drivers.first { $0.name == name } }

    /// The gateway that reads the answer to an attempt by that name.
    func answering(_ name: String) -> GatewayDriver? {
        driver(name) ?? retired.first { $0.name == name }
    }

    /// A message as drivers take it.
    static func message(_ delivery: Delivery, at now: Timestamp) -> GatewayMessage {
        let measure = SMSText(delivery.text)
        return GatewayMessage(
            id: delivery.messageID, address: delivery.address, subject: delivery.subject,
            text: delivery.text, file: delivery.file, thread: delivery.thread,
            receiptToken: delivery.token,
            isGSM: measure.encoding == .gsm7, segments: measure.segments,
            isUrgent: delivery.isSafety, now: now, expires: delivery.expires)
    }
}
