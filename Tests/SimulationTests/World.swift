import Collections
import EvaluatorCore
import Model
import Runtime
import Wire

@testable import Bus
@testable import Hosting

/// The whole suite in one process: five services over in-memory disks, a network, gateways, phones
/// and people, and one clock. Everything follows from a seed.
final class World {
    let seed: UInt64
    let faults: Faults
    let plant: PlantedBug?
    /// The versions of the logic that evaluators support.
    let logics: EvaluatorLogics
    /// Milliseconds since the start.
    private(set) var now: Int64 = 0
    /// Offset of the wall clock, milliseconds.
    var wallOffset: Int64 = 0
    /// Number of turns so far.
    private(set) var step = 0
    /// Whether faults are off: at the start and at the end.
    private(set) var isQuiet = true
    var chance: SeededRandom
    var trace: Trace
    var facts = Facts()

    private(set) var slots: [ProcessSlot] = []
    private(set) var network: Network!
    private(set) var carrier: Carrier!
    private(set) var clientRequests: ClientRequests!
    private(set) var household: Household!
    private(set) var responders: Responders!
    private var admin: Operator!
    private var faultInjector: FaultInjector!
    private var rogues: [Rogue] = []
    private var actionQueue = DeadlineQueue<() -> Void>()
    private var numbers: UInt64 = 0
    private let logDescriptor: Int32

    /// Wall time at the start, milliseconds since 1970.
    private static let startMilliseconds: Int64 = 1_795_000_000_000

    /// - Parameters:
    ///   - programs: by service name
    ///   - upgrade: the next release of evaluators
    ///   - logics: versions of the logic of the newest of them
    ///   - plant: a planted bug
    ///   - keepsWords: whether to keep a readable trace
    init(
        seed: UInt64, faults: Faults? = nil, programs: [ServiceName: Program],
        upgrade: Program? = nil, logics: EvaluatorLogics = .current, plant: PlantedBug? = nil,
        keepsText: Bool = false
    ) throws {
        self.seed = seed
        self.plant = plant
        self.logics = logics
        var chance = SeededRandom(seed: seed)
        var swarm = chance.fork()
        self.faults = faults ?? Faults(&swarm)
        self.chance = chance.fork()
        trace = Trace(keepsText: keepsText)
        logDescriptor = keepsText ? 2 : -1
        network = Network(self, chance.fork())
        carrier = Carrier(self, chance.fork())
        clientRequests = ClientRequests(self, chance.fork())
        household = Household(self)
        responders = Responders(self, chance.fork())
        admin = Operator(self, chance.fork())
        faultInjector = FaultInjector(self, chance.fork())
        carrier.delivered = { [unowned self] in responders.receive($0) }
        for name in [ServiceName.ingest, .membership, .timer, .notifier] {
            guard let program = programs[name] else { continue }
            slots.append(try ProcessSlot(name.rawValue, program, in: self))
        }
        for number in 1...self.faults.evaluators {
            guard let program = programs[.evaluator] else { continue }
            let slot = try ProcessSlot("evaluator-\(number)", program, in: self)
            slot.upgrade = upgrade
            slots.append(slot)
        }
        guard let program = programs[.evaluator] else { return }
        for _ in 0..<self.faults.rogues { rogues.append(Rogue(self, program, chance.fork())) }
    }

    // MARK: Time

    var wallNanoseconds: Int64 { (World.startMilliseconds + now + wallOffset) * 1_000_000 }
    /// The time on phones.
    var trueTime: Timestamp { Timestamp(milliseconds: World.startMilliseconds + now) }

    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        actionQueue.insert(action, due: Timestamp(milliseconds: now + max(0, milliseconds)))
    }

    /// A unique number.
    func newNumber() -> UInt64 {
        numbers += 1
        return numbers
    }

    func log(_ name: String) -> Log {
        Log(service: name, level: trace.keepsText ? .warning : .error, descriptor: logDescriptor)
    }

    var injectedFaultCounts: [String: Int] { faultInjector.counts }

    func slot(_ service: ServiceName) -> ProcessSlot {
        guard let slot = slots.first(where: { $0.service == service }) else {
            fatalError("every service has a slot")
        }
        return slot
    }

    // MARK: Phases

    /// Starts everything and sets up people and circles.
    func setUp() throws {
        for slot in slots { try slot.start() }
        household.begin()
        try run(stepsMax: 5000) { household.isReady && isComplete }
        guard household.isReady, isComplete else {
            throw Objection("the suite does not start: \(pendingProblems)")
        }
    }

    /// Runs with faults.
    func runWithFaults(steps: Int) throws {
        isQuiet = false
        trace.append("faults: \(faults)")
        for person in household.everyone { person.phone?.live() }
        admin.live()
        for rogue in rogues { rogue.live() }
        let end = step + steps
        while step < end { try advance() }
    }

    /// Runs without faults until everything has recovered.
    func runToRest(stepsMax: Int) throws {
        trace.append("no more faults")
        isQuiet = true
        faultInjector.end()
        try run(stepsMax: stepsMax) { isAtRest }
        guard isAtRest else { throw Objection("the suite does not recover: \(pendingProblems)") }
    }

    private func run(stepsMax: Int, until condition: () -> Bool) throws {
        let end = step + stepsMax
        while step < end {
            for _ in 0..<10 { try advance() }
            if condition() { return }
        }
    }

    /// Advances to the next event, up to and including the next turn of a process.
    private func advance() throws {
        while true {
            let times = slots.map { min($0.turn, $0.startsAt) }
            let turn = times.min() ?? .max
            let action = actionQueue.nextDue.map { $0.microseconds / 1000 }
            let next = min(turn, network.next ?? .max, action ?? .max)
            now = max(now, next)
            network.deliver()
            if let action = actionQueue.pop(due: Timestamp(milliseconds: now)) {
                action()
                continue
            }
            guard let slot = slots.first(where: { min($0.turn, $0.startsAt) <= now }) else {
                continue
            }
            step += 1
            trace.record(UInt64(now) << 8 | UInt64(slot.name.utf8.last ?? 0))
            if slot.startsAt <= now {
                trace.append("\(step) \(now) \(slot.name) starts")
                return try slot.start()
            }
            trace.append("\(step) \(now) \(slot.name)")
            return try faultInjector.runTurn(of: slot)
        }
    }

    // MARK: Recovery

    /// Whether every service runs and has applied everything.
    private var isComplete: Bool { pendingProblems.isEmpty }

    /// Whether everything is applied and no work is pending.
    private var isAtRest: Bool {
        clientRequests.open == 0 && isComplete && Oracle(self).waits.isEmpty
    }

    /// Reasons why the suite has not recovered, as sentences.
    private var pendingProblems: [String] {
        slots.flatMap { slot -> [String] in
            guard let life = slot.life else { return ["\(slot.name) does not run"] }
            let healthProblems = life.host.healthProblems.filter { problem in
                !World.persistentProblems.contains(where: problem.hasPrefix)
                    && !problem.contains(" was revoked at ")
            }
            return (healthProblems + unapplied(by: life.host.bus)).map { "\(slot.name): \($0)" }
        } + unevaluated + Oracle(self).waits
    }

    /// Health problems that remain until an operator acts or the next message is sent.
    private static let persistentProblems = ["nobody was notified", "gateway ", "the clock of"]

    /// Streams whose consumer has not applied everything of the writer.
    private func unapplied(by bus: Bus) -> [String] {
        bus.lags.compactMap { lag in
            let writer = ServiceName(rawValue: lag.peer).flatMap { slot($0).life?.host.bus }
            let isComplete = lag.isLive && writer?.position(of: lag.stream) == lag.position
            return isComplete ? nil : "\(lag.stream) is not applied"
        }
    }

    /// Partitions that are not completely evaluated, or whose outputs are not all in the log.
    private var unevaluated: [String] {
        guard let writer = slot(.ingest).life?.host.bus else { return [] }
        let owners = slots.filter { $0.service == .evaluator }.compactMap { $0.life?.host.bus }
        return Partition.all.compactMap { partition in
            guard let end = writer.position(of: .input(partition)), end.sequence > 0 else {
                return nil
            }
            let holders = owners.filter { owner in
                owner.leases.contains { $0.partition == partition }
            }
            let isDecided = holders.contains { owner in
                owner.isSettled(partition) && owner.position(of: .input(partition)) == end
            }
            return isDecided ? nil : "partition \(partition) is not decided"
        }
    }
}
