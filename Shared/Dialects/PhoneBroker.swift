import Model
import Parsing

/// The operator's MQTT broker, as phones find it.
public struct PhoneBroker: Hashable, Sendable {
    public var address: BrokerAddress
    /// Levels of topics above those of users.
    public var prefix: String

    public init(address: BrokerAddress, prefix: String) {
        self.address = address
        self.prefix = prefix
    }

    /// Undoes ``json``.
    public init?(_ json: JSON) {
        guard let text = json["url"]?.string, let address = BrokerAddress(text),
            let prefix = json["prefix"]?.string
        else { return nil }
        self.init(address: address, prefix: prefix)
    }

    public var json: JSON { ["url": .string(address.description), "prefix": .string(prefix)] }

    /// What OwnTracks is told beside what it is told for HTTP: a phone signs in as its device, so
    /// that the broker vouches for that.
    ///
    /// Of what others publish it hears what stands under its own name alone: there the suite tells
    /// it of friends.
    func members(_ device: DeviceID) -> [JSON.Member] {
        let mine = "\(prefix)/\(device)/+"
        return [
            .init("mode", 0), .init("host", .string(address.host)),
            .init("port", .integer(Int64(address.port))), .init("tls", .bool(address.isEncrypted)),
            .init("auth", true), .init("username", .string(device.description)),
            .init("clientId", .string(device.description)),
            .init("pubTopicBase", .string(prefix + "/%u/%d")), .init("pubQos", 1),
            .init("sub", true), .init("subTopic", .string("\(mine) \(mine)/event \(mine)/info")),
            .init("subQos", 1), .init("cleanSession", false), .init("mqttProtocolLevel", 4),
        ]
    }
}
