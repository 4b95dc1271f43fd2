import Dialects
import Runtime

extension PhoneBroker {
    /// Reads the broker from the settings; nil if none is configured.
    ///
    /// - Throws: `setting-invalid`
    init?(_ configuration: Configuration) throws(ConfigurationError) {
        guard let text = configuration.optional("JAGA_MQTT_PHONES_URL") else { return nil }
        guard let address = BrokerAddress(text), address.user == nil else {
            throw ConfigurationError(
                "setting-invalid", "JAGA_MQTT_PHONES_URL is not a broker URL",
                hint: "Write mqtts://host:port; each phone signs in as its device.")
        }
        self.init(address: address, prefix: configuration.text("JAGA_MQTT_PREFIX"))
    }
}
