import Directory
import Glibc
import Hosting
import Model
import Runtime
import TimerCore
import Wire

@main
struct Main {
    static let definition = ServiceDefinition(
        name: .timer, summary: "schedules deadlines, runs watches, checks delivery of emergencies",
        settings: TimerSettings.all, migrations: Tables.migrations + [IdempotencyStore.migration],
        consumes: [
            .ingest: Partition.all.map(StreamName.events) + [.sos],
            .membership: [.directory],
            .notifier: [.deliveries],
        ],
        // Ending or extending a watch is never rate-limited.
        isLimited: { !($0.method == .post && $0.path.hasPrefix("/v1/watches/")) })

    static func main() { exit(Host.run(definition, make: make)) }

    static func make(_ host: Host) -> TimerService {
        TimerService(
            host: host, database: host.database, metrics: host.metrics,
            settings: TimerCore.Settings(host.configuration),
            alarmURL: host.isDryRun
                ? nil : host.configuration.optional(TimerSettings.alarmURL),
            retentionEvery: .seconds(
                host.configuration.int(TimerSettings.retention) * 60))
    }
}

extension Host: TimerHost {
    var replica: Replica { directory?.replica ?? Replica() }
}
