import Model
import Store
import Wire

/// Newest layout of each service's store that this version knows, for tools that open a store
/// without its service.
public enum StoreLayout {
    /// Number of the last migration of a service's own tables, which its executable contains.
    private static let own: [ServiceName: Int] = [
        .ingest: 25, .membership: 11, .timer: 6, .notifier: 12,
    ]

    /// Number of the last migration of each component in a service's store. The service's own
    /// component has an empty name.
    public static func newest(of service: ServiceName) -> [String: Int] {
        var newest = lastNumbers(of: HostParts.commonMigrations + [IdempotencyStore.migration])
        newest[""] = own[service]
        return newest
    }

    /// Whether ``newest(of:)`` agrees with the migrations of a service.
    static func agrees(with definition: ServiceDefinition) -> Bool {
        let actual = lastNumbers(of: HostParts.migrations(definition))
        let known = newest(of: definition.name)
        return actual.allSatisfy { known[$0.key] == $0.value }
    }

    private static func lastNumbers(of migrations: [Migration]) -> [String: Int] {
        migrations.reduce(into: [:]) { $0[$1.component] = max($0[$1.component] ?? 0, $1.number) }
    }
}
