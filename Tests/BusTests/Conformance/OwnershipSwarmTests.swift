import Bus
import Model
import TestSupport
import Testing
import Wire

/// Several members under random faults, each run repeatable by its seed.
@Suite(.closingWorlds) struct `Partitions under random faults` {
    @Test(arguments: 1...10)
    func `are evaluated once and in order, whoever has them`(seed: Int) throws {
        let swarm = try Swarm(seed: UInt64(seed))
        for _ in 0..<2500 { try swarm.step() }
        try swarm.heal()
        try swarm.world.run(until: { try swarm.isWhole() }, "seed \(seed)")
        try swarm.passOn()
        try swarm.world.run(until: { try swarm.isWhole() }, "seed \(seed), passed on")
        #expect(swarm.sharer.node.notices.filter(\.isAlarm).isEmpty, "no two outputs differ")
        #expect(swarm.members.allSatisfy { $0.node.notices.filter(\.isAlarm).isEmpty })
        #expect(swarm.members.reduce(0) { $0 + $1.restored.count } > 0)
    }

    private final class Swarm {
        let world: World
        let sharer: Sharer
        let members: [Member]
        private var random: SeededGenerator
        private let lossiness: Lossiness
        private var appended = 0
        /// Who has the first partition in the end, the next one the second …
        private var first = 0

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            lossiness = Lossiness(seed: seed &+ 1000)
            world = try World(.memory)
            sharer = try Sharer(world)
            members = try ["a", "b", "c"].map { [world, sharer] in
                try Member(world, $0, of: sharer)
            }
            sharer.givesOlder = seed % 2 == 0
            for (index, member) in members.enumerated() {
                // Some checkpoints are of several pieces.
                member.padding = index == 0 ? 300_000 : 0
            }
            for node in nodes { node.fate = { [lossiness] in lossiness.fate(of: $1) } }
            for partition in Sharer.partitions { sharer.give(partition, to: [members[0]]) }
        }

        private var nodes: [Node] { members.map(\.node) + [sharer.node] }

        private func chance(_ perMille: UInt64) -> Bool { random.next() % 1000 < perMille }

        private func pick<Item>(_ items: [Item]) -> Item {
            items[Int(random.next(upperBound: UInt(items.count)))]
        }

        func step() throws {
            if chance(200), sharer.node.bus != nil {
                appended += 1
                try sharer.append(
                    Int(random.next() % 6) + 1, to: pick(Sharer.partitions), tag: "\(appended)")
            }
            if chance(100) { _ = pick(members).checkpointNow(pick(Sharer.partitions)) }
            if chance(8) {
                // To one, to two at once, or to nobody for a while.
                let owners = [members.shuffled(using: &random)].flatMap {
                    $0.prefix([1, 1, 2, 0][Int(random.next() % 4)])
                }
                sharer.give(pick(Sharer.partitions), to: Array(owners))
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

        /// What is before both of the newest checkpoints is forgotten now and then.
        private func prune() throws {
            guard chance(20), sharer.node.bus != nil else { return }
            let partition = pick(Sharer.partitions)
            let kept = try sharer.checkpoints(of: partition)
            guard kept.count >= 2 else { return }
            var isDone = false
            sharer.node.work = { bus in
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
            for (number, partition) in Sharer.partitions.enumerated() {
                sharer.give(partition, to: [owner(number)])
                try sharer.append(1, to: partition, tag: "last")
            }
        }

        /// Each partition goes to the next, who goes on from a checkpoint.
        func passOn() throws {
            for (number, partition) in Sharer.partitions.enumerated() {
                try world.run(until: {
                    _ = owner(number).checkpoint(partition)
                    return try sharer.checkpoints(of: partition).first
                        == sharer.bus?.end(of: .input(partition))
                })
            }
            first += 1
            for (number, partition) in Sharer.partitions.enumerated() {
                sharer.give(partition, to: [owner(number)])
                try sharer.append(1, to: partition, tag: "passed on")
            }
        }

        private func owner(_ number: Int) -> Member { members[(first + number) % 3] }

        func isWhole() throws -> Bool {
            for (number, partition) in Sharer.partitions.enumerated() {
                guard owner(number).bus?.isSettled(partition) == true,
                    sharer.bus?.end(of: .events(partition))
                        == sharer.bus?.end(of: .input(partition))
                else { return false }
            }
            return try sharer.hasRightOutputs()
        }
    }
}
