/// Injects faults around the turn of a process, with the odds of the seed.
final class FaultInjector {
    private unowned let world: World
    private var chance: SeededRandom
    private(set) var counts: [String: Int] = [:]

    init(_ world: World, _ chance: SeededRandom) {
        self.world = world
        self.chance = chance
    }

    /// Runs the turn of a process, possibly with a fault.
    func runTurn(of slot: ProcessSlot) throws {
        guard !world.isQuiet else { return slot.step() }
        let faults = world.faults
        try copyDisks(slot)
        disturbNetwork(slot)
        if chance.happens(faults.stopped) {
            count("stopped")
            return slot.stop(until: world.now + Int64(chance.in(500...15_000)))
        }
        if slot.service == .evaluator, chance.happens(faults.ended) {
            count("ended")
            slot.end()
        }
        if slot.disk != nil, chance.happens(faults.diskFull) {
            count("disk full")
            slot.diskFullUntil = world.now + Int64(chance.in(500...8000))
        }
        if chance.happens(faults.commitFails) {
            count("commit failed")
            slot.preventsCommit = true
        }
        if chance.happens(faults.killed) { return try kill(slot, "killed") }
        if chance.happens(faults.killedInTransaction) {
            slot.preventsCommit = true
            slot.life?.gate.left = 0
            slot.step()
            return try kill(slot, "killed in a transaction")
        }
        if chance.happens(faults.mutedAndKilled) {
            slot.life?.gate.left = chance.pick([0, 0, 1, 2, 5])
            slot.step()
            return try kill(slot, "killed while it spoke")
        }
        slot.step()
    }

    private func count(_ what: String) {
        counts[what, default: 0] += 1
        world.trace.append("    \(what)")
    }

    private func kill(_ slot: ProcessSlot, _ how: String) throws {
        guard slot.life != nil else { return }
        count(how)
        let time = world.now + Int64(chance.pick([50, 200, 1000, 4000, 12_000]))
        slot.die(startingAgainAt: time)
        guard let disk = slot.disk, disk.copied != nil,
            world.faults.olderDiskOf.contains(slot.name), chance.happens(world.faults.olderDisk)
        else { return }
        count("older disk of \(slot.name)")
        try disk.restore(in: world.step)
    }

    private func copyDisks(_ slot: ProcessSlot) throws {
        guard let disk = slot.disk, world.faults.olderDisk > 0,
            world.faults.olderDiskOf.contains(slot.name), chance.happens(20)
        else { return }
        try disk.copy(before: world.step)
        world.trace.append("    copied")
    }

    /// Faults of the environment: the network, the wall clock, the gateways.
    private func disturbNetwork(_ slot: ProcessSlot) {
        let faults = world.faults
        if chance.happens(faults.cut) {
            count("cut")
            let other = chance.pick(world.slots.filter { $0 !== slot })
            let end = world.now + Int64(chance.in(200...12_000))
            world.network.cut(.init(from: slot.name, to: other.name), until: end)
            if chance.happens(500) {
                world.network.cut(.init(from: other.name, to: slot.name), until: end)
            }
        }
        if chance.happens(faults.wallJumps) {
            count("wall jump")
            // Back by a little only: a process that starts then waits that much longer.
            world.wallOffset += Int64(chance.pick([-20_000, -6000, 6000, 60_000, 3_600_000]))
        }
        if slot.service == .notifier, chance.happens(faults.gatewaysDown) {
            count("gateways down")
            world.carrier.downUntil = world.now + Int64(chance.in(1000...20_000))
        }
    }

    /// Ends all faults.
    func end() {
        world.network.heal()
        world.carrier.downUntil = 0
        for slot in world.slots {
            slot.diskFullUntil = 0
            slot.stoppedUntil = 0
            if slot.life == nil { slot.startsAt = min(slot.startsAt, world.now + 100) }
        }
    }
}
