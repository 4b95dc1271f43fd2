import Dialects
import MQTT
import Runtime

/// Settings of the connection to the operator's broker.
enum MQTTSettings {
    static let all = [
        Setting(
            "JAGA_INGEST_MQTT_URL", .url(["mqtts", "mqtt"]),
            help: "URL of the operator's MQTT broker with the user: mqtts://user@host:port."),
        Setting(
            "JAGA_INGEST_MQTT_PASSWORD_FILE", .secretFile,
            help: "File with the password of that user."),
        Setting(
            "JAGA_INGEST_MQTT_AUTHORITIES", .path,
            help: "PEM file with the CA to trust for the broker; default: the system's CAs."),
        Setting(
            "JAGA_INGEST_MQTT_CERTIFICATE", .path,
            help: "PEM file with the client certificate for the broker."),
        Setting(
            "JAGA_INGEST_MQTT_KEY", .path, help: "PEM file with the key of that certificate."),
        Setting(
            "JAGA_INGEST_MQTT_CLIENT_ID", .text, default: "jaga-ingest",
            help: "MQTT client id, unique per suite; the broker stores messages under it."),
        Setting(
            "JAGA_INGEST_MQTT_SHARED_FOLDER", .path,
            help: "Folder shared with the broker of deploy/, for replaced secrets."),
        Setting(
            "JAGA_MQTT_PREFIX", .text, default: "owntracks",
            help: "Topic prefix: topics are PREFIX/user/device."),
    ]

    /// The connection; nil without an address and in a dry run, which would otherwise receive the
    /// live suite's messages under the same client id.
    ///
    /// - Throws: an invalid setting or an unreadable password
    static func intake(_ configuration: Configuration) throws(ConfigurationError) -> MQTTIntake? {
        guard let url = configuration.optional("JAGA_INGEST_MQTT_URL"),
            !configuration.flag("JAGA_DRY_RUN")
        else { return nil }
        guard let address = BrokerAddress(url) else {
            throw ConfigurationError(
                "setting-invalid", "JAGA_INGEST_MQTT_URL is not a broker URL",
                hint:
                    "Write mqtts://user@host:port; "
                    + "put the password into JAGA_INGEST_MQTT_PASSWORD_FILE."
            )
        }
        let prefix = configuration.text("JAGA_MQTT_PREFIX")
        guard OwnTracks.Topic.isPrefix(prefix) else {
            throw ConfigurationError(
                "setting-invalid", "JAGA_MQTT_PREFIX is not a topic prefix",
                hint: "Write levels separated by /, such as owntracks.")
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
