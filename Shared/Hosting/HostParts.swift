import Bus
import Directory
import Model
import Runtime
import Store
import Web
import Wire

/// What a ``Host`` is put together from. A process has descriptors; a simulation has things of its
/// own in their place.
struct HostParts {
    var topology: Topology
    var log: Log
    var clock: SystemClock
    /// Nil where nobody sends any.
    var signals: Signals?
    /// Nil where nobody wants to hear how the process goes.
    var manager: ServiceManager?
    /// Nil where the loop may stand still.
    var watchdog: Watchdog?
    /// Held as long as the process lives; nil for a service without a disk.
    var lock: LockFile?
    var database: Database
    var server: any Door
    var transfers: any Courier
    var bus: Bus
    var directory: ReplicaStore?
    /// Nil for a service without a disk.
    var disk: DiskGauge?
    /// How long what became due in an outage is held.
    var hold = HostLimits.hold
    /// Nothing leaves to anybody outside.
    var isRehearsal = false
    /// Streams are used without keys: `JAGA_CURVE=never`.
    var isUnprotected = false
}

extension HostParts {
    /// Those of a process, opened in an order that fails early and clearly: settings, folder and
    /// lock, store, HTTP port, bus.
    init(
        _ definition: ServiceDefinition, _ configuration: Configuration, signals: Signals
    ) throws {
        self.signals = signals
        manager = try ServiceManager()
        watchdog = Watchdog(limit: HostLimits.turn)
        topology = Topology(configuration)
        hold = .seconds(configuration.int("JAGA_HOLD_SECONDS"))
        isRehearsal = configuration.flag("JAGA_REHEARSAL")
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
            try folder.makeOnce()
        {
            log.info("made keys for streams", ["folder": folder.path])
        }
        try HostParts.refuseUnprotected(configuration, topology)
        let security = try BusSecurity.read(configuration, role: definition.name.role)
        isUnprotected = security == nil
        database = try Database(path: storePath, migrations: HostParts.migrations(definition))
        let port = HostParts.httpPort(definition, configuration, topology)
        var limits = ServerLimits()
        limits.bodyBytesByPath = definition.bodyBytesByPath
        limits.unreadBodyPaths = definition.unreadBodyPaths
        limits.connections = min(limits.connections, max(64, OpenFiles.raise() - 256))
        limits.proxies = CommonSettings.proxies(configuration)
        server = try Server(address: topology.bindAddress, port: port, limits: limits)
        transfers = Transfers()
        directory =
            definition.consumes[.membership] == nil ? nil : ReplicaStore(database)
        var streams = HostParts.busConfiguration(
            definition, topology,
            keptFor: .seconds(configuration.int("JAGA_RETENTION_HOURS") * 3600))
        streams.security = security
        bus = try Bus(
            configuration: streams, store: SQLiteBusStore(database), clock: clock)
    }

    /// Where the service's HTTP is; 0: any free port.
    static func httpPort(
        _ definition: ServiceDefinition, _ configuration: Configuration, _ topology: Topology
    ) -> Int {
        definition.portSetting.map(configuration.int) ?? topology.httpPort(definition.name)
    }

    /// Where a durable service keeps what is its own.
    static func folder(_ definition: ServiceDefinition, _ configuration: Configuration) -> String {
        configuration.text("JAGA_HOME") + "/" + definition.name.rawValue
    }

    static func store(in folder: String) -> String { folder + "/store.sqlite" }

    /// The folder in which this service makes the keys of the suite; nil where they are there
    /// already, or somebody else has to make them.
    static func keysToMake(
        _ definition: ServiceDefinition, _ configuration: Configuration, _ topology: Topology
    ) -> KeyFolder? {
        BusSecurity.folderToFill(
            configuration, bindAddress: topology.bindAddress,
            hosts: ServiceName.keepers.map(topology.host))
    }

    /// Refuses streams without keys beyond this machine, whether this service binds or connects.
    static func refuseUnprotected(
        _ configuration: Configuration, _ topology: Topology
    ) throws(BusError) {
        try BusSecurity.refuseUnprotected(
            configuration, bindAddress: topology.bindAddress,
            hosts: ServiceName.keepers.map(topology.host))
    }

    /// The tables that every store has, then the service's own.
    static func migrations(_ definition: ServiceDefinition) -> [Migration] {
        commonMigrations + definition.migrations
    }

    static let commonMigrations =
        SQLiteBusStore.migrations
        + [
            Migration(number: 1, sql: ReplicaStore.migrationSQL, component: "replica")
        ]
        + PoisonStore.migrations + [Attendance.migration]

    /// - Parameter age: how long records of own streams are kept at least
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
                peer.isShared = true
                peer.computedEndpoint = topology.peerEndpoint(
                    .ingest, port: topology.computedPort)
            }
            configuration.peers.append(peer)
        }
        if name == .ingest {
            configuration.computedEndpoint = topology.bindEndpoint(port: topology.computedPort)
            configuration.inputsEndpoint = topology.bindEndpoint(port: topology.inputsPort)
        }
        return configuration
    }

    /// The directory and deadlines have a state to hand out, and inputs have checkpoints; what
    /// evaluators decided is computed by them.
    private static func served(_ stream: StreamName, keptFor age: Duration) -> Bus.Served {
        var served = Bus.Served(stream, retention: stream.retention(keptFor: age))
        switch stream {
        case .directory, .fired, .input: served.isSnapshotable = true
        case .events: served.isComputed = true
        default: break
        }
        return served
    }
}
