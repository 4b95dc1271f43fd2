import Runtime
import Store
import Web
import Wire

/// Everything that tells one service from another before its core is made.
public struct ServiceDefinition: Sendable {
    public var name: ServiceName
    /// One sentence for `--help`.
    public var summary: String
    /// Settings beside the common ones.
    public var settings: [Setting]
    /// Tables of the service, numbered from 1.
    public var migrations: [Migration]
    /// Streams consumed, by the service that keeps them.
    public var consumes: [ServiceName: [StreamName]]
    /// False for a service that owns nothing lasting: its store lives in memory.
    public var isDurable: Bool
    /// HTTP port setting of a service without a fixed port; nil = from the port base.
    public var portSetting: String?
    /// Body limits of paths that take more, or less, than the common one.
    public var bodyBytesByPath: [String: Int]
    /// Paths where a request counts whatever its body is.
    public var unreadBodyPaths: Set<String>
    /// Whether the host counts a request against the limits of its sender. A service whose requests
    /// need other limits, such as ingest, has its own and returns false for all.
    public var isLimited: @Sendable (Request) -> Bool
    /// Versions of the logic that an evaluator has, from the lowest to the highest.
    public var logic: ClosedRange<UInt16>
    /// With a new store, what others tell of before its first start is held like that of an outage.
    public var holdsWhenNew: Bool
    /// Reads what the service reads at its start beside its settings, such as files of secrets;
    /// what is not there and would be made is fine.
    public var check: @Sendable (Configuration) throws -> Void
    /// Looks at a store that is there, of a layout that is known, for what its start would refuse.
    public var checkStore: @Sendable (Configuration, Database) throws -> Void

    public init(
        name: ServiceName, summary: String, settings: [Setting] = [], migrations: [Migration] = [],
        consumes: [ServiceName: [StreamName]] = [:], isDurable: Bool = true,
        portSetting: String? = nil, bodyBytesByPath: [String: Int] = [:],
        unreadBodyPaths: Set<String> = [],
        isLimited: @escaping @Sendable (Request) -> Bool = { _ in true },
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
        self.bodyBytesByPath = bodyBytesByPath
        self.unreadBodyPaths = unreadBodyPaths
        self.isLimited = isLimited
        self.logic = logic
        self.holdsWhenNew = holdsWhenNew
        self.check = check
        self.checkStore = checkStore
    }
}
