import Model
import Runtime
import Wire

@testable import Bus

/// Somebody with the evaluators' key who gets partitions, says that all of them are live, and
/// evaluates nothing. The suite has to become whole although it stays to the end.
final class Rogue {
    private unowned let world: World
    private let transport: SimulatedTransport
    private var chance: Chance
    private var member: ID128
    private var assignments: [Assignment] = []
    /// Claims partitions that it was never given, too.
    private let isGreedy: Bool

    init(_ world: World, _ program: Program, _ chance: Chance) {
        self.world = world
        self.chance = chance
        isGreedy = self.chance.comes(300)
        member = SecureRandom.id()
        transport = SimulatedTransport(
            "rogue", program.busConfiguration, in: world.network, instance: world.newNumber(),
            mouth: Mouth())
    }

    /// Begins, and goes on to the end of the world.
    func live() {
        receive()
        _ = transport.ask(
            Control.renew(member: member, logic: 1...99, holdings: claims).encoded(), of: 0)
        // A connection that was lost is made again, as by any other member.
        if chance.comes(20) { transport.reconnect(to: 0) }
        world.after(500) { [unowned self] in live() }
    }

    private var claims: [Holding] {
        guard isGreedy, chance.comes(100) else {
            return assignments.map {
                Holding(partition: $0.partition, epoch: $0.epoch, state: .live)
            }
        }
        let epoch = (assignments.map(\.epoch).max() ?? 0) + chance.next() % 1000
        return Partition.all.map { Holding(partition: $0, epoch: epoch, state: .live) }
    }

    private func receive() {
        while let arrival = transport.next() {
            guard case .answered(_, let bytes) = arrival,
                case .control(.assign(member, _, let list))? = try? Frame(bytes)
            else { continue }
            // Whoever is found out comes back under another name.
            if list.isEmpty, !assignments.isEmpty { member = SecureRandom.id() }
            assignments = list
        }
    }
}

/// Ingest takes every renewal for progress: a member that evaluates nothing is never found out.
final class ProgressWithoutProof: Plant {
    func transport(_ inner: SimulatedTransport, of seat: Seat) -> any BusTransport {
        guard seat.service == .ingest else { return inner }
        return MiddleTransport(inner) { [unowned seat] arrival in
            guard case .asked(let route, let bytes) = arrival,
                case .control(.renew(let member, let logic, let holdings))? = try? Frame(bytes)
            else { return arrival }
            let claimed = holdings.map { holding in
                var holding = holding
                if let end = seat.life?.host.bus.position(of: .input(holding.partition)) {
                    holding.applied = end
                }
                return holding
            }
            return .asked(
                route, Control.renew(member: member, logic: logic, holdings: claimed).encoded())
        }
    }
}
