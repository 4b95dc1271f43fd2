import Glibc
import Hosting
import MembershipCore
import Runtime

/// `jaga-membership`: people, devices, circles and zones.
@main
struct Main {
    static let definition = ServiceDefinition(
        name: .membership,
        summary: "keeps people, devices, credentials, circles and zones",
        settings: [
            Setting(
                "JAGA_MEMBERSHIP_ZONEINFO", .path, default: TimeZoneFolder.systemPath,
                help: "Folder of the system's time zone database."),
            Setting(
                "JAGA_PUBLIC_URL", .url(["http", "https"]),
                help: "URL at which phones reach this suite, for their set-up links."),
            Setting(
                "JAGA_MQTT_PHONES_URL", .url(["mqtts", "mqtt"]),
                help: "URL at which phones reach the operator's MQTT broker: mqtts://host:port."),
            Setting(
                "JAGA_MQTT_PREFIX", .text, default: "owntracks",
                help: "Prefix of MQTT topics: PREFIX/user/device."),
        ],
        migrations: Tables.migrations, bodyBytesByPath: ["/v1/sets/": Limits.setBodyBytes],
        check: { configuration in
            let home = configuration.text("JAGA_HOME")
            try OperatorToken(home: home).check()
            try KeyFile.messages(secrets: home + "/secrets").check()
        },
        checkStore: { configuration, store in
            guard try KeyFile.hasSealedMessages(store) else { return }
            try KeyFile.messages(secrets: configuration.text("JAGA_HOME") + "/secrets")
                .requireExisting()
        })

    static func main() {
        // The worker that prepares slow shapes (``GeometryQueue``) is this program.
        if CommandLine.arguments.dropFirst() == [GeometryQueue.argument] {
            return GeometryCodec.serve()
        }
        exit(Launcher.run(definition) { try MembershipService($0) })
    }
}
