import Model
import Testing
import Wire

@testable import IngestCore

func member(_ number: UInt64) -> ID128 { ID128(high: 9, low: number) }

/// Evaluators around a coordinator: each follows the last control, as the real ones do.
struct Party {
    /// An evaluator that runs.
    struct Player {
        var logic: ClosedRange<UInt16>
        var held: [Partition: Lease] = [:]

        var leases: [Lease] { held.values.sorted { $0.partition < $1.partition } }
    }

    var coordinator: Coordinator
    var now: Timestamp
    /// Those that speak.
    var players: [UInt64: Player] = [:]
    /// Those that run without a connection.
    var stopped: [UInt64: Player] = [:]
    var raised: UInt16?
    /// What the coordinator knows of.
    static let logicNewest: UInt16 = 3
    /// Partitions of which somebody came to the end, and of which somebody gave up.
    var lived: [Partition] = []
    var failed: [Partition] = []
    /// Every epoch that was ever assigned, to whom.
    private(set) var epochs: [Partition: [UInt64: ID128]] = [:]
    let partitions: [Partition]

    init(partitions: Int = 64, isNew: Bool = true, at time: Timestamp = start) {
        self.partitions = Array(Partition.all.prefix(partitions))
        now = time
        coordinator = Coordinator(
            partitions: self.partitions, isNew: isNew, logic: 1, logicNewest: Party.logicNewest,
            at: time)
    }

    // MARK: What happens

    mutating func handle(_ input: Coordinator.Input) {
        var effects: [Coordinator.Effect] = []
        coordinator.handle(input, at: now, into: &effects)
        for effect in effects { perform(effect) }
    }

    private mutating func perform(_ effect: Coordinator.Effect) {
        switch effect {
        case .assign(let id, _, let assignments): assign(assignments, to: id)
        case .raise(let version): raised = version
        case .caughtUp(let partition): lived.append(partition)
        case .failed(let partition): failed.append(partition)
        }
    }

    private mutating func assign(_ assignments: [Assignment], to id: ID128) {
        for assignment in assignments {
            let before = epochs[assignment.partition]?[assignment.epoch]
            #expect(before == nil || before == id, "an epoch is one member's")
            epochs[assignment.partition, default: [:]][assignment.epoch] = id
        }
        guard var player = players[id.low] else { return }
        let before = player.held
        player.held = [:]
        for assignment in assignments {
            let known = before[assignment.partition]
            let isBegun = known?.state != .failed || known?.epoch == assignment.epoch
            player.held[assignment.partition] = Lease(
                partition: assignment.partition, epoch: assignment.epoch,
                state: isBegun ? known?.state ?? .restoring : .restoring)
        }
        players[id.low] = player
    }

    mutating func join(_ number: UInt64, logic: ClosedRange<UInt16> = 1...1) {
        players[number] = Player(logic: logic)
        handle(.renewed(member: member(number), logic: logic, leases: []))
    }

    mutating func renew(_ number: UInt64) {
        guard let player = players[number] else { return }
        handle(
            .renewed(member: member(number), logic: player.logic, leases: player.leases))
    }

    /// It has read everything that it has.
    mutating func becomeLive(_ number: UInt64) {
        for partition in partitions where players[number]?.held[partition]?.state == .restoring {
            players[number]?.held[partition]?.state = .live
        }
        renew(number)
    }

    mutating func fail(_ number: UInt64, at partition: Partition) {
        players[number]?.held[partition]?.state = .failed
        renew(number)
    }

    mutating func leave(_ number: UInt64) {
        players[number] = nil
        handle(.left(member: member(number)))
    }

    /// SIGSTOP.
    mutating func stop(_ number: UInt64) { stopped[number] = players.removeValue(forKey: number) }

    mutating func go(on number: UInt64) {
        players[number] = stopped.removeValue(forKey: number)
        renew(number)
    }

    /// Time passes, and everybody who speaks renews each second.
    mutating func wait(seconds: Int) {
        for _ in 0..<seconds {
            for _ in 0..<2 {
                now = now + .milliseconds(500)
                handle(.tick)
            }
            for number in players.keys.sorted() { renew(number) }
        }
    }

    /// Everybody reads all there is, and hears what follows from that.
    mutating func settle() {
        for _ in 0..<3 { for number in players.keys.sorted() { becomeLive(number) } }
    }

    /// The coordinator dies; another one starts later and knows nothing.
    mutating func restart(after seconds: Int = 1) {
        now = now + .seconds(Int64(seconds))
        coordinator = Coordinator(
            partitions: partitions, isNew: false, logic: coordinator.logic,
            logicNewest: Party.logicNewest, at: now)
    }

    // MARK: What is to be seen

    func partitions(of number: UInt64) -> [Partition] {
        coordinator.assignments(of: member(number)).map(\.partition)
    }

    func owner(of partition: Partition) -> UInt64? {
        coordinator.assignments[partition]?.owner?.member.low
    }

    var owners: [Partition: UInt64] {
        Dictionary(
            uniqueKeysWithValues: partitions.compactMap { partition in
                owner(of: partition).map { (partition, $0) }
            })
    }

    /// How many partitions each has once all moves are done; those who speak and have none too.
    var shares: [UInt64: Int] {
        var shares = players.mapValues { _ in 0 }
        for assignment in coordinator.assignments.values {
            if let next = assignment.future { shares[next.member.low, default: 0] += 1 }
        }
        return shares
    }

    var isEven: Bool { (shares.values.max() ?? 0) - (shares.values.min() ?? 0) <= 1 }
}
