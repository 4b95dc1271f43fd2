import Bus
import Directory
import Glibc
import Hosting
import IngestCore
import Model
import Runtime
import Web
import Wire

@main
struct Main {
    static let definition = ServiceDefinition(
        name: .ingest,
        summary: "Takes reports and calls for help, and keeps the order of everything.",
        settings: [
            Setting(
                "JAGA_SOS_WORD", .text, default: "SOS",
                help: "Word in a phone's note (OwnTracks: poi or tag) that is a call for help."),
            Setting(
                "JAGA_INGEST_DEVICE_CALLS_PER_SECOND", .integer(0...100_000), default: "30",
                help: "Calls that one device may make in a second, over a minute; 0: any number."),
            Setting(
                "JAGA_INGEST_ADDRESS_CALLS_PER_SECOND", .integer(0...1_000_000), default: "1000",
                help: "Calls from one address in a second, over ten; 0: any number."),
            Setting(
                "JAGA_INGEST_FAILURES_PER_MINUTE", .integer(0...1_000_000), default: "60",
                help: "Wrong credentials from one address in a minute; 0: any number."),
            Setting(
                "JAGA_INGEST_PRESSED_TWICE_SECONDS", .integer(0...60), default: "0",
                help: "Two reports by hand within so many seconds are a call for help; 0: never."),
        ] + RetentionAges.settings + MQTTSettings.all,
        migrations: Tables.migrations,
        consumes: [
            .membership: [.directory], .timer: [.fired], .notifier: [.deliveries],
        ],
        bodyBytesByPath: [
            "/pub": Limits.ownTracksBodyBytes, "/overland": Limits.phoneBodyBytes,
            "/api/v1/overland/batches": Limits.phoneBodyBytes,
            "/v1/people/*/journeys/*/photos": Limits.journeyPhotoBytes,
        ], unreadBodyPaths: ["/v1/emergencies"],
        // ``Gate`` counts, once it is known what a phone sends.
        isLimited: { _ in false },
        check: { configuration in
            _ = try MQTTSettings.intake(configuration)
            try KeyFile.devices(secrets: configuration.text("JAGA_HOME") + "/secrets").check()
        },
        checkStore: { configuration, store in
            guard try KeyFile.hasSealedDevices(store) else { return }
            try KeyFile.devices(secrets: configuration.text("JAGA_HOME") + "/secrets")
                .refuseMissing()
        })

    static func main() { exit(Host.run(definition, make: make)) }

    static func make(_ host: Host) throws -> IngestService {
        let configuration = host.configuration
        try host.database.checkpointAside()
        return try IngestService(
            outside: host, database: host.database,
            secrets: configuration.text("JAGA_HOME") + "/secrets",
            sosWord: configuration.text("JAGA_SOS_WORD"),
            pressesWithinSeconds: Int64(configuration.int("JAGA_INGEST_PRESSED_TWICE_SECONDS")),
            limits: GateLimits(
                callsOfDevicePerSecond: Int64(
                    configuration.int("JAGA_INGEST_DEVICE_CALLS_PER_SECOND")),
                callsOfAddressPerSecond: Int64(
                    configuration.int("JAGA_INGEST_ADDRESS_CALLS_PER_SECOND")),
                failuresOfAddressPerMinute: Int64(
                    configuration.int("JAGA_INGEST_FAILURES_PER_MINUTE"))),
            ages: RetentionAges(configuration), mqtt: MQTTSettings.intake(configuration),
            brokerFolder: configuration.optional("JAGA_INGEST_MQTT_SHARED_FOLDER"))
    }
}

extension Host: Surroundings {
    var replica: Replica { directory?.replica ?? Replica() }
    var isDirectoryFresh: Bool { bus.isCaughtUp(.directory) }

    func append(_ record: Record, to stream: StreamName) throws -> Position {
        try bus.append(record, to: stream)
    }

    func position(of stream: StreamName) -> Position? { bus.position(of: stream) }

    func isOnChain(_ position: Position, of stream: StreamName) throws -> Bool {
        try bus.isOnChain(position, of: stream)
    }

    func tell(_ control: Control, to route: Route) { bus.tell(control, to: route) }
}
