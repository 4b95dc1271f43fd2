import Bus
import Foundation
import Hashing
import Model
import Store
import Wire

/// A process of a test: a store, a bus, and effects in the transaction of their record.
final class Node {
    let world: World
    var configuration: Bus.Configuration
    let path: String
    private(set) var database: Database
    private(set) var bus: Bus?
    private(set) var faults: FaultyTransport?
    var notices: [BusNotice] = []
    /// Called for each record before its effect is written; may throw.
    var onApply: (StreamName, Position, Record) throws -> Void = { _, _, _ in }
    /// Returns the snapshot of a stream.
    var snapshot: (StreamName) throws -> [Record] = { _ in [] }
    /// Called within a turn after applying.
    var work: (Bus) throws -> Void = { _ in }
    var fate: FaultyTransport.Fate = { [$1] }
    var limit = 1000
    /// Whether its store is lost when it is killed.
    var isDisposable = false
    /// Called for each bus that the process opens, including the current one.
    var prepare: (Bus) -> Void = { _ in } {
        didSet { bus.map(prepare) }
    }
    /// Receives errors that roll back a turn; nil = only simulated errors are expected.
    var undone: ((any Error) -> Void)?
    /// Whether the process has no turns, as after SIGSTOP.
    var isHalted = false
    /// Whether the commit of the next turn fails.
    var failsNextCommit = false

    static let migrations =
        SQLiteBusStore.migrations + [
            Migration(
                number: 1,
                sql: """
                    CREATE TABLE effect (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT, sequence INTEGER,
                        id BLOB
                    ) STRICT
                    """)
        ]

    init(_ world: World, _ configuration: Bus.Configuration) throws {
        self.world = world
        self.configuration = configuration
        path = world.folder.file("\(configuration.name).sqlite")
        database = try Database(path: path, migrations: Node.migrations)
        // Simulated crashes lose no pages of the disk.
        if !world.carrier.isRealTime { try database.run("PRAGMA synchronous = OFF") }
        try open()
        world.add(self)
    }

    private func open() throws {
        let faults = FaultyTransport(try world.transport(configuration)) { [unowned self] in
            fate($0, $1)
        }
        self.faults = faults
        let bus = try Bus(
            configuration: configuration, store: SQLiteBusStore(database), transport: faults,
            newID: world.newID, clock: { [world] in world.now })
        bus.hooks.notice = { [unowned self] in notices.append($0) }
        bus.hooks.snapshot = { [unowned self] in StreamSnapshot(try snapshot($0)) }
        bus.hooks.replace = { [unowned self] stream, records, position in
            try database.run("DELETE FROM effect WHERE stream = ?", .text(stream.text))
            for record in records { try write(stream, 0, record) }
        }
        prepare(bus)
        self.bus = bus
        // A restarted process must have the same endpoints.
        configuration.publishEndpoint = faults.endpoints.publish
        configuration.controlEndpoint = faults.endpoints.control
        configuration.derivedEndpoint = faults.endpoints.derived
    }

    /// Kills the process, as by `kill -9`: an open transaction is lost.
    func kill() {
        database.rollback()
        bus?.close()
        bus = nil
    }

    /// Starts the process again with its store.
    func restart() throws {
        kill()
        if isDisposable {
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        database = try Database(path: path, migrations: Node.migrations)
        if !world.carrier.isRealTime { try database.run("PRAGMA synchronous = OFF") }
        for attempt in 1... {
            do {
                return try open()
            } catch let error as BusError where error.code == "address-in-use" && attempt < 500 {
                // The old socket is closed by a ZeroMQ thread.
                try world.run(for: .milliseconds(10))
            }
        }
    }

    /// Copies its store.
    func copy() throws {
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
    }

    /// Restarts the process with the copy.
    func restoreCopy() throws {
        kill()
        let files = FileManager.default
        for end in ["", "-wal", "-shm"] { try? files.removeItem(atPath: path + end) }
        try files.moveItem(atPath: path + ".copy", toPath: path)
        try restart()
    }

    func turn() throws {
        guard let bus, !isHalted else { return }
        do {
            try database.begin()
            try bus.receive(limit: limit) { [unowned self] stream, position, record in
                try onApply(stream, position, record)
                try write(stream, position.sequence, record)
            }
            try work(bus)
            if failsNextCommit {
                failsNextCommit = false
                throw CancellationError()
            }
            try database.commit()
            bus.committed()
        } catch {
            guard error is CancellationError || undone != nil else { throw error }
            undone?(error)
            database.rollback()
            try bus.rolledBack()
        }
        try bus.tick()
    }

    private func write(_ stream: StreamName, _ sequence: UInt64, _ record: Record) throws {
        try database.run(
            "INSERT INTO effect (stream, sequence, id) VALUES (?, ?, ?)", .text(stream.text),
            .integer(sequence), .id(record.id))
    }

    // MARK: Appending

    /// Appends a number of records in a turn.
    @discardableResult
    func append(_ count: Int, to stream: StreamName, size: Int = 20, tag: String = "") throws
        -> [Record]
    {
        guard let bus else { return [] }
        try database.begin()
        var records: [Record] = []
        for _ in 0..<count {
            let record = Node.record(stream, bus.end(of: stream) + 1, size: size, tag: tag)
            try bus.append(record, to: stream)
            records.append(record)
        }
        try database.commit()
        bus.committed()
        return records
    }

    static func record(
        _ stream: StreamName, _ number: UInt64, size: Int = 20, tag: String = ""
    ) -> Record {
        Record(
            kind: 32, schema: 1, id: Hash.id(.text(stream.text), .number(number), .text(tag)),
            payload: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
    }

    // MARK: Inspecting

    /// Ids of the records that had an effect, in order.
    func effects(of stream: StreamName) throws -> [ID128] {
        try database.all(
            "SELECT id FROM effect WHERE stream = ? ORDER BY number", .text(stream.text)
        ) { $0.id(0) }
    }

    /// Ids of the records of a served stream.
    func log(of stream: StreamName) throws -> [ID128] {
        guard let position = bus?.position(of: stream) else { return [] }
        return try SQLiteBusStore(database).records(
            of: stream, after: 0, through: position.sequence, bytesMax: .max
        ).map(\.record.id)
    }

    /// The position of a record in a served stream.
    func position(_ sequence: UInt64, of stream: StreamName) throws -> Position {
        let life = bus?.position(of: stream)?.incarnation ?? .zero
        let hash = try SQLiteBusStore(database).hash(of: stream, at: sequence)
        return Position(incarnation: life, sequence: sequence, hash: hash ?? 0)
    }

    func hasAll(of stream: StreamName, from writer: Node) throws -> Bool {
        guard try effectCount(of: stream) >= Int(writer.bus?.end(of: stream) ?? 0) else {
            return false
        }
        return try effects(of: stream) == writer.log(of: stream)
    }

    func effectCount(of stream: StreamName) throws -> Int {
        try database.first(
            "SELECT count(*) FROM effect WHERE stream = ?", .text(stream.text)
        ) { $0.int(0) } ?? 0
    }
}

extension World {
    /// A process that serves streams.
    func writer(_ name: String = "writer", _ served: [Bus.Served]) throws -> Node {
        var configuration = Bus.Configuration(name: name)
        configuration.served = served
        configuration.publishEndpoint = endpoint("\(name).publish")
        configuration.controlEndpoint = endpoint("\(name).control")
        if served.contains(where: \.isDerived) {
            configuration.derivedEndpoint = endpoint("\(name).computed")
        }
        return try Node(self, configuration)
    }

    /// A process that follows streams of a publisher.
    func consumer(
        _ name: String = "consumer", of writer: Node, _ streams: [StreamName],
        computes: [StreamName] = [], _ change: (inout Bus.Configuration) -> Void = { _ in }
    ) throws -> Node {
        var configuration = Bus.Configuration(name: name)
        configuration.peers = [
            Bus.Peer(
                name: writer.configuration.name,
                publishEndpoint: writer.configuration.publishEndpoint ?? "",
                controlEndpoint: writer.configuration.controlEndpoint ?? "", streams: streams,
                computes: computes, derivedEndpoint: writer.configuration.derivedEndpoint)
        ]
        change(&configuration)
        return try Node(self, configuration)
    }
}

extension StreamName {
    static func input(_ number: Int) -> StreamName { Partition(number).map { .input($0) } ?? .sos }
    static func events(_ number: Int) -> StreamName {
        Partition(number).map { .events($0) } ?? .sos
    }
}
