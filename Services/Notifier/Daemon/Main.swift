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
        summary: "Tells people, over gateways, until somebody answers.",
        settings: GatewaySettings.all + [
            Setting(
                "JAGA_PUBLIC_URL", .url(["http", "https"]),
                help: "Where gateways reach this server; else the notifier's own port."),
            Setting(
                "JAGA_MAP_URL", .url(["http", "https"]), default: Reader.openStreetMap,
                help: "Link to a map in messages, with {lat} and {lon}."),
            Setting(
                "JAGA_NOTIFIER_ZONEINFO", .path, default: TimeZoneFolder.systemPath,
                help: "Folder of the system's time zones; without it messages show UTC."),
            Setting(
                "JAGA_NOTIFIER_EMERGENCY_DAYS", .integer(30...3650), default: "365", unit: "days",
                help: "Emergencies that are over are kept so long, with who was told of them."),
            Setting(
                "JAGA_NOTIFIER_BLIND_TOLD_TO_GUARDIANS", .flag, default: "on",
                help: "Guardians and admins, too, hear when a phone may fall silent."),
        ] + Heartbeat.settings,
        migrations: Schema.migrations,
        consumes: [
            .ingest: Partition.all.map(StreamName.events) + [.sos],
            .membership: [.directory], .timer: [.fired],
        ],
        isLimited: { request in
            // Who answers an emergency, and what gateways report, never waits.
            let isUrgent = ["/v1/emergencies/", "/v1/receipts/", "/v1/replies/"].contains {
                request.path.hasPrefix($0)
            }
            return !isUrgent
        }, holdsWhenNew: true,
        check: { configuration in
            _ = try GatewaySettings.drivers(configuration, callbackBase: "http://127.0.0.1")
            _ = try configuration.secret("JAGA_HEARTBEAT_URL_FILE")
            try checkKey(configuration)
        })

    static func main() { exit(Host.run(definition, make: make)) }

    private static func messageKey(_ configuration: Configuration) -> KeyFile {
        .messages(secrets: configuration.text("JAGA_HOME") + "/secrets")
    }

    /// That there is no key yet is fine. In the home of membership the wish for one is, too: it
    /// makes one at its start. Elsewhere nobody does, and nothing could be opened.
    private static func checkKey(_ configuration: Configuration) throws {
        let key = messageKey(configuration)
        let home = configuration.text("JAGA_HOME")
        if Files.isFolder("\(home)/\(ServiceName.membership.rawValue)") { return try key.check() }
        if Files.exists(key.path) { _ = try key.read() }
    }

    static func make(_ host: Host) throws -> NotifierService {
        let configuration = host.configuration
        let base =
            configuration.optional("JAGA_PUBLIC_URL") ?? "http://127.0.0.1:\(host.httpPort)"
        let isRehearsal = host.isRehearsal
        func outgoing(_ configuration: Configuration) throws -> Outgoing {
            let drivers = try GatewaySettings.drivers(configuration, callbackBase: base)
            return Outgoing(drivers: isRehearsal ? drivers.map(\.rehearsal) : drivers)
        }
        let messageKey = messageKey(configuration)
        try messageKey.refuseOpen()
        let service = NotifierService(
            outside: host, store: NotifierStore(database: host.database),
            outgoing: try outgoing(configuration),
            zones: TimeZoneFolder(configuration.text("JAGA_NOTIFIER_ZONEINFO")),
            map: configuration.text("JAGA_MAP_URL"),
            messageKey: messageKey,
            hasReplies: configuration.flag("JAGA_SMS_REPLIES"),
            emergencyDays: configuration.int("JAGA_NOTIFIER_EMERGENCY_DAYS"),
            tellsGuardiansOfBlindness: configuration.flag("JAGA_NOTIFIER_BLIND_TOLD_TO_GUARDIANS"),
            heartbeat: try Heartbeat(host))
        service.makeOutgoing = outgoing
        return service
    }
}
