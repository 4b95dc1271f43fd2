import API
import Model
import Runtime
import Store
import Web
import Wire

/// The static description of a service: name, settings, tables, streams and limits.
public struct ServiceDefinition: Sendable {
    public var name: ServiceName
    /// One sentence for `--help`.
    public var summary: String
    /// Settings besides ``CommonSettings``.
    public var settings: [Setting]
    /// Migrations of the service's own tables, numbered from 1.
    public var migrations: [Migration]
    /// Consumed streams, by the service that keeps them.
    public var consumes: [ServiceName: [StreamName]]
    /// Whether the store is on disk; false for a service without lasting state, whose store is in
    /// memory.
    public var isDurable: Bool
    /// Name of the setting with the HTTP port; nil = the port follows from `JAGA_PORT_BASE`.
    public var portSetting: String?
    /// Maximum number of open HTTP connections, if as many files may be open.
    public var connections: Int
    /// Whether the host counts a request against the rate limits of its sender. Ingest has limits
    /// of its own and returns false for all requests.
    public var isLimited: @Sendable (Request) -> Bool
    /// The operation that a request asks for; nil if there is none. The host checks by it which
    /// kinds of credentials are accepted.
    public var operation: @Sendable (Request) -> Operation?
    /// Logic versions that an evaluator can run.
    public var logic: ClosedRange<UInt16>
    /// Whether a new store holds items from before its first start as if it had had an outage.
    public var holdsWhenNew: Bool
    /// Checks what the service reads at its start besides its settings, such as files of secrets.
    /// Accepts a missing file that the start would create.
    public var check: @Sendable (Configuration) throws -> Void
    /// Checks an existing store of a known layout for anything that the start would reject.
    public var checkStore: @Sendable (Configuration, Database) throws -> Void

    public init(
        name: ServiceName, summary: String, settings: [Setting] = [], migrations: [Migration] = [],
        consumes: [ServiceName: [StreamName]] = [:], isDurable: Bool = true,
        portSetting: String? = nil, connections: Int = ServerLimits().connections,
        isLimited: @escaping @Sendable (Request) -> Bool = { _ in true },
        operation: @escaping @Sendable (Request) -> Operation? = { _ in nil },
        logic: ClosedRange<UInt16> = 1...1, holdsWhenNew: Bool = false,
        check: @escaping @Sendable (Configuration) throws -> Void = { _ in },
        checkStore: @escaping @Sendable (Configuration, Database) throws -> Void = { _, _ in }
    ) {
        self.name = name
        self.summary = summary
        self.settings = settings
        self.migrations = migrations
        self.consumes = consumes
        self.isDurable = isDurable
        self.portSetting = portSetting
        self.connections = connections
        self.isLimited = isLimited
        self.operation = operation
        self.logic = logic
        self.holdsWhenNew = holdsWhenNew
        self.check = check
        self.checkStore = checkStore
    }
}
