import Bus
import Model
import TestSupport
import Testing
import Wire

/// Several members under random faults, repeatable by seed.
@Suite(.closingWorlds) struct `Partitions under random faults` {
    @Test(arguments: 1...10)
    func `are evaluated once and in order by all owners`(seed: Int) throws {
        let swarm = try Swarm(seed: UInt64(seed))
        for _ in 0..<2500 { try swarm.step() }
        try swarm.heal()
        try swarm.world.run(until: { try swarm.isWhole() }, "seed \(seed)")
        try swarm.passOn()
        try swarm.world.run(until: { try swarm.isWhole() }, "seed \(seed), reassigned")
        #expect(
            swarm.coordinator.node.notices.filter(\.needsAttention).isEmpty, "no two records differ"
        )
        #expect(swarm.members.allSatisfy { $0.node.notices.filter(\.needsAttention).isEmpty })
        #expect(swarm.members.reduce(0) { $0 + $1.restored.count } > 0)
    }

    private final class Swarm {
        let world: World
        let coordinator: Coordinator
        let members: [Member]
        private var random: SeededGenerator
        private let lossiness: Lossiness
        private var appended = 0
        /// The final owner of the first partition; the next member owns the second one …
        private var first = 0

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            lossiness = Lossiness(seed: seed &+ 1000)
            world = try World(.memory)
            coordinator = try Coordinator(world)
            members = try ["a", "b", "c"].map { [world, coordinator] in
                try Member(world, $0, of: coordinator)
            }
            coordinator.servesOlder = seed % 2 == 0
            for (index, member) in members.enumerated() {
                // Some checkpoints have several pieces.
                member.padding = index == 0 ? 300_000 : 0
            }
            for node in nodes { node.fate = { [lossiness] in lossiness.fate(of: $1) } }
            for partition in Coordinator.partitions {
                coordinator.assign(partition, to: [members[0]])
            }
        }

        private var nodes: [Node] { members.map(\.node) + [coordinator.node] }

        private func chance(_ perMille: UInt64) -> Bool { random.next() % 1000 < perMille }

        private func pick<Item>(_ items: [Item]) -> Item {
            items[Int(random.next(upperBound: UInt(items.count)))]
        }

        func step() throws {
            if chance(200), coordinator.node.bus != nil {
                appended += 1
                try coordinator.append(
                    Int(random.next() % 6) + 1, to: pick(Coordinator.partitions), tag: "\(appended)"
                )
            }
            if chance(100) { _ = pick(members).checkpointNow(pick(Coordinator.partitions)) }
            if chance(8) {
                // To one member, to two, or to none for a while.
                let owners = [members.shuffled(using: &random)].flatMap {
                    $0.prefix([1, 1, 2, 0][Int(random.next() % 4)])
                }
                coordinator.assign(pick(Coordinator.partitions), to: Array(owners))
            }
            for node in nodes {
                if node.bus == nil {
                    if chance(20) { try node.restart() }
                } else if chance(2) {
                    node.kill()
                }
            }
            for member in members where chance(member.node.isHalted ? 20 : 2) {
                member.node.isHalted.toggle()
            }
            for node in nodes where chance(10) { node.failsNextCommit = true }
            try prune()
            try world.round()
        }

        /// Prunes what precedes the two newest checkpoints now and then.
        private func prune() throws {
            guard chance(20), coordinator.node.bus != nil else { return }
            let partition = pick(Coordinator.partitions)
            let kept = try coordinator.checkpoints(of: partition)
            guard kept.count >= 2 else { return }
            var isDone = false
            coordinator.node.work = { bus in
                if !isDone { try bus.prune(.input(partition), through: min(kept[0], kept[1])) }
                isDone = true
            }
        }

        func heal() throws {
            lossiness.isOver = true
            for node in nodes {
                node.isHalted = false
                if node.bus == nil { try node.restart() }
            }
            for (number, partition) in Coordinator.partitions.enumerated() {
                coordinator.assign(partition, to: [owner(number)])
                try coordinator.append(1, to: partition, tag: "last")
            }
        }

        /// Reassigns each partition to the next member, which starts from a checkpoint.
        func passOn() throws {
            for (number, partition) in Coordinator.partitions.enumerated() {
                try world.run(until: {
                    _ = owner(number).checkpoint(partition)
                    return try coordinator.checkpoints(of: partition).first
                        == coordinator.bus?.end(of: .input(partition))
                })
            }
            first += 1
            for (number, partition) in Coordinator.partitions.enumerated() {
                coordinator.assign(partition, to: [owner(number)])
                try coordinator.append(1, to: partition, tag: "passed on")
            }
        }

        private func owner(_ number: Int) -> Member { members[(first + number) % 3] }

        func isWhole() throws -> Bool {
            for (number, partition) in Coordinator.partitions.enumerated() {
                guard owner(number).bus?.isSettled(partition) == true,
                    coordinator.bus?.end(of: .events(partition))
                        == coordinator.bus?.end(of: .input(partition))
                else { return false }
            }
            return try coordinator.hasCorrectOutputs()
        }
    }
}
