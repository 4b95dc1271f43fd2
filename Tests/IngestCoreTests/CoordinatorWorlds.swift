import Model
import TestSupport
import Testing
import Wire

@testable import IngestCore

/// Something that happens to a party.
private enum Step: Hashable {
    case join(UInt64)
    case leave(UInt64)
    case live(UInt64)
    case renew(UInt64)
    /// Stopped until the coordinator gives it up.
    case vanish(UInt64)
    case writeRest(UInt64)
    case fail(UInt64, Partition)
    case restart
    case wait
}

/// A party, and what it was before its last step: for questions that compare the two.
private struct Watched {
    var party: Party
    var before: Party
    /// Since the last restart of the coordinator everybody has spoken, and it has settled.
    var isSettled = true
    var hasFailures = false

    init(partitions: Int) {
        party = Party(partitions: partitions)
        before = party
    }

    mutating func take(_ step: Step) {
        before = party
        switch step {
        case .join(let number): party.join(number)
        case .leave(let number): party.leave(number)
        case .live(let number): party.becomeLive(number)
        case .renew(let number): party.renew(number)
        case .vanish(let number):
            party.stop(number)
            party.wait(seconds: 4)
        case .writeRest(let number): party.go(on: number)
        case .fail(let number, let partition):
            party.fail(number, at: partition)
            hasFailures = true
        case .restart:
            party.restart()
            for number in party.players.keys.sorted() { party.renew(number) }
            isSettled = false
        case .wait:
            party.wait(seconds: 3)
            isSettled = true
        }
    }

    /// What holds whatever happens.
    func check(after step: Step) {
        checkLists()
        checkEpochs()
        guard isSettled else { return }
        checkOwners(after: step)
        if !hasFailures {
            #expect(party.isEven, "after \(step): \(party.shares)")
            if before.isEven, case .restart = step {} else { checkMoves(after: step) }
        }
    }

    /// Everybody knows what they have, and nothing else.
    private func checkLists() {
        for (number, player) in party.players {
            let list = party.coordinator.assignments(of: member(number))
            #expect(player.held.count == list.count)
            #expect(list.allSatisfy { player.held[$0.partition]?.epoch == $0.epoch })
        }
    }

    /// A new assignment has a higher epoch than any before it.
    private func checkEpochs() {
        for partition in party.partitions {
            let known = before.epochs[partition] ?? [:]
            let highest = known.keys.max() ?? 0
            let fresh = (party.epochs[partition] ?? [:]).keys.filter { known[$0] == nil }
            #expect(fresh.allSatisfy { $0 > highest })
        }
    }

    /// A member that can have a partition has it, and keeps it until a successor is live.
    private func checkOwners(after step: Step) {
        for partition in party.partitions {
            let able = party.players.keys.filter {
                party.coordinator.isFit(member($0), for: partition)
            }
            let owner = party.owner(of: partition)
            #expect((owner == nil) == able.isEmpty, "after \(step), at \(partition)")
            guard let was = before.owner(of: partition), was != owner, able.contains(was),
                before.players[was] != nil
            else { continue }
            let assignment = party.coordinator.assignments[partition]
            let state = assignment?.owner.flatMap { party.coordinator.state(of: $0, at: partition) }
            #expect(state == .live, "after \(step) \(partition) was taken from \(was)")
        }
    }

    /// No fewer partitions could have changed hands. What a member that is gone had, or was to
    /// have, is nobody's move.
    private func checkMoves(after step: Step) {
        var kept: [UInt64: Int] = party.players.mapValues { _ in 0 }
        var moved = 0
        for partition in party.partitions {
            let assignment = before.coordinator.assignments[partition]
            let partitionLeases = [assignment?.successor, assignment?.owner].compactMap {
                $0?.member
            }
            guard
                let was = partitionLeases.first(where: { kept[$0.low] != nil && before.knows($0) })?
                    .low
            else { continue }
            kept[was, default: 0] += 1
            if party.coordinator.assignments[partition]?.future?.member.low != was { moved += 1 }
        }
        let loads = kept.values.sorted(by: >)
        guard !loads.isEmpty else { return }
        let (share, rest) = party.partitions.count.quotientAndRemainder(dividingBy: loads.count)
        let least = loads.enumerated().reduce(0) { sum, load in
            sum + max(0, load.element - share - (load.offset < rest ? 1 : 0))
        }
        #expect(moved == least, "after \(step): \(loads)")
    }
}

extension Party {
    fileprivate func knows(_ member: ID128) -> Bool { coordinator.members[member] != nil }
}

@Suite struct CoordinatorWorlds {
    /// Every order of so many steps, from a world in which nobody is there yet.
    @Test(arguments: [(members: 2, depth: 6), (members: 3, depth: 5)])
    func `invariants hold in all small worlds`(world: (members: Int, depth: Int)) {
        var seen = 0
        explore(Watched(partitions: 4), members: UInt64(world.members), depth: world.depth, &seen)
        #expect(seen > 2000)
    }

    private func explore(_ world: Watched, members: UInt64, depth: Int, _ seen: inout Int) {
        guard depth > 0 else { return }
        for step in steps(of: world, members: members) {
            var next = world
            next.take(step)
            next.check(after: step)
            seen += 1
            explore(next, members: members, depth: depth - 1, &seen)
        }
    }

    private func steps(of world: Watched, members: UInt64) -> [Step] {
        var steps: [Step] = []
        for number in 1...members {
            if world.party.stopped[number] != nil {
                steps.append(.writeRest(number))
            } else if let player = world.party.players[number] {
                steps += [.leave(number), .live(number), .vanish(number)]
                if let held = player.held.keys.min() { steps.append(.fail(number, held)) }
            } else {
                steps.append(.join(number))
                // The identity of the first one makes no difference.
                if world.party.players.isEmpty, world.party.stopped.isEmpty { break }
            }
        }
        if !world.party.players.isEmpty { steps += [.restart, .wait] }
        return steps
    }

    @Test(arguments: 1...12)
    func `invariants hold in large worlds`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var world = Watched(partitions: 64)
        let breaks = seed.isMultiple(of: 4)
        for _ in 0..<200 {
            let step = randomStep(world, breaks: breaks, &random)
            world.take(step)
            world.check(after: step)
        }
    }

    private func randomStep(
        _ world: Watched, breaks: Bool, _ random: inout SeededGenerator
    ) -> Step {
        let number = UInt64.random(in: 1...9, using: &random)
        if world.party.stopped[number] != nil { return .writeRest(number) }
        guard let player = world.party.players[number] else { return .join(number) }
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: return .leave(number)
        case 3: return .vanish(number)
        case 4: return .restart
        case 5...6: return .wait
        case 7 where breaks:
            return player.held.keys.min().map { .fail(number, $0) } ?? .renew(number)
        case 8...15: return .live(number)
        default: return .renew(number)
        }
    }
}
