import API
import Bus
import Dialects
import Directory
import Glibc
import Hosting
import IngestCore
import JourneysCore
import JourneysDaemon
import Model
import Runtime
import Web
import Wire

@main
struct Main {
    static let definition = ServiceDefinition(
        name: .ingest,
        summary: "accept reports and calls for help, and order all records",
        settings: [
            Setting(
                "JAGA_SOS_WORD", .text, default: "SOS",
                help: "Word in a phone's note (OwnTracks: poi or tag) that raises an emergency."),
            Setting(
                "JAGA_INGEST_DEVICE_CALLS_PER_SECOND", .integer(0...100_000), default: "30",
                help: "Requests per second per device, averaged over 1 min; 0 = unlimited."),
            Setting(
                "JAGA_INGEST_ADDRESS_CALLS_PER_SECOND", .integer(0...1_000_000), default: "1000",
                help: "Requests per second per address, averaged over 10 s; 0 = unlimited."),
            Setting(
                "JAGA_INGEST_AUTH_FAILURES_PER_MINUTE", .integer(0...1_000_000), default: "60",
                help: "Wrong credentials per minute per address; 0 = unlimited."),
            Setting(
                "JAGA_INGEST_DOUBLE_PRESS_SECONDS", .integer(0...60), default: "0",
                help: "Interval in which two manual reports raise an emergency, seconds; 0 = never."
            ),
        ] + RetentionAges.settings + MQTTSettings.all,
        migrations: Tables.migrations,
        consumes: [
            .membership: [.directory], .timer: [.deadlines], .notifier: [.deliveries],
        ],
        // ``AdmissionControl`` counts, once it is known what a phone sends.
        isLimited: { _ in false }, operation: IngestRequests.router.operation,
        check: { configuration in
            _ = try MQTTSettings.intake(configuration)
            try KeyFile.devices(secrets: configuration.text("JAGA_HOME") + "/secrets").check()
        },
        checkStore: { configuration, store in
            guard try KeyFile.hasSealedDevices(store) else { return }
            try KeyFile.devices(secrets: configuration.text("JAGA_HOME") + "/secrets")
                .requireExisting()
        })

    static func main() { exit(Launcher.run(definition, make: make)) }

    static func make(_ host: Host) throws -> IngestService {
        let configuration = host.configuration
        try host.database.startCheckpointThread()
        return try IngestService(
            host: host, database: host.database,
            secrets: configuration.text("JAGA_HOME") + "/secrets",
            sosWord: configuration.text("JAGA_SOS_WORD"),
            pressesWithinSeconds: Int64(configuration.int("JAGA_INGEST_DOUBLE_PRESS_SECONDS")),
            limits: IngestLimits(
                callsOfDevicePerSecond: Int64(
                    configuration.int("JAGA_INGEST_DEVICE_CALLS_PER_SECOND")),
                callsOfAddressPerSecond: Int64(
                    configuration.int("JAGA_INGEST_ADDRESS_CALLS_PER_SECOND")),
                failuresOfAddressPerMinute: Int64(
                    configuration.int("JAGA_INGEST_AUTH_FAILURES_PER_MINUTE"))),
            ages: RetentionAges(configuration), mqtt: MQTTSettings.intake(configuration),
            brokerFolder: configuration.optional("JAGA_INGEST_MQTT_SHARED_FOLDER"))
    }
}

extension Host: IngestHost {
    package var replica: Replica { directory?.replica ?? Replica() }
    var isDirectoryFresh: Bool { bus.isCaughtUp(.directory) }

    func append(_ record: Record, to stream: StreamName) throws -> Position {
        try bus.append(record, to: stream)
    }

    func position(of stream: StreamName) -> Position? { bus.position(of: stream) }

    func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool {
        try bus.isOnChain(position, of: stream)
    }

    func reply(with control: Control, to route: Route) { bus.reply(with: control, to: route) }
}
