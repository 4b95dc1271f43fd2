import Model
import Store
import Web
import Wire

@testable import Bus
@testable import Hosting
@testable import Runtime

/// The place of a process: there it runs, dies and is started again, over the same disk.
final class Seat {
    /// A process as long as it lives.
    struct Life {
        let host: Host
        let service: Meddled
        let transport: SimulatedTransport
        let door: SimulatedDoor
        let courier: SimulatedCourier
        let mouth: Mouth
    }

    let name: String
    private(set) var program: Program
    /// Of the next release: run from the second start on.
    var upgrade: Program?
    /// Nil for a process that has none.
    let disk: Disk?
    private(set) var life: Life?
    private unowned let world: World
    /// When its next turn is.
    private(set) var turn = Int64.max
    private var lastTurn: Int64 = 0
    /// When a dead process is started again.
    var startsAt = Int64.max
    var stoppedUntil: Int64 = 0
    var diskFullUntil: Int64 = 0
    /// What is to go wrong in the coming turn.
    var spoilsCommit = false
    private(set) var starts = 0
    private(set) var notices: [BusNotice] = []
    let archive = Archive()
    /// Bugs that a test has planted here.
    let plant: Plant?

    init(_ name: String, _ program: Program, in world: World) throws {
        self.name = name
        self.program = program
        self.world = world
        plant = world.plant
        disk = program.definition.isDurable ? try Disk(migrations: program.migrations) : nil
    }

    var service: ServiceName { program.name }

    /// The stores of all who keep streams.
    var keepers: [Database] { world.seats.compactMap { $0.disk?.database } }

    // MARK: Life and death

    /// Starts the process over its disk.
    func start() throws {
        starts += 1
        if starts > 1, let upgrade { program = upgrade }
        startsAt = .max
        let database =
            try disk?.database ?? Database(path: ":memory:", migrations: program.migrations)
        let mouth = Mouth()
        let transport = SimulatedTransport(
            name, program.busConfiguration, in: world.network, instance: world.newNumber(),
            mouth: mouth)
        let door = SimulatedDoor(mouth: mouth)
        let courier = SimulatedCourier(carrier: world.carrier, mouth: mouth)
        let clock = SystemClock(source: { [unowned world] in
            (world.wallNanoseconds, world.now * 1_000_000)
        })
        let own = SQLiteBusStore(database)
        let store = plant?.store(own, database, of: self) ?? MiddleStore(own, archive: archive)
        let wire: any BusTransport = plant?.transport(transport, of: self) ?? transport
        let parts = HostParts(
            topology: program.topology, log: world.log(name), clock: clock, signals: nil,
            lock: nil, database: database, server: door, transfers: courier,
            bus: try Bus(
                configuration: program.busConfiguration,
                store: store, transport: wire,
                newID: SecureRandom.id,
                clock: { Moment(wall: clock.now, monotonic: clock.monotonic) }),
            directory: program.definition.consumes[.membership] == nil
                ? nil : ReplicaStore(database))
        let host = Host(
            definition: program.definition, configuration: program.configuration, parts: parts)
        let made = try program.make(host)
        let service = Meddled(plant?.service(made, of: self) ?? made)
        plant?.meddle(service, of: self)
        service.before = { [unowned self] in try spoilIfWanted(database) }
        try host.open(service)
        let tell = host.bus.hooks.notice
        host.bus.hooks.notice = { [unowned self] (notice: BusNotice) in
            notices.append(notice)
            self.world.trace.say("    \(name): \(notice)")
            tell(notice)
        }
        transport.wake = { [unowned self] in wake() }
        courier.wake = { [unowned self] in wake() }
        life = Life(
            host: host, service: service, transport: transport, door: door, courier: courier,
            mouth: mouth)
        lastTurn = world.now
        turn = world.now + 1
    }

    /// Its end, as by `kill -9`: what was said is said, what was not is not.
    func die(startingAgainAt time: Int64) {
        guard let life else { return }
        life.mouth.left = 0
        life.courier.stop()
        life.transport.close()
        life.host.database.rollback()
        self.life = nil
        turn = .max
        startsAt = time
        stoppedUntil = 0
    }

    /// Told to end, as by SIGTERM.
    func end() { life?.host.startLeaving() }

    /// A request comes to its door. False if there is nobody.
    func arrive(_ request: Request, answered: @escaping SimulatedDoor.Answered) -> Bool {
        guard let life else { return false }
        life.door.arrive(request, answered: answered)
        wake()
        return true
    }

    // MARK: Turns

    private func wake() {
        turn = max(min(turn, max(world.now + 1, lastTurn + pause)), stoppedUntil)
    }

    /// How long it has to wait for the processor.
    private var pause: Int64 {
        world.isCalm ? 100 : 1 + Int64(world.chance.below(world.faults.pace))
    }

    /// One turn of the loop, or what there is of one before its end.
    func step() {
        guard let life else { return }
        lastTurn = world.now
        life.host.step()
        spoilsCommit = false
        guard !life.host.isStopping else {
            world.trace.say("    \(name) ends by itself")
            life.host.close()
            return die(startingAgainAt: world.now + 500)
        }
        let wait = min(
            life.host.sleepMilliseconds, life.host.bus.waitMilliseconds ?? .max,
            life.door.waitMilliseconds ?? .max, life.courier.waitMilliseconds ?? .max)
        turn = max(lastTurn + pause, lastTurn + Int64(wait))
    }

    /// It does not run for a while, and knows nothing of it.
    func stop(until time: Int64) {
        stoppedUntil = time
        turn = max(turn, time)
    }

    private func spoilIfWanted(_ database: Database) throws {
        guard spoilsCommit || world.now < diskFullUntil else { return }
        guard let disk else { throw Spoilt() }
        try disk.spoil()
    }

    private struct Spoilt: Error {}
}
