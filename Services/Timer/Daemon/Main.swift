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
        name: .timer, summary: "keeps every wait of the suite, and watches over people",
        settings: TimerSettings.all, migrations: Tables.migrations + [KeptAnswers.migration],
        consumes: [
            .ingest: Partition.all.map(StreamName.events) + [.sos],
            .membership: [.directory],
            .notifier: [.deliveries],
        ],
        // Whoever has arrived, or needs longer, says so without waiting.
        isLimited: { !($0.method == .post && $0.path.hasPrefix("/v1/watches/")) })

    static func main() { exit(Host.run(definition, make: make)) }

    static func make(_ host: Host) -> TimerService {
        TimerService(
            outside: host, database: host.database, metrics: host.metrics,
            settings: TimerCore.Settings(host.configuration),
            alarmURL: host.isRehearsal
                ? nil : host.configuration.optional(TimerSettings.alarmURL),
            retentionEvery: .seconds(
                host.configuration.int(TimerSettings.retention) * 60))
    }
}

extension Host: Surroundings {
    var replica: Replica { directory?.replica ?? Replica() }
}
