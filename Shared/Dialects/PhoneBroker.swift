import Model
import Parsing

/// The operator's MQTT broker as phones reach it.
public struct PhoneBroker: Hashable, Sendable {
    public var address: BrokerAddress
    /// Topic levels above those of users.
    public var prefix: String

    public init(address: BrokerAddress, prefix: String) {
        self.address = address
        self.prefix = prefix
    }

    /// Decodes ``json``.
    public init?(_ json: JSON) {
        guard let text = json["url"]?.string, let address = BrokerAddress(text),
            let prefix = json["prefix"]?.string
        else { return nil }
        self.init(address: address, prefix: prefix)
    }

    public var json: JSON { ["url": .string(address.description), "prefix": .string(prefix)] }

    /// OwnTracks' settings for MQTT. The phone signs in as its device, so the broker authenticates
    /// it.
    ///
    /// The phone subscribes only to topics below its own name, where Jaga publishes its friends.
    func members(_ device: DeviceID) -> [JSON.Member] {
        let own = "\(prefix)/\(device)/+"
        return [
            .init("mode", 0), .init("host", .string(address.host)),
            .init("port", .integer(Int64(address.port))), .init("tls", .bool(address.isEncrypted)),
            .init("auth", true), .init("username", .string(device.description)),
            .init("clientId", .string(device.description)),
            .init("pubTopicBase", .string(prefix + "/%u/%d")), .init("pubQos", 1),
            .init("sub", true), .init("subTopic", .string("\(own) \(own)/event \(own)/info")),
            .init("subQos", 1), .init("cleanSession", false), .init("mqttProtocolLevel", 4),
        ]
    }
}
