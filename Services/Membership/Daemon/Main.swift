import Glibc
import Hosting
import MembershipCore
import Runtime

/// `jaga-membership`: people, devices, circles and zones.
@main
struct Main {
    static let definition = ServiceDefinition(
        name: .membership,
        summary: "keeps people, devices, credentials, circles and zones and tells the others",
        settings: [
            Setting(
                "JAGA_MEMBERSHIP_ZONEINFO", .path, default: TimeZoneFolder.systemPath,
                help: "Folder of the system's time zones, for people and the clocks of zones."),
            Setting(
                "JAGA_PUBLIC_URL", .url(["http", "https"]),
                help: "Where phones reach this suite, for what sets them up; else callers say."),
            Setting(
                "JAGA_MQTT_PHONES_URL", .url(["mqtts", "mqtt"]),
                help: "Where phones reach the operator's MQTT broker: mqtts://host:port."),
            Setting(
                "JAGA_MQTT_PREFIX", .text, default: "owntracks",
                help: "Levels of the topics above those of users: PREFIX/user/device."),
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
                .refuseMissing()
        })

    static func main() {
        // Membership starts itself again for shapes that take long (``GeometryQueue``).
        if CommandLine.arguments.dropFirst() == [GeometryQueue.argument] {
            return GeometryCodec.serve()
        }
        exit(Host.run(definition) { try MembershipService($0) })
    }
}
