import EvaluatorCore
import Model
import Runtime
import Wire

@testable import Bus
@testable import Hosting

/// The whole suite in one process: five programs over disks of memory, a network, gateways, phones
/// and people, and one clock. Everything that happens follows from a seed.
final class World {
    let seed: UInt64
    let faults: Faults
    let plant: Plant?
    /// What evaluators may decide by.
    let logics: EvaluatorLogics
    /// Milliseconds since the beginning.
    private(set) var now: Int64 = 0
    /// How far the wall clock was set by somebody, milliseconds.
    var wallOffset: Int64 = 0
    /// Turns that processes have taken.
    private(set) var step = 0
    /// Nothing goes wrong: in the beginning and at the end.
    private(set) var isCalm = true
    var chance: Chance
    var trace: Trace
    var facts = Facts()

    private(set) var seats: [Seat] = []
    private(set) var network: Network!
    private(set) var carrier: Carrier!
    private(set) var errands: Errands!
    private(set) var household: Household!
    private(set) var helpers: Helpers!
    private var admin: Operator!
    private var mishaps: Mishaps!
    private var rogues: [Rogue] = []
    private var agenda = Agenda<() -> Void>()
    private var numbers: UInt64 = 0
    private let logDescriptor: Int32

    /// Wall time at the beginning, milliseconds since 1970.
    private static let begun: Int64 = 1_795_000_000_000

    /// - Parameters:
    ///   - programs: by their names
    ///   - upgrade: the next release of evaluators
    ///   - logics: the versions of the logic that the newest of them runs
    ///   - plant: a bug of a test
    ///   - keepsWords: whether the trace can be read
    init(
        seed: UInt64, faults: Faults? = nil, programs: [ServiceName: Program],
        upgrade: Program? = nil, logics: EvaluatorLogics = .current, plant: Plant? = nil,
        keepsWords: Bool = false
    ) throws {
        self.seed = seed
        self.plant = plant
        self.logics = logics
        var chance = Chance(seed: seed)
        var swarm = chance.fork()
        self.faults = faults ?? Faults(&swarm)
        self.chance = chance.fork()
        trace = Trace(keepsWords: keepsWords)
        logDescriptor = keepsWords ? 2 : -1
        network = Network(self, chance.fork())
        carrier = Carrier(self, chance.fork())
        errands = Errands(self, chance.fork())
        household = Household(self)
        helpers = Helpers(self, chance.fork())
        admin = Operator(self, chance.fork())
        mishaps = Mishaps(self, chance.fork())
        carrier.delivered = { [unowned self] in helpers.hear($0) }
        for name in [ServiceName.ingest, .membership, .timer, .notifier] {
            guard let program = programs[name] else { continue }
            seats.append(try Seat(name.rawValue, program, in: self))
        }
        for number in 1...self.faults.evaluators {
            guard let program = programs[.evaluator] else { continue }
            let seat = try Seat("evaluator-\(number)", program, in: self)
            seat.upgrade = upgrade
            seats.append(seat)
        }
        guard let program = programs[.evaluator] else { return }
        for _ in 0..<self.faults.rogues { rogues.append(Rogue(self, program, chance.fork())) }
    }

    // MARK: Time

    var wallNanoseconds: Int64 { (World.begun + now + wallOffset) * 1_000_000 }
    /// What phones take for the time.
    var trueTime: Timestamp { Timestamp(milliseconds: World.begun + now) }

    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        agenda.add(action, at: now + max(0, milliseconds))
    }

    /// A number that nobody had before.
    func newNumber() -> UInt64 {
        numbers += 1
        return numbers
    }

    func log(_ name: String) -> Log {
        Log(service: name, level: trace.keepsWords ? .warning : .error, descriptor: logDescriptor)
    }

    var mishapCounts: [String: Int] { mishaps.counts }

    func seat(_ service: ServiceName) -> Seat {
        guard let seat = seats.first(where: { $0.service == service }) else {
            fatalError("every service has a seat")
        }
        return seat
    }

    // MARK: The three acts

    /// Everything is started and people get to know each other.
    func settle() throws {
        for seat in seats { try seat.start() }
        household.begin()
        try run(stepsMax: 5000) { household.isReady && isWhole }
        guard household.isReady, isWhole else {
            throw Objection("the suite does not even come up: \(unrest)")
        }
    }

    /// Everything goes wrong that can.
    func rage(steps: Int) throws {
        isCalm = false
        trace.say("faults: \(faults)")
        for person in household.everybody { person.phone?.live() }
        admin.live()
        for rogue in rogues { rogue.live() }
        let end = step + steps
        while step < end { try advance() }
    }

    /// Nothing goes wrong any more: everything has to become whole.
    func rest(stepsMax: Int) throws {
        trace.say("calm")
        isCalm = true
        mishaps.end()
        try run(stepsMax: stepsMax) { isAtRest }
        guard isAtRest else { throw Objection("the suite does not become whole: \(unrest)") }
    }

    private func run(stepsMax: Int, until condition: () -> Bool) throws {
        let end = step + stepsMax
        while step < end {
            for _ in 0..<10 { try advance() }
            if condition() { return }
        }
    }

    /// Lets happen what comes next, up to and with the next turn of a process.
    private func advance() throws {
        while true {
            let times = seats.map { min($0.turn, $0.startsAt) }
            let turn = times.min() ?? .max
            let next = min(turn, network.next ?? .max, agenda.next ?? .max)
            now = max(now, next)
            network.deliver()
            if let action = agenda.pop(at: now) {
                action()
                continue
            }
            guard let seat = seats.first(where: { min($0.turn, $0.startsAt) <= now }) else {
                continue
            }
            step += 1
            trace.note(UInt64(now) << 8 | UInt64(seat.name.utf8.last ?? 0))
            if seat.startsAt <= now {
                trace.say("\(step) \(now) \(seat.name) starts")
                return try seat.start()
            }
            trace.say("\(step) \(now) \(seat.name)")
            return try mishaps.take(seat)
        }
    }

    // MARK: Wholeness

    /// Everybody runs and has heard everything.
    private var isWhole: Bool { unrest.isEmpty }

    /// … and nothing is left to do.
    private var isAtRest: Bool {
        errands.open == 0 && isWhole && Oracle(self).waits.isEmpty
    }

    /// What keeps the suite from being whole, as sentences.
    private var unrest: [String] {
        seats.flatMap { seat -> [String] in
            guard let life = seat.life else { return ["\(seat.name) does not run"] }
            let troubles = life.host.troubles.filter { trouble in
                !World.lasting.contains(where: trouble.hasPrefix)
                    && !trouble.contains(" was revoked at ")
            }
            return (troubles + unheard(by: life.host.bus)).map { "\(seat.name): \($0)" }
        } + undecided + Oracle(self).waits
    }

    /// Troubles that stay until somebody does something about them, or until the next message.
    private static let lasting = ["nobody was told", "gateway ", "the clock of"]

    /// Streams of which a consumer has not applied everything that their keeper has.
    private func unheard(by bus: Bus) -> [String] {
        bus.lags.compactMap { lag in
            let keeper = ServiceName(rawValue: lag.peer).flatMap { seat($0).life?.host.bus }
            let isWhole = lag.isLive && keeper?.position(of: lag.stream) == lag.position
            return isWhole ? nil : "\(lag.stream) is not applied"
        }
    }

    /// Partitions of which not all is decided, or not all decisions are in the log.
    private var undecided: [String] {
        guard let keeper = seat(.ingest).life?.host.bus else { return [] }
        let owners = seats.filter { $0.service == .evaluator }.compactMap { $0.life?.host.bus }
        return Partition.all.compactMap { partition in
            guard let end = keeper.position(of: .input(partition)), end.sequence > 0 else {
                return nil
            }
            let holders = owners.filter { owner in
                owner.holdings.contains { $0.partition == partition }
            }
            let isDecided = holders.contains { owner in
                owner.isSettled(partition) && owner.position(of: .input(partition)) == end
            }
            return isDecided ? nil : "partition \(partition) is not decided"
        }
    }
}
