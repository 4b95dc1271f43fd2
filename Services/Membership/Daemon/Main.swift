import Glibc
import Hosting
import MembershipCore
import Model
import Runtime
import Wire

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
                help: "URL of this suite, for set-up links of phones, sign-in at providers and "
                    + "passkeys."),
            ProviderFile.setting,
            Setting(
                "JAGA_SITE_NAME", .text, default: "Jaga",
                help: "Name of this site in messages about accounts, such as a school's."),
            Setting(
                "JAGA_SIGN_UP", .choice(["closed", "code"]), default: "closed",
                help: "Who gets an account: people whom the operator adds; code = also anyone"
                    + " who enters a code."),
            Setting(
                "JAGA_SIGN_IN_CODES_PER_NETWORK", .integer(1...100_000), default: "60",
                help: "Codes to sign in with, per hour and network."),
            Setting(
                "JAGA_SIGN_IN_SMS_PER_HOUR", .integer(0...1_000_000), default: "200",
                help: "Codes to sign in with that are sent by SMS, per hour in all."),
            Setting(
                "JAGA_MQTT_PHONES_URL", .url(["mqtts", "mqtt"]),
                help: "URL at which phones reach the operator's MQTT broker: mqtts://host:port."),
            Setting(
                "JAGA_MQTT_PREFIX", .text, default: "owntracks",
                help: "Prefix of MQTT topics: PREFIX/user/device."),
        ] + BillingEvents.settings,
        migrations: Tables.migrations,
        consumes: [.ingest: [.usage], .timer: [.deadlines], .notifier: [.deliveries]],
        operation: Route.router.operation,
        check: { configuration in
            let home = configuration.text("JAGA_HOME")
            try OperatorToken(home: home).check()
            try KeyFile.messages(secrets: home + "/secrets").check()
            _ = try ProviderFile(configuration)
            _ = try BillingEvents.secret(configuration)
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
