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
        isLimited: TimerRequests.router.isLimited, operation: TimerRequests.router.operation)

    static func main() { exit(Launcher.run(definition, make: make)) }

    static func make(_ host: Host) -> TimerService {
        TimerService(
            host: host, database: host.database, metrics: host.metrics,
            settings: TimerCore.Settings(host.configuration),
            alarmURL: host.isDryRun
                ? nil : host.configuration.optional(TimerSettings.alarmURL),
            retentionEvery: .seconds(
                host.configuration.int(TimerSettings.retention) * 60),
            zones: TimeZoneFolder(host.configuration.text(TimerSettings.timeZones)))
    }
}

extension Host: TimerHost {
    var replica: Replica { directory?.replica ?? Replica() }
}
