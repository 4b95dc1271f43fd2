import Glibc
import Hosting

/// `jaga-membership`: people, devices, circles and zones.
@main
struct Main {
    static let definition = ServiceDefinition(
        name: .membership,
        summary: "keeps people, devices, credentials, circles and zones and tells the others",
        migrations: Tables.migrations)

    static func main() {
        exit(Host.run(definition) { MembershipService($0) })
    }
}
