import API
import Bus
import Directory
import Model
import Runtime
import Store
import Web
import Wire

/// Dependencies of a ``Host``. A process uses sockets and files; a simulation replaces them.
struct HostParts {
    var topology: Topology
    var log: Log
    var clock: SystemClock
    /// Nil in simulations.
    var signals: Signals?
    /// Reports readiness to systemd; nil in simulations.
    var manager: ServiceManager?
    /// Ends the process if the loop hangs; nil in simulations.
    var watchdog: Watchdog?
    /// Held as long as the process lives; nil for a service whose store is in memory.
    var lock: LockFile?
    var database: Database
    var server: any HTTPServer
    /// Maximum number of open connections of ``server``.
    var connectionsMax = ServerLimits().connections
    var transfers: any HTTPClient
    var bus: Bus
    var directory: ReplicaStore?
    /// Nil for a service whose store is in memory.
    var disk: DiskGauge?
    /// How long items that became due in an outage are held.
    var hold = HostLimits.hold
    /// Whether nothing may be sent outside.
    var isDryRun = false
    /// Whether streams are used without keys: `JAGA_CURVE=never`.
    var isUnprotected = false
}

extension HostParts {
    /// Opens the parts of a process in this order, so that it fails early and clearly: settings,
    /// folder and lock, store, HTTP port, bus.
    init(
        _ definition: ServiceDefinition, _ configuration: Configuration, signals: Signals
    ) throws {
        self.signals = signals
        manager = try ServiceManager()
        watchdog = Watchdog(limit: HostLimits.turn)
        topology = Topology(configuration)
        hold = .seconds(configuration.int("JAGA_OUTAGE_HOLD_SECONDS"))
        isDryRun = configuration.flag("JAGA_DRY_RUN")
        log = Log(
            service: definition.name.rawValue,
            level: LogLevel(rawValue: configuration.text("JAGA_LOG_LEVEL")) ?? .info)
        clock = SystemClock()
        Files.restrictToOwner(configuration.text("JAGA_HOME") + "/jaga.conf")
        var storePath = ":memory:"
        if definition.isDurable {
            let folder = HostParts.folder(definition, configuration)
            try Files.makeFolder(folder, mode: 0o700)
            lock = try LockFile(path: folder + "/lock")
            try UnfinishedRestore.refuse(
                home: configuration.text("JAGA_HOME"), service: definition.name.rawValue)
            storePath = HostParts.store(in: folder)
            disk = DiskGauge(folder: folder, configuration)
        }
        if let folder = HostParts.keysToMake(definition, configuration, topology),
            try folder.generateOnce()
        {
            log.info("created stream keys", ["folder": folder.path])
        }
        try HostParts.refuseUnprotected(configuration, topology)
        let security = try BusSecurity.read(configuration, role: definition.name.role)
        isUnprotected = security == nil
        let rights = try RightsFile.read(configuration)
        database = try Database(path: storePath, migrations: HostParts.migrations(definition))
        let port = HostParts.httpPort(definition, configuration, topology)
        var limits = ServerLimits()
        limits.bodyBytesByPath = Operation.bodyBytesByPath(of: definition.name)
        limits.unreadBodyPaths = Operation.unreadBodyPaths(of: definition.name)
        limits.connections = min(definition.connections, max(64, OpenFiles.raise() - 256))
        connectionsMax = limits.connections
        limits.proxies = CommonSettings.proxies(configuration)
        server = try Server(address: topology.bindAddress, port: port, limits: limits)
        transfers = Transfers()
        directory =
            definition.consumes[.membership] == nil
            ? nil : ReplicaStore(database, rights: rights)
        var streams = HostParts.busConfiguration(
            definition, topology,
            keptFor: .seconds(configuration.int("JAGA_RETENTION_HOURS") * 3600))
        streams.security = security
        bus = try Bus(
            configuration: streams, store: SQLiteBusStore(database), clock: clock)
    }

    /// HTTP port of the service; 0 = any free port.
    static func httpPort(
        _ definition: ServiceDefinition, _ configuration: Configuration, _ topology: Topology
    ) -> Int {
        definition.portSetting.map(configuration.int) ?? topology.httpPort(definition.name)
    }

    /// Data folder of a durable service.
    static func folder(_ definition: ServiceDefinition, _ configuration: Configuration) -> String {
        configuration.text("JAGA_HOME") + "/" + definition.name.rawValue
    }

    static func store(in folder: String) -> String { folder + "/store.sqlite" }

    /// The folder in which this service creates the suite's stream keys; nil if they exist or
    /// another service or the operator must create them.
    static func keysToMake(
        _ definition: ServiceDefinition, _ configuration: Configuration, _ topology: Topology
    ) -> KeyFolder? {
        BusSecurity.folderForNewKeys(
            configuration, bindAddress: topology.bindAddress,
            hosts: ServiceName.keepers.map(topology.host))
    }

    /// Rejects streams without keys beyond this machine, whether this service binds or connects.
    ///
    /// - Throws: ``BusError``
    static func refuseUnprotected(
        _ configuration: Configuration, _ topology: Topology
    ) throws(BusError) {
        try BusSecurity.rejectUnprotected(
            configuration, bindAddress: topology.bindAddress,
            hosts: ServiceName.keepers.map(topology.host))
    }

    /// The migrations of every store, then the service's own.
    static func migrations(_ definition: ServiceDefinition) -> [Migration] {
        commonMigrations + definition.migrations
    }

    static let commonMigrations =
        SQLiteBusStore.migrations
        + [
            Migration(number: 1, sql: ReplicaStore.migrationSQL, component: "replica")
        ]
        + DeadLetterStore.migrations + [LastAlive.migration]

    /// - Parameter age: minimum age of records of own streams before they are pruned
    static func busConfiguration(
        _ definition: ServiceDefinition, _ topology: Topology,
        keptFor age: Duration = HostLimits.recordsKept
    ) -> Bus.Configuration {
        let name = definition.name
        var configuration = Bus.Configuration(name: name.rawValue)
        configuration.logic = definition.logic
        if !name.served.isEmpty {
            configuration.served = name.served.map { HostParts.served($0, keptFor: age) }
            configuration.publishEndpoint = topology.bindEndpoint(port: topology.publishPort(name))
            configuration.controlEndpoint = topology.bindEndpoint(port: topology.controlPort(name))
        }
        for writer in ServiceName.allCases {
            guard let streams = definition.consumes[writer], !streams.isEmpty else { continue }
            var peer = Bus.Peer(writer, in: topology, streams: streams)
            if name == .evaluator, writer == .ingest {
                peer.streams = []
                peer.assignsPartitions = true
                peer.derivedEndpoint = topology.peerEndpoint(
                    .ingest, port: topology.derivedPort)
            }
            configuration.peers.append(peer)
        }
        if name == .ingest {
            configuration.derivedEndpoint = topology.bindEndpoint(port: topology.derivedPort)
            configuration.inputsEndpoint = topology.bindEndpoint(port: topology.inputsPort)
        }
        return configuration
    }

    /// How a stream is served: `directory` and `deadlines` have snapshots, inputs have checkpoints,
    /// and evaluators derive `events`.
    private static func served(_ stream: StreamName, keptFor age: Duration) -> Bus.Served {
        var served = Bus.Served(stream, retention: stream.retention(keptFor: age))
        switch stream {
        case .directory, .deadlines, .input: served.isSnapshotable = true
        case .events: served.isDerived = true
        default: break
        }
        return served
    }
}
