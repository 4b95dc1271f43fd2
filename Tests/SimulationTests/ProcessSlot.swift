import Model
import Store
import Web
import Wire

@testable import Bus
@testable import Hosting
@testable import Runtime

/// The slot of a process, which runs, is killed and is restarted on the same disk.
final class ProcessSlot {
    /// A running process.
    struct Life {
        let host: Host
        let service: InterceptedService
        let transport: SimulatedTransport
        let httpServer: SimulatedHTTPServer
        let httpClient: SimulatedHTTPClient
        let gate: OutputGate
    }

    let name: String
    private(set) var program: Program
    /// The program of the next release, run from the second start on.
    var upgrade: Program?
    /// Nil for a process without a disk.
    let disk: Disk?
    private(set) var life: Life?
    private unowned let world: World
    /// When its next turn is due.
    private(set) var turn = Int64.max
    private var lastTurn: Int64 = 0
    /// When a killed process is restarted.
    var startsAt = Int64.max
    var stoppedUntil: Int64 = 0
    var diskFullUntil: Int64 = 0
    /// The fault of the coming turn.
    var preventsCommit = false
    private(set) var starts = 0
    private(set) var notices: [BusNotice] = []
    let archive = Archive()
    /// Planted bugs.
    let plant: PlantedBug?

    init(_ name: String, _ program: Program, in world: World) throws {
        self.name = name
        self.program = program
        self.world = world
        plant = world.plant
        disk = program.definition.isDurable ? try Disk(migrations: program.migrations) : nil
    }

    var service: ServiceName { program.name }

    /// The stores of all processes that keep streams.
    var databases: [Database] { world.slots.compactMap { $0.disk?.database } }

    // MARK: Start and end

    /// Starts the process on its disk.
    func start() throws {
        starts += 1
        if starts > 1, let upgrade { program = upgrade }
        startsAt = .max
        let database =
            try disk?.database ?? Database(path: ":memory:", migrations: program.migrations)
        let gate = OutputGate()
        let transport = SimulatedTransport(
            name, program.busConfiguration, in: world.network, instance: world.newNumber(),
            gate: gate)
        let httpServer = SimulatedHTTPServer(gate: gate)
        let httpClient = SimulatedHTTPClient(carrier: world.carrier, gate: gate)
        let clock = SystemClock(source: { [unowned world] in
            (world.wallNanoseconds, world.now * 1_000_000)
        })
        let own = SQLiteBusStore(database)
        let store =
            plant?.store(own, database, of: self) ?? RecordingBusStore(own, archive: archive)
        let wire: any BusTransport = plant?.transport(transport, of: self) ?? transport
        let parts = HostParts(
            topology: program.topology, log: world.log(name), clock: clock, signals: nil,
            lock: nil, database: database, server: httpServer, transfers: httpClient,
            bus: try Bus(
                configuration: program.busConfiguration,
                store: store, transport: wire,
                newID: SecureRandom.id,
                clock: { Moment(wall: clock.now, monotonic: clock.monotonic) }),
            directory: program.definition.consumes[.membership] == nil
                ? nil : ReplicaStore(database))
        let host = Host(
            definition: program.definition, configuration: program.configuration, parts: parts)
        let created = try program.make(host)
        let service = InterceptedService.wrap(plant?.service(created, of: self) ?? created)
        plant?.meddle(service, of: self)
        service.before = { [unowned self] in try preventCommit(database) }
        try host.open(service)
        let notify = host.bus.hooks.notice
        host.bus.hooks.notice = { [unowned self] (notice: BusNotice) in
            notices.append(notice)
            self.world.trace.append("    \(name): \(notice)")
            notify(notice)
        }
        transport.wake = { [unowned self] in wake() }
        httpClient.wake = { [unowned self] in wake() }
        life = Life(
            host: host, service: service, transport: transport, httpServer: httpServer,
            httpClient: httpClient,
            gate: gate)
        lastTurn = world.now
        turn = world.now + 1
    }

    /// Kills it, as by `kill -9`. Unsent output is lost.
    func die(startingAgainAt time: Int64) {
        guard let life else { return }
        life.gate.left = 0
        life.httpClient.stop()
        life.transport.close()
        life.host.database.rollback()
        self.life = nil
        turn = .max
        startsAt = time
        stoppedUntil = 0
    }

    /// Requests a stop, as by SIGTERM.
    func end() { life?.host.beginShutdown() }

    /// Delivers a request. False if the process is not running.
    func arrive(_ request: Request, answered: @escaping SimulatedHTTPServer.Answered) -> Bool {
        guard let life else { return false }
        life.httpServer.arrive(request, answered: answered)
        wake()
        return true
    }

    // MARK: Turns

    private func wake() {
        turn = max(min(turn, max(world.now + 1, lastTurn + pause)), stoppedUntil)
    }

    /// How long it waits for the processor.
    private var pause: Int64 {
        world.isQuiet ? 100 : 1 + Int64(world.chance.below(world.faults.pace))
    }

    /// One turn of the loop, or the part of it before its death.
    func step() {
        guard let life else { return }
        lastTurn = world.now
        life.host.step()
        preventsCommit = false
        guard !life.host.isStopping else {
            world.trace.append("    \(name) ends by itself")
            life.host.close()
            return die(startingAgainAt: world.now + 500)
        }
        let wait = min(
            life.host.sleepMilliseconds, life.host.bus.waitMilliseconds ?? .max,
            life.httpServer.waitMilliseconds ?? .max, life.httpClient.waitMilliseconds ?? .max)
        turn = max(lastTurn + pause, lastTurn + Int64(wait))
    }

    /// Suspends it, as by SIGSTOP.
    func stop(until time: Int64) {
        stoppedUntil = time
        turn = max(turn, time)
    }

    private func preventCommit(_ database: Database) throws {
        guard preventsCommit || world.now < diskFullUntil else { return }
        guard let disk else { throw CommitPrevented() }
        try disk.preventCommit()
    }

    private struct CommitPrevented: Error {}
}
