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
                help: "Folder of the system's time zones, for the clocks of zones."),
            Setting(
                "JAGA_PUBLIC_URL", .url(["http", "https"]),
                help: "Where phones reach this suite, for what sets them up; else callers say."),
        ],
        migrations: Tables.migrations, bodyBytesByPath: ["/v1/sets/": Limits.setBodyBytes])

    static func main() {
        exit(Host.run(definition) { MembershipService($0) })
    }
}
