import Gateways
import Glibc
import Hosting
import Model
import NotifierCore
import Runtime
import Web
import Wire

@main
struct Main {
    static let definition = ServiceDefinition(
        name: .notifier,
        summary: "Notifies people through gateways until somebody responds.",
        settings: GatewaySettings.all + [
            Setting(
                "JAGA_PUBLIC_URL", .url(["http", "https"]),
                help: "Base URL of gateways' callbacks, and of links in messages about emergencies;"
                    + " without it callbacks use the notifier's own port, messages have no links."),
            Setting(
                "JAGA_MAP_URL", .url(["http", "https"]), default: Reader.openStreetMap,
                help: "Map link for messages, with {lat} and {lon}."),
            Setting(
                "JAGA_NOTIFIER_ZONEINFO", .path, default: TimeZoneFolder.systemPath,
                help: "Folder of time zone files; without it messages show UTC."),
            Setting(
                "JAGA_NOTIFIER_EMERGENCY_DAYS", .integer(30...3650), default: "365", unit: "days",
                help: "Retention of ended emergencies and their recipients."),
            Setting(
                "JAGA_NOTIFIER_NOTIFY_GUARDIANS_OF_IMPAIRMENT", .flag, default: "on",
                help: "Notify guardians and admins, too, when a phone may stop reporting."),
        ] + Heartbeat.settings,
        migrations: Schema.migrations,
        consumes: [
            .ingest: Partition.all.map(StreamName.events) + [.sos],
            .membership: [.directory], .timer: [.deadlines],
        ],
        connections: ServerLimits().connections + Limits.liveStreamsMax,
        isLimited: NotifierRequests.router.isLimited,
        operation: NotifierRequests.router.operation, holdsWhenNew: true,
        check: { configuration in
            _ = try GatewaySettings.drivers(configuration, callbackBase: "http://127.0.0.1")
            _ = try configuration.secret("JAGA_HEARTBEAT_URL_FILE")
            try checkKey(configuration)
        })

    static func main() { exit(Launcher.run(definition, make: make)) }

    private static func messageKey(_ configuration: Configuration) -> KeyFile {
        .messages(secrets: configuration.text("JAGA_HOME") + "/secrets")
    }

    /// Checks the message key. In membership's home it may be missing, as membership creates it at
    /// its start; elsewhere it may not exist yet, but must be readable if it does.
    private static func checkKey(_ configuration: Configuration) throws {
        let key = messageKey(configuration)
        let home = configuration.text("JAGA_HOME")
        if Files.isFolder("\(home)/\(ServiceName.membership.rawValue)") { return try key.check() }
        if Files.exists(key.path) { _ = try key.read() }
    }

    /// The public URL without a slash at its end; nil = none.
    private static func publicURL(_ configuration: Configuration) -> String? {
        guard var url = configuration.optional("JAGA_PUBLIC_URL") else { return nil }
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }

    static func make(_ host: Host) throws -> NotifierService {
        let configuration = host.configuration
        let base =
            configuration.optional("JAGA_PUBLIC_URL") ?? "http://127.0.0.1:\(host.httpPort)"
        let isDryRun = host.isDryRun
        func makeRegistry(_ configuration: Configuration) throws -> GatewayRegistry {
            let drivers = try GatewaySettings.drivers(configuration, callbackBase: base)
            return GatewayRegistry(drivers: isDryRun ? drivers.map(\.dryRun) : drivers)
        }
        let messageKey = messageKey(configuration)
        try messageKey.requirePrivate()
        let service = NotifierService(
            host: host, store: NotifierStore(database: host.database),
            zones: TimeZoneFolder(configuration.text("JAGA_NOTIFIER_ZONEINFO")),
            settings: NotifierSettings(
                registry: try makeRegistry(configuration),
                map: configuration.text("JAGA_MAP_URL"),
                hasReplies: configuration.flag("JAGA_SMS_REPLIES"),
                notifiesGuardiansOfImpairment: configuration.flag(
                    "JAGA_NOTIFIER_NOTIFY_GUARDIANS_OF_IMPAIRMENT"),
                publicURL: publicURL(configuration)),
            messageKey: messageKey,
            emergencyDays: configuration.int("JAGA_NOTIFIER_EMERGENCY_DAYS"),
            heartbeat: try Heartbeat(host))
        service.makeGatewayRegistry = makeRegistry
        return service
    }
}
