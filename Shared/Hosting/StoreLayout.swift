import Store
import Wire

/// How far this version knows the layout of each service's store, for whoever looks at one without
/// its service.
public enum StoreLayout {
    /// The last step of a service's own tables; the steps are in its program.
    private static let own: [ServiceName: Int] = [
        .ingest: 20, .membership: 3, .timer: 4, .notifier: 4,
    ]

    /// The last step of each component that a service's store may have; its own has no name.
    public static func newest(of service: ServiceName) -> [String: Int] {
        var newest = lastSteps(of: HostParts.commonMigrations + [KeptAnswers.migration])
        newest[""] = own[service]
        return newest
    }

    /// Whether ``newest(of:)`` is what a service makes.
    static func agrees(with definition: ServiceDefinition) -> Bool {
        let made = lastSteps(of: HostParts.migrations(definition))
        let known = newest(of: definition.name)
        return made.allSatisfy { known[$0.key] == $0.value }
    }

    private static func lastSteps(of migrations: [Migration]) -> [String: Int] {
        migrations.reduce(into: [:]) { $0[$1.component] = max($0[$1.component] ?? 0, $1.number) }
    }
}
