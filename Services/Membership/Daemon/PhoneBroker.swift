import Dialects
import Runtime

extension PhoneBroker {
    /// Nil where no broker is set.
    ///
    /// - Throws: an address that is none
    init?(_ configuration: Configuration) throws(ConfigurationError) {
        guard let text = configuration.optional("JAGA_MQTT_PHONES_URL") else { return nil }
        guard let address = BrokerAddress(text), address.user == nil else {
            throw ConfigurationError(
                "setting-invalid", "JAGA_MQTT_PHONES_URL is no address of a broker",
                hint: "Write mqtts://host:port; each phone signs in as its device.")
        }
        self.init(address: address, prefix: configuration.text("JAGA_MQTT_PREFIX"))
    }
}
