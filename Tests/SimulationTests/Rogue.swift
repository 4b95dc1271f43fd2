import Model
import Runtime
import Wire

@testable import Bus

/// A holder of the evaluators' key that gets partitions, reports all of them as live, and evaluates
/// nothing. The suite must recover although it stays to the end.
final class Rogue {
    private unowned let world: World
    private let transport: SimulatedTransport
    private var chance: SeededRandom
    private var member: ID128
    private var assignments: [Assignment] = []
    /// Whether it also claims partitions that were never assigned to it.
    private let isGreedy: Bool

    init(_ world: World, _ program: Program, _ chance: SeededRandom) {
        self.world = world
        self.chance = chance
        isGreedy = self.chance.happens(300)
        member = SecureRandom.id()
        transport = SimulatedTransport(
            "rogue", program.busConfiguration, in: world.network, instance: world.newNumber(),
            gate: OutputGate())
    }

    /// Starts, and continues to the end of the world.
    func live() {
        receive()
        _ = transport.sendRequest(
            Control.renew(member: member, logic: 1...99, leases: claims).encoded(), to: 0)
        // A lost connection is made again, as by any other member.
        if chance.happens(20) { transport.reconnect(to: 0) }
        world.after(500) { [unowned self] in live() }
    }

    private var claims: [Lease] {
        guard isGreedy, chance.happens(100) else {
            return assignments.map {
                Lease(partition: $0.partition, epoch: $0.epoch, state: .live)
            }
        }
        let epoch = (assignments.map(\.epoch).max() ?? 0) + chance.next() % 1000
        return Partition.all.map { Lease(partition: $0, epoch: epoch, state: .live) }
    }

    private func receive() {
        while let arrival = transport.next() {
            guard case .replied(_, let bytes) = arrival,
                case .control(.assign(member, _, let list))? = try? Frame(bytes)
            else { continue }
            // A revoked member returns with another id.
            if list.isEmpty, !assignments.isEmpty { member = SecureRandom.id() }
            assignments = list
        }
    }
}

/// Ingest counts every renewal as progress: a member that evaluates nothing is never revoked.
final class ProgressWithoutProof: PlantedBug {
    func transport(_ inner: SimulatedTransport, of slot: ProcessSlot) -> any BusTransport {
        guard slot.service == .ingest else { return inner }
        return MiddleTransport(inner) { [unowned slot] arrival in
            guard case .requested(let route, let bytes) = arrival,
                case .control(.renew(let member, let logic, let leases))? = try? Frame(bytes)
            else { return arrival }
            let claimed = leases.map { lease in
                var lease = lease
                if let end = slot.life?.host.bus.position(of: .input(lease.partition)) {
                    lease.applied = end
                }
                return lease
            }
            return .requested(
                route, Control.renew(member: member, logic: logic, leases: claimed).encoded())
        }
    }
}
