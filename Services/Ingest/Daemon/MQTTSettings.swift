import Dialects
import MQTT
import Runtime

/// Where the operator's broker is; without it, nothing of MQTT happens.
enum MQTTSettings {
    static let all = [
        Setting(
            "JAGA_INGEST_MQTT_URL", .url(["mqtts", "mqtt"]),
            help: "The operator's MQTT broker, with the user: mqtts://user@host:port."),
        Setting(
            "JAGA_INGEST_MQTT_PASSWORD_FILE", .secretFile,
            help: "The password of that user."),
        Setting(
            "JAGA_INGEST_MQTT_AUTHORITIES", .path,
            help: "PEM file of who vouches for the broker's certificate; else the system's."),
        Setting(
            "JAGA_INGEST_MQTT_CERTIFICATE", .path,
            help: "PEM file of a certificate to show to the broker."),
        Setting(
            "JAGA_INGEST_MQTT_KEY", .path, help: "PEM file of that certificate's key."),
        Setting(
            "JAGA_INGEST_MQTT_CLIENT_ID", .text, default: "jaga-ingest",
            help: "The name for which the broker keeps messages; each suite has its own."),
        Setting(
            "JAGA_INGEST_MQTT_SHARED_FOLDER", .path,
            help: "Folder shared with the broker of deploy/, for secrets that were replaced."),
        Setting(
            "JAGA_MQTT_PREFIX", .text, default: "owntracks",
            help: "Levels of the topics above those of users: PREFIX/user/device."),
    ]

    /// Nil without an address, and in a rehearsal: there the broker would give to it, under the
    /// same name, what the suite in earnest waits for.
    ///
    /// - Throws: what cannot be used, or a password that cannot be read
    static func intake(_ configuration: Configuration) throws(ConfigurationError) -> MQTTIntake? {
        guard let url = configuration.optional("JAGA_INGEST_MQTT_URL"),
            !configuration.flag("JAGA_REHEARSAL")
        else { return nil }
        guard let address = BrokerAddress(url) else {
            throw ConfigurationError(
                "setting-invalid", "JAGA_INGEST_MQTT_URL is no address of a broker",
                hint: "Write mqtts://user@host:port; the password stands in a file of its own.")
        }
        let prefix = configuration.text("JAGA_MQTT_PREFIX")
        guard OwnTracks.Topic.isPrefix(prefix) else {
            throw ConfigurationError(
                "setting-invalid", "JAGA_MQTT_PREFIX is no beginning of a topic",
                hint: "Write levels with / between them, such as owntracks.")
        }
        let login = BrokerLogin(
            address: address,
            password: try configuration.secret("JAGA_INGEST_MQTT_PASSWORD_FILE"),
            authoritiesFile: configuration.optional("JAGA_INGEST_MQTT_AUTHORITIES"),
            certificateFile: configuration.optional("JAGA_INGEST_MQTT_CERTIFICATE"),
            keyFile: configuration.optional("JAGA_INGEST_MQTT_KEY"),
            clientID: configuration.text("JAGA_INGEST_MQTT_CLIENT_ID"),
            subscriptions: OwnTracks.Topic.subscriptions(below: prefix))
        return MQTTIntake(broker: BrokerLink(login), prefix: prefix)
    }
}
